package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

// FuzzRestore restores any bytes under any name. Nothing panics; a state that
// is taken counts on sanely and comes back from its own snapshot.
func FuzzRestore(f *testing.F) {
	w := newWorld(f)
	for range 3 {
		w.spend(limiter.Usage{Input: 1 << 33, CostNanos: 7}, w.oneOfEach(1<<40)...)
		w.pass(7 * time.Second)
	}
	w.cancel(w.admit(w.oneOfEach(1 << 40)...))
	for name, state := range w.snapshot() {
		f.Add(name, state, int64(0))
		f.Add(name, state, int64(-time.Hour))
	}
	f.Add("o/l////cost/total/", []byte{1, 5, 0, 0, 1, 255, 255, 255, 255, 127}, int64(time.Hour))
	f.Fuzz(func(t *testing.T, name string, state []byte, shift int64) {
		w := newWorld(t)
		w.pass(time.Duration(shift % int64(100*24*time.Hour)))
		if v, wall, err := limiter.ParseClockState(state); err == nil {
			limiter.NewClock(nil).Restore(v, wall)
		}
		if w.memory.Restore(w.now, name, state) != nil || name == limiter.ClockName {
			return
		}
		parsed, err := limiter.ParseName(name)
		if err != nil {
			t.Fatal(err)
		}
		countOn(t, w, parsed)
	})
}

// countOn charges the restored counter and takes it through a restart.
func countOn(t *testing.T, w *world, name limiter.Name) {
	limit := &limiter.Limit{Counter: w.registry.Use(1, name), Amount: limiter.MaxAmount, Source: source(limiter.ScopeKey, 0)}
	ticket, refusal := w.reserve(limit)
	w.commit(ticket, limiter.Usage{Input: 3, CostNanos: 4})
	if refusal.Refused() && refusal.Wait == 0 {
		t.Fatalf("refused without a wait: %+v", refusal)
	}
	before := w.memory.Read(w.now, limit.Counter)
	if before.Used < 0 {
		t.Fatalf("counter reads %+v", before)
	}
	next := newWorld(t)
	next.now = w.now
	next.restore(w.snapshot())
	if name.Meter == limiter.MeterConcurrency || refusal.Refused() || before.Used == 0 {
		return
	}
	if after := next.memory.Read(next.now, next.registry.Use(1, name)); after != before {
		t.Fatalf("counter reads %+v after a restart, want %+v", after, before)
	}
}
