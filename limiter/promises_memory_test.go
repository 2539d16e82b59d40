package limiter_test

import (
	"context"
	"testing"
	"time"

	"relay/limiter"
)

// The sentences of limits.md, section 9, that other tests do not hold: those on
// maps are in split_test.go, on memory in size_test.go, on crashes in
// restart_test.go and kept_test.go, on the clock in clock_test.go.

func TestMemory_Promise(t *testing.T) {
	t.Run("a recompile finds the same slots; slots that no plan and no reservation refers to go", func(t *testing.T) {
		w := newWorld(t)
		rule := requests(9, 60, limiter.SlidingWindow)
		before := w.limit("key", rule)
		ticket := w.admit(before)
		w.registry.Sweep(2, w.now)
		if again := w.limit("key", rule); again.Counter != before.Counter {
			t.Error("a recompile finds another slot")
		}
		w.pass(time.Hour)
		w.registry.Sweep(2, w.now)
		if w.registry.Len() != 1 {
			t.Error("a slot went that a reservation refers to")
		}
		w.commit(ticket, limiter.Usage{})
		w.registry.Sweep(2, w.now)
		if w.registry.Len() != 0 {
			t.Error("a slot stays that nothing refers to")
		}
	})
	t.Run("a slot's state is dropped when idle for two windows", func(t *testing.T) {
		w := newWorld(t)
		limits := w.oneOfEach(9)[:8]
		w.spend(everything(1), limits...)
		w.snapshot()
		w.pass(2*time.Minute - 1)
		w.registry.Sweep(1, w.now)
		if states := w.snapshot(); len(states) != 0 {
			t.Errorf("%d states went before two windows were over", len(states))
		}
		w.pass(1)
		w.registry.Sweep(1, w.now)
		if states := w.snapshot(); len(states) != 7+1 { // all but the budget, and the clock
			t.Errorf("%d states went when two windows were over", len(states))
		}
		w.pass(48 * time.Hour)
		w.registry.Sweep(1, w.now)
		if states := w.snapshot(); len(states) != 1+1 {
			t.Errorf("%d states went when two days were over, want the budget's", len(states))
		}
	})
	t.Run("a request that still runs under an old plan counts with everybody else", func(t *testing.T) {
		w := newWorld(t)
		rule := requests(2, 60, limiter.SlidingWindow)
		old, spent := w.limit("key", rule), w.budget("key", 5, limiter.PeriodDay, "Europe/Berlin")
		w.registry.Sweep(2, w.now) // forgets both
		if w.registry.Len() != 0 {
			t.Fatal("the counters are still there")
		}
		ticket := w.admit(old, spent)
		w.refuseOne(t, rule)
		w.commit(ticket, limiter.Usage{CostNanos: 5})
		if r := w.refuse(spent); r.ResetAt.Location().String() != "Europe/Berlin" || !r.Refused() {
			t.Errorf("the budget of the old plan refuses with %+v", r)
		}
		w.wantUsed(w.budget("key", 5, limiter.PeriodDay, "Europe/Berlin"), 5)
	})
	t.Run("and is refused by the limits of its plan, where their counters are still there", func(t *testing.T) {
		w := newWorld(t)
		old, full := w.limit("key", requests(2, 60, limiter.SlidingWindow)), w.limit("team", requests(1, 60, limiter.SlidingWindow))
		w.admit(full)
		w.registry.Sweep(2, w.now) // forgets the first
		if r := w.refuse(old, full); r.Limit != full {
			t.Errorf("the refusal names %p, want the team's limit %p", r.Limit, full)
		}
	})
	t.Run("the limiter numbers its commits, and a snapshot at S holds exactly those up to S", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("key", tokens(1<<40, 3600))
		var sum int64
		for i := range int64(50) {
			usage := limiter.Usage{Input: i, Output: i * i}
			number := w.commit(w.admit(limit), usage)
			sum += i + i*i
			if i%7 > 0 {
				continue
			}
			var state []byte
			through := w.memory.Snapshot(w.now, func(name string, s []byte) {
				if name != limiter.ClockName {
					state = s
				}
			})
			next := newWorld(t)
			if state != nil {
				next.restore(map[string][]byte{limit.Counter.Name().String(): state})
			}
			next.wantUsed(next.limit("key", tokens(1<<40, 3600)), sum)
			if through != number || number != uint64(i+1) {
				t.Fatalf("snapshot is through %d at commit %d, want %d", through, number, i+1)
			}
		}
	})
	t.Run("at boot leases are not restored: concurrency starts at 0 after a restart", func(t *testing.T) {
		w := newWorld(t)
		w.admit(w.limit("key", concurrency(1)), w.limit("key", requests(9, 60, limiter.SlidingWindow)))
		next := newWorld(t)
		next.restore(w.snapshot())
		next.wantUsed(next.limit("key", concurrency(1)), 0)
		next.wantUsed(next.limit("key", requests(9, 60, limiter.SlidingWindow)), 1)
	})
	t.Run("five streamed calls in a row that ask for 800 of 1,000 tokens and use 10 each all pass and count 50", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("key", tokens(1000, 60))
		for range 5 {
			w.spend(limiter.Usage{Input: 4, Output: 6}, limit)
		}
		w.wantUsed(limit, 50)
	})
	t.Run("no count is carried over a boundary: six calls of 31 under 186 a minute, then one at 61 s and one at 121 s", func(t *testing.T) {
		for _, atCap := range []limiter.AtCap{limiter.AdmitAtCap, limiter.RefuseAtCap} {
			w := newWorld(t)
			limit := w.limit("key", tokens(186, 60))
			limit.AtCap = atCap
			for range 6 {
				w.spend(limiter.Usage{Input: 31}, limit)
				w.pass(10 * time.Second)
			}
			if _, r := w.reserve(limit); r.Refused() != (atCap == limiter.RefuseAtCap) {
				t.Errorf("at 186 of 186 tokens the refusal is %+v", r)
			}
			w.pass(time.Second)
			w.wantUsed(limit, 155)
			w.spend(limiter.Usage{Input: 31}, limit)
			w.pass(time.Minute)
			w.wantUsed(limit, 31)
			w.admit(limit)
		}
	})
}

// refuseOne expects room for one request and no more.
func (w *world) refuseOne(t *testing.T, rule limiter.Rule) {
	t.Helper()
	ticket := w.admit(w.limit("key", rule))
	w.refuse(w.limit("key", rule))
	w.memory.Release(context.Background(), w.now, ticket)
}
