package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

func (w *world) reset(l *limiter.Limit) { w.memory.Reset(w.now, l.Counter) }

func TestReset_LetsTheNextRequestPassUnderEveryStrategy(t *testing.T) {
	for _, strategy := range []limiter.Strategy{
		limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow,
	} {
		t.Run(string(strategy), func(t *testing.T) {
			w := newWorld(t)
			limit := w.limit("owner", requests(2, 60, strategy))
			w.spend(limiter.Usage{}, limit)
			w.spend(limiter.Usage{}, limit)
			w.refuse(limit)
			w.reset(limit)
			w.wantUsed(limit, 0)
			w.spend(limiter.Usage{}, limit)
			w.spend(limiter.Usage{}, limit)
			w.refuse(limit)
		})
	}
}

func TestReset_LetsASpentBudgetPassAndLeavesItsPeriodAlone(t *testing.T) {
	w := newWorld(t)
	day := w.budget("day", 10, limiter.PeriodDay, "")
	total := w.budget("total", 10, limiter.PeriodTotal, "")
	w.spend(limiter.Usage{CostNanos: 12}, day, total)
	w.refuse(day)
	w.refuse(total)
	w.reset(day)
	w.reset(total)
	w.spend(limiter.Usage{CostNanos: 10}, day, total)
	w.refuse(total)
	if r := w.refuse(day); r.Wait != 12*time.Hour {
		t.Errorf("the day ends in %s, want 12h", r.Wait)
	}
}

func TestReset_LeavesLeasesInFlight(t *testing.T) {
	w := newWorld(t)
	lease, count := w.limit("owner", concurrency(1)), w.limit("owner", requests(9, 60, limiter.SlidingWindow))
	ticket := w.admit(lease, count)
	w.reset(lease)
	w.reset(count)
	w.wantUsed(lease, 1)
	w.refuse(lease)
	w.commit(ticket, limiter.Usage{})
	w.wantUsed(lease, 0)
	w.wantUsed(count, 0)
}

func TestReset_LeavesNothingToGiveBack(t *testing.T) {
	for _, strategy := range []limiter.Strategy{limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow} {
		w := newWorld(t)
		limit := w.limit("owner", requests(5, 60, strategy))
		ticket := w.admit(limit)
		w.reset(limit)
		w.cancel(ticket)
		w.wantUsed(limit, 0)
	}
}

func TestReset_AddsWhatEndsAfterIt(t *testing.T) {
	w := newWorld(t)
	limit, budget := w.limit("owner", tokens(100, 60)), w.budget("owner", 10, limiter.PeriodMonth, "")
	ticket := w.admit(limit, budget)
	w.spend(limiter.Usage{Input: 50, CostNanos: 5}, limit, budget)
	w.reset(limit)
	w.reset(budget)
	w.commit(ticket, limiter.Usage{Input: 7, CostNanos: 2})
	w.wantUsed(limit, 7)
	w.wantUsed(budget, 2)
}

func TestReset_IsInTheNextSnapshot(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)
	w.spend(limiter.Usage{Input: 1, CostNanos: 1}, limits...)
	kept := disk{}
	kept.snapshot(w.memory, w.now)
	for _, l := range limits {
		w.reset(l)
	}
	if !w.memory.Dirty() {
		t.Fatal("a reset changed nothing")
	}
	kept.snapshot(w.memory, w.now)
	delete(kept, limiter.ClockName)
	if len(kept) != 0 {
		t.Errorf("a restart would bring back %d counters", len(kept))
	}
	for _, l := range limits {
		w.reset(l)
	}
	if w.memory.Dirty() {
		t.Error("resetting what stands at zero changes something")
	}
}

func TestCounters_FindsThoseThatMatch(t *testing.T) {
	w := newWorld(t)
	mine := w.limit("mine", requests(5, 60, limiter.SlidingWindow))
	w.limit("yours", requests(5, 60, limiter.SlidingWindow))
	found := w.registry.Counters(func(n limiter.Name) bool { return n.Owner == "mine" })
	if len(found) != 1 || found[0] != mine.Counter {
		t.Errorf("found %d counters, want the one of mine", len(found))
	}
	if again := w.registry.Counters(func(limiter.Name) bool { return true }); len(again) != w.registry.Len() {
		t.Errorf("found %d of %d counters", len(again), w.registry.Len())
	}
}
