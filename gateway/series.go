package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway/plan"
	"relay/store"
)

// series is a counter that is looked up by its labels when it first counts: one
// that has counted nothing does not exist. Safe for concurrent use.
type series struct {
	found atomic.Pointer[prometheus.Counter]
}

// in returns the counter, which must have the same labels each time.
func (s *series) in(all *prometheus.CounterVec, labels ...string) prometheus.Counter {
	if found := s.found.Load(); found != nil {
		return *found
	}
	found := all.WithLabelValues(labels...)
	s.found.Store(&found)
	return found
}

// bindingSeries are those of the answers that come by one binding.
type bindingSeries struct {
	attempts, input, cacheRead, cacheCreation, output, cost series
}

// seriesOf returns those of a binding, kept for the catalog's. Others are made
// for one request each.
func (g *generation) seriesOf(b *plan.Binding) *bindingSeries {
	if b.Model.Unknown || !slices.Contains(b.Model.Bindings, b) {
		return new(bindingSeries)
	}
	known, ok := g.series.Load(b)
	if !ok {
		known, _ = g.series.LoadOrStore(b, new(bindingSeries))
	}
	return known.(*bindingSeries)
}

// fineSeries are those of ordinary requests that were answered well, by shape.
func fineSeries() map[store.Shape]*series {
	all := map[store.Shape]*series{}
	for _, shape := range store.Shapes() {
		all[shape] = new(series)
	}
	return all
}

// answered counts the requests that ended so.
func (m *metrics) answered(shape store.Shape, status int, source string) prometheus.Counter {
	if s := m.fine[shape]; s != nil && status == http.StatusOK && source == sourcePipeline {
		return s.in(m.requests, string(shape), "200", sourcePipeline)
	}
	return m.requests.WithLabelValues(string(shape), strconv.Itoa(status), source)
}
