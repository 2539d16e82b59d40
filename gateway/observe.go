package gateway

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// metrics are the request path's Prometheus metrics. Labels hold names of the
// catalog only, so that callers cannot make series.
type metrics struct {
	requests     *prometheus.CounterVec // shape, status, source
	fine         map[store.Shape]*series
	duration     prometheus.Histogram
	overhead     prometheus.Histogram
	ttft         prometheus.Histogram
	tokens       *prometheus.CounterVec // meter, model
	cost         *prometheus.CounterVec // model
	rejections   *prometheus.CounterVec // limit, meter, scope
	attempts     *prometheus.CounterVec // host, class
	authFailures prometheus.Counter
	unrecorded   prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	if r == nil {
		r = prometheus.NewRegistry()
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
	m := &metrics{
		requests:     counters("relay_requests_total", "Requests on the inference side.", "shape", "status", "source"),
		fine:         fineSeries(),
		duration:     histogram("relay_request_duration_seconds", "From the first header to the last byte.", seconds),
		overhead:     histogram("relay_overhead_seconds", "Part of the duration that was not waiting for an upstream.", prometheus.ExponentialBuckets(50e-6, 2, 15)),
		ttft:         histogram("relay_ttft_seconds", "From the first header to the first byte of the answer.", seconds),
		tokens:       counters("relay_tokens_total", "Tokens that answers reported.", "meter", "model"),
		cost:         counters("relay_cost_usd_total", "Cost of priced answers in US dollars.", "model"),
		rejections:   counters("relay_limit_rejections_total", "Requests that a limit or budget refused.", "limit", "meter", "scope"),
		attempts:     counters("relay_upstream_attempts_total", "Attempts on upstreams; class none is an answer.", "host", "class"),
		authFailures: prometheus.NewCounter(prometheus.CounterOpts{Name: "relay_auth_failures_total", Help: "Requests without a valid credential."}),
		unrecorded:   prometheus.NewCounter(prometheus.CounterOpts{Name: "relay_usage_unrecorded_total", Help: "Requests admitted without a usage event, since the queue was full."}),
	}
	r.MustRegister(m.requests, m.duration, m.overhead, m.ttft, m.tokens, m.cost, m.rejections, m.attempts, m.authFailures, m.unrecorded)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
}

// observe counts and logs a finished request.
func (x *exchange) observe() {
	took := time.Since(x.start)
	m := x.s.metrics
	m.answered(x.call.shape, x.status, x.source()).Inc()
	m.duration.Observe(took.Seconds())
	m.overhead.Observe(max(took-x.waited, 0).Seconds())
	if !x.first.IsZero() {
		m.ttft.Observe(x.first.Sub(x.start).Seconds())
	}
	if l := x.refusal.Limit; l != nil {
		m.rejections.WithLabelValues(limitLabel(l.Source), string(l.Counter.Name().Meter), l.Source.Scope.String()).Inc()
	}
	if x.answer != nil {
		x.observeUsage(m, &x.tap.Usage)
	}
	x.log(took)
}

// limitLabel names a limit of the catalog: the rate limit, or whose shorthand
// or budget it is.
func limitLabel(s *limiter.Source) string {
	if s.Name != "" {
		return s.Name
	}
	return s.Owner
}

func (x *exchange) observeUsage(m *metrics, u *wire.Usage) {
	model, known := x.model.Label(), x.gen.seriesOf(x.answer)
	for _, part := range [...]struct {
		series *series
		meter  string
		count  int64
	}{
		{&known.input, "input", u.Input}, {&known.cacheRead, "cache_read", u.CacheRead},
		{&known.cacheCreation, "cache_creation", u.CacheCreation}, {&known.output, "output", u.Output},
	} {
		if part.count > 0 {
			part.series.in(m.tokens, part.meter, model).Add(float64(part.count))
		}
	}
	if x.cost != nil {
		known.cost.in(m.cost, model).Add(float64(*x.cost) / 1e9)
	}
}

// log writes one line a request: stable fields, never a body or a secret.
func (x *exchange) log(took time.Duration) {
	e := x.s.opt.Log.Info()
	if e == nil {
		return
	}
	e.Str("request_id", x.id).Str("method", x.r.Method).Str("path", short(x.r.URL.Path)).
		Int("status", x.status).Dur("duration", took).Dur("overhead", max(took-x.waited, 0))
	if x.caller != nil {
		e.Str("key", x.caller.KeyName)
	}
	if x.requested != "" {
		e.Str("model", short(x.requested))
	}
	if x.answer != nil {
		u := &x.tap.Usage
		e.Str("host", x.key.Host.Name()).Str("host_key", x.key.Name).
			Int64("input", u.Prompt()).Int64("output", u.Output)
	}
	if t := x.translation; t != nil && x.translated() && len(t.dropped) > 0 {
		e.Strs("dropped", t.dropped)
	}
	if x.tap.NoChoices {
		e.Bool("no_choices", true)
	}
	if x.errorKind != "" {
		e.Str("error_kind", x.errorKind)
	}
	e.Msg("request")
}

func short(s string) string { return s[:min(len(s), 256)] }
