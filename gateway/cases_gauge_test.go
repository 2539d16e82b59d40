package gateway_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
)

// counted counts the exchanges that an upstream has in hand.
type counted struct{ now, peak atomic.Int64 }

func (c *counted) script(k kind, pause gatewaytest.Script) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		now := c.now.Add(1)
		for peak := c.peak.Load(); now > peak && !c.peak.CompareAndSwap(peak, now); peak = c.peak.Load() {
		}
		return k.saysAfter(5, 5, gatewaytest.Join(pause, func(*gatewaytest.Exchange) error {
			c.now.Add(-1)
			return nil
		}))(x)
	}
}

// watchGauge reads the key's gauge again and again until stop, which fails the
// test when it was ever below 0.
func (r *rig) watchGauge(key string) (stop func()) {
	r.tb.Helper()
	gauge := r.counter(key, limiter.MeterConcurrency)
	end := make(chan struct{})
	var watching sync.WaitGroup
	var least int64
	watching.Go(func() {
		tick := time.NewTicker(100 * time.Microsecond)
		defer tick.Stop()
		for {
			least = min(least, r.memory.Read(r.clock.Now(), gauge).Used)
			select {
			case <-end:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(end)
		watching.Wait()
		if least < 0 {
			r.tb.Errorf("the gauge read %d", least)
		}
		if n := r.used(key, limiter.MeterConcurrency); n != 0 {
			r.tb.Errorf("in the end there are %d in flight", n)
		}
	}
}

// mustBeIdle fails the test unless every gauge of callers, models and hosts is
// at 0.
func (r *rig) mustBeIdle(after string) {
	r.tb.Helper()
	gauges := r.gauges()
	if len(gauges) == 0 {
		r.tb.Fatal("there is no gauge")
	}
	for _, l := range gauges {
		if reading := r.memory.Read(r.clock.Now(), l.Counter); reading.Used != 0 || reading.InFlight != 0 {
			r.tb.Fatalf("after %q the gauge of %s reads %d, held by %d", after, l.Source.Owner, reading.Used, reading.InFlight)
		}
	}
}

// gauges are the limits on what is in flight of the plan in use.
func (r *rig) gauges() []*limiter.Limit {
	all := r.limits()
	for _, k := range r.server.Plan().HostKeys {
		all = append(all, k.Limits...)
	}
	return slices.DeleteFunc(all, func(l *limiter.Limit) bool { return l.Counter.Name().Meter != limiter.MeterConcurrency })
}
