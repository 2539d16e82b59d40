package limiter_test

import (
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

func TestSweep_ForgetsWhatNothingUsesAndHasAgedOut(t *testing.T) {
	w := newWorld(t)
	idle, charged := w.limit("idle", requests(1, 60, limiter.SlidingWindow)), w.limit("charged", requests(1, 60, limiter.SlidingWindow))
	used := w.limit("used", requests(1, 60, limiter.SlidingWindow))
	w.admit(charged) // and never ended: the ticket holds the counter
	w.spend(limiter.Usage{}, used)
	w.registry.Use(2, used.Counter.Name())

	w.registry.Sweep(1, w.now)
	if n := w.registry.Len(); n != 3 {
		t.Fatalf("%d counters are left of 3 that this generation uses", n)
	}
	w.registry.Sweep(2, w.now)
	if w.registry.Find(idle.Counter.Name()) != nil || w.registry.Len() != 2 {
		t.Fatal("the idle counter of an older plan is still there")
	}
	w.pass(time.Hour)
	w.registry.Sweep(2, w.now)
	if w.registry.Find(charged.Counter.Name()) != charged.Counter {
		t.Fatal("a counter went that an open ticket holds")
	}
}

// TestSweep_KeepsWhatALaterPlanUses has a plan that is compiled beside a later
// one and comes to the counters after it.
func TestSweep_KeepsWhatALaterPlanUses(t *testing.T) {
	w := newWorld(t)
	name := w.limit("owner", requests(1, 60, limiter.SlidingWindow)).Counter.Name()
	for _, generation := range []uint64{3, 2} {
		w.registry.Use(generation, name)
	}
	w.registry.Sweep(3, w.now)
	if w.registry.Find(name) == nil {
		t.Error("a counter that plan 3 uses went when plan 2 had used it, too")
	}
	w.registry.Sweep(4, w.now)
	if w.registry.Find(name) != nil {
		t.Error("a counter stays that no plan uses any more")
	}
}

func TestSweep_IsNoWayAroundALimit(t *testing.T) {
	w := newWorld(t)
	day := limiter.Rule{Meter: limiter.MeterTokens, Amount: 10, Window: 86400, Strategy: limiter.SlidingWindow}
	limit, total := w.limit("policy", day), w.budget("policy", 10, limiter.PeriodTotal, "")
	w.spend(limiter.Usage{Input: 11, CostNanos: 10}, limit, total)
	w.registry.Sweep(7, w.now) // the policy is switched off
	w.refuse(w.limit("policy", day))
	w.pass(48 * time.Hour)
	w.registry.Sweep(7, w.now)
	if w.registry.Find(limit.Counter.Name()) != nil {
		t.Error("a counter that has been idle for two windows is still there")
	}
	w.pass(364*24*time.Hour - 1) // 366 days but for a nanosecond
	w.registry.Sweep(7, w.now)
	w.refuse(w.budget("policy", 10, limiter.PeriodTotal, ""))
	w.pass(1)
	w.registry.Sweep(1, w.now)
	w.refuse(w.budget("policy", 10, limiter.PeriodTotal, ""))
	w.registry.Sweep(8, w.now)
	if w.registry.Len() != 0 {
		t.Error("a total budget without a plan is kept for more than 366 days")
	}
}

func TestSweep_LosesNoCounterOfThePlanWhenMostOthersGo(t *testing.T) {
	w := newWorld(t)
	var kept []*limiter.Limit
	for i := range 3000 {
		l := w.limit(fmt.Sprint(i), requests(1, 60, limiter.SlidingWindow))
		if i%60 == 0 {
			w.registry.Use(2, l.Counter.Name())
			kept = append(kept, l)
		}
	}
	w.registry.Sweep(2, w.now)
	for i, l := range kept {
		if w.registry.Find(l.Counter.Name()) != l.Counter {
			t.Errorf("counter %d of %d in use is not found any more", i, len(kept))
		}
	}
	if n := w.registry.Len(); n != len(kept) {
		t.Errorf("%d counters are left, want %d", n, len(kept))
	}
}

// TestSweep_WorksBesideAnotherSweep has counters that many sweeps all want to
// remove.
func TestSweep_WorksBesideAnotherSweep(t *testing.T) {
	for range 400 {
		w := newWorld(t)
		for i := range 600 {
			w.limit(fmt.Sprint(i), requests(1, 60, limiter.SlidingWindow))
		}
		parallel(16, func() { w.registry.Sweep(2, w.now) })
		if n := w.registry.Len(); n != 0 {
			t.Fatalf("%d counters are left that nothing uses", n)
		}
	}
}

// TestSweep_WorksBesideTraffic removes and makes counters while others charge.
func TestSweep_WorksBesideTraffic(t *testing.T) {
	w := newWorld(t)
	var limits []*limiter.Limit
	for i := range 1000 {
		limits = append(limits, w.limit(fmt.Sprint(i), requests(1<<40, 1, limiter.SlidingWindow)))
	}
	for i := range 20 {
		w.registry.Use(9, limits[i].Counter.Name())
	}
	start := w.now
	parallel(4, func() {
		for i := range int64(20) {
			now := start
			now.V += i * int64(time.Second)
			ticket := &limiter.Ticket{}
			ticket.Add(limits[:20])
			roundTrip(t, w.memory, now, limiter.Usage{}, ticket)
			w.registry.Sweep(9, now)
			w.registry.Use(1, limits[20+i].Counter.Name())
		}
	})
	w.registry.Sweep(9, start)
	if n := w.registry.Len(); n != 20 {
		t.Fatalf("%d counters are left, want the 20 of this generation", n)
	}
}
