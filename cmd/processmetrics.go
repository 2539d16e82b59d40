package cmd

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// newMetricsRegistry holds the process's own metrics; the gateway adds its.
func newMetricsRegistry(p *process) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "relay_build_info", Help: "1, labelled with the version.", ConstLabels: prometheus.Labels{"version": Version()}})
	build.Set(1)
	gauge := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	r.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		gauge("relay_usage_queue_bytes", "Bytes of the usage queue that are taken.", func() float64 { used, _ := p.db.QueuedUsage(); return float64(used) }),
		gauge("relay_usage_durable_through_seconds", "Unix time up to which usage is on disk.", func() float64 { return float64(p.db.DurableThrough().UnixMilli()) / 1000 }),
		gauge("relay_db_bytes", "Size of the database file.", func() float64 { return float64(p.db.Size()) }),
	)
	return r
}
