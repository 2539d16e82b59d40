package gateway

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway/wire"
)

// load is what requests hold of the process, and how often there was not enough
// of it. Whoever meets a bound is turned away at once: nothing waits in line.
type load struct {
	inHand   *share // requests whose body is complete
	buffered *share // bytes of bodies

	noSlot, noHalf, noMemory, noConnection prometheus.Counter
}

// tryAgainAfter is how long a caller waits who was turned away.
const tryAgainAfter = time.Second

func newLoad(opt *Options) *load {
	l := &load{inHand: newShare(int64(opt.MaxInFlight)), buffered: newShare(opt.MaxBufferedBytes)}
	shed := counters("relay_shed_total", "Requests turned away because the process had too much in hand.", "reason")
	l.noSlot, l.noHalf = shed.WithLabelValues("inflight"), shed.WithLabelValues("account")
	l.noMemory, l.noConnection = shed.WithLabelValues("memory"), shed.WithLabelValues("connections")
	if opt.Metrics != nil {
		opt.Metrics.MustRegister(shed,
			gauge("relay_inflight_requests", "Requests in hand that count against max_inflight.", l.inHand),
			gauge("relay_buffered_bytes", "Bytes of request bodies in memory that count against max_buffered_bytes.", l.buffered))
	}
	return l
}

func gauge(name, help string, s *share) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(s.inUse()) })
}

// enter counts the request against max_inflight, once its body is complete.
func (x *exchange) enter() error {
	l := x.s.load
	switch l.inHand.take(accountOf(x.caller), 1, 0) {
	case usedUp:
		l.noSlot.Inc()
		return overloaded("Relay has " + strconv.Itoa(x.s.opt.MaxInFlight) + " requests in hand, which is all it takes at once (max_inflight). Try again in a second.")
	case halfHeld:
		l.noHalf.Inc()
		return overloaded("This account has half of the " + strconv.Itoa(x.s.opt.MaxInFlight) + " requests in hand that Relay takes at once (max_inflight); the rest is for others. Send fewer at a time.")
	}
	x.inHand = true
	return nil
}

// claim counts n more bytes against max_buffered_bytes, before they are
// allocated.
func (x *exchange) claim(n int64) error {
	if n <= 0 {
		return nil
	}
	l := x.s.load
	if l.buffered.take(accountOf(x.caller), n, x.claimed) != plenty {
		l.noMemory.Inc()
		return overloaded("Relay holds as many bytes of request bodies as it may (max_buffered_bytes, " + formatSize(x.s.opt.MaxBufferedBytes) + "; half of it for one account). Try again in a second.")
	}
	x.claimed += n
	return nil
}

// unclaim gives back n of the bytes that the request has claimed.
func (x *exchange) unclaim(n int64) {
	if n > 0 {
		x.s.load.buffered.give(accountOf(x.caller), n)
		x.claimed -= n
	}
}

// overloaded says that the request was turned away before anything was done.
func overloaded(message string) error {
	e := wire.NewError(wire.CodeOverloaded, message)
	e.RetryAfter = tryAgainAfter
	return e
}

// letGo gives back what the request holds of the process. Once more does
// nothing.
func (x *exchange) letGo() {
	if x.inHand {
		x.inHand = false
		x.s.load.inHand.give(accountOf(x.caller), 1)
	}
	x.dropBody()
}

// keptBody is the size in bytes over which the buffer of a body is not kept for
// later requests.
const keptBody = 256 << 10

// dropBody gives the body's bytes back, as soon as no further attempt can need
// them.
func (x *exchange) dropBody() {
	x.unclaim(x.claimed)
	x.outgoing = nil
	for _, buf := range []*[]byte{&x.body, &x.composed} {
		if cap(*buf) > keptBody {
			*buf = nil
		}
	}
}
