package limiter_test

import (
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

// TestSweep_LetsGoOfEveryValueHoweverManyThereAre has splits of so many idle
// values, once under a plan that still splits and once under one that does not.
func TestSweep_LetsGoOfEveryValueHoweverManyThereAre(t *testing.T) {
	for _, n := range []int{1, 64, 65, 200} {
		for _, generation := range []uint64{1, 2} {
			w := newWorld(t)
			split := w.splitOf(0, requests(1, 60, limiter.SlidingWindow))
			for i := range n {
				w.spend(limiter.Usage{}, split.Limits(w.now, fmt.Sprint(i))...)
			}
			w.pass(2 * time.Minute)
			w.registry.Sweep(generation, w.now)
			if split.Len() != 0 {
				t.Errorf("%d of %d idle values stay under plan %d", split.Len(), n, generation)
			}
		}
	}
}

func TestSweep_LooksAtEverySplitOfThePlan(t *testing.T) {
	w := newWorld(t)
	var splits []*limiter.Split
	for i := range 8 {
		limit := w.limit(fmt.Sprint("policy ", i), requests(1, 60, limiter.SlidingWindow))
		splits = append(splits, w.registry.Split([]*limiter.Limit{limit}, 0))
		w.spend(limiter.Usage{}, splits[i].Limits(w.now, "alice")...)
	}
	w.pass(2 * time.Minute)
	w.registry.Sweep(1, w.now)
	for i, split := range splits {
		if split.Len() != 0 {
			t.Errorf("split %d of 8 still knows an idle value", i)
		}
	}
}

// TestSweep_KeepsASplitThatALaterPlanHas has a plan with other rules that is
// compiled beside a later one and comes to the split after it.
func TestSweep_KeepsASplitThatALaterPlanHas(t *testing.T) {
	w := newWorld(t)
	later := w.splitBy(3, 0, requests(1, 60, limiter.SlidingWindow))
	w.splitBy(2, 0, requests(1, 3600, limiter.SlidingWindow))
	w.spend(limiter.Usage{}, later.Limits(w.now, "alice")...)
	w.registry.Sweep(3, w.now)
	if later.Len() != 1 {
		t.Errorf("%d values are known of a split that plan 3 has, want alice", later.Len())
	}
}

// TestSweep_KeepsTheValuesThatCountWhenMostHaveGone has 30 values of 1,000 that
// still count when the others have aged out.
func TestSweep_KeepsTheValuesThatCountWhenMostHaveGone(t *testing.T) {
	w := newWorld(t)
	split := w.splitOf(0, requests(1, 60, limiter.SlidingWindow))
	for i := range 1000 {
		if i == 970 {
			w.pass(2 * time.Minute)
		}
		w.spend(limiter.Usage{}, split.Limits(w.now, fmt.Sprint(i))...)
	}
	w.registry.Sweep(1, w.now)
	if split.Len() != 30 || w.registry.Len() != 31 {
		t.Fatalf("%d values and %d counters are left, want 30 and the shared one besides", split.Len(), w.registry.Len())
	}
	for i := 970; i < 1000; i++ {
		w.refuse(split.Limits(w.now, fmt.Sprint(i))...)
	}
	w.pass(2 * time.Minute)
	w.registry.Sweep(1, w.now)
	if split.Len() != 0 || w.registry.Len() != 1 {
		t.Errorf("%d values and %d counters are left of the idle", split.Len(), w.registry.Len())
	}
}

// TestSplit_TheIdleLongestLeavesFirstWhoeverWasLookedAtBefore has values that
// found no place, so that the search stands in the middle.
func TestSplit_TheIdleLongestLeavesFirstWhoeverWasLookedAtBefore(t *testing.T) {
	w := newWorld(t)
	rule := requests(5, 60, limiter.SlidingWindow)
	split := w.splitOf(30, rule)
	for i := range 30 {
		w.spend(limiter.Usage{}, split.Limits(w.now, fmt.Sprint(i))...)
	}
	split.Limits(w.now, "finds no place")
	w.pass(2 * time.Minute)
	for i := range 3 {
		split.Limits(w.now, fmt.Sprint("new ", i))
		if w.knows(rule, fmt.Sprint(i)) || split.Len() != 30 {
			t.Errorf("value %d, idle longest, stays and another left", i)
		}
	}
}

// TestSplit_LetsNobodyGoTwice has a value leave that the search for a place
// stood at, and come back.
func TestSplit_LetsNobodyGoTwice(t *testing.T) {
	w := newWorld(t)
	rule := requests(9, 60, limiter.SlidingWindow)
	split := w.splitOf(10, rule)
	use := func(from, to int) {
		for i := from; i < to; i++ {
			w.spend(limiter.Usage{}, split.Limits(w.now, fmt.Sprint(i))...)
		}
	}
	use(0, 10)
	split.Limits(w.now, "finds no place after eight looks")
	use(0, 8) // so that the ninth is the idle longest
	w.pass(2 * time.Minute)
	use(10, 11) // takes the place of the ninth
	use(0, 9)   // the ninth takes that of the tenth
	for range 10 {
		if l := split.Limits(w.now, "new"); l[0].Counter.Name().Per != "user" {
			t.Fatalf("a value that counts lost its place, and %d are known", split.Len())
		}
	}
	for i := range 9 {
		if !w.knows(rule, fmt.Sprint(i)) {
			t.Errorf("the counter of %d is forgotten", i)
		}
	}
}

// TestSplit_TakesReadingsThatArriveOutOfOrder looks values up by a reading that
// is older than their last charge.
func TestSplit_TakesReadingsThatArriveOutOfOrder(t *testing.T) {
	for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.SessionWindow} {
		w := newWorld(t)
		rule := requests(5, 60, strategy)
		split := w.splitOf(1, rule)
		w.spend(limiter.Usage{}, split.Limits(w.now, "alice")...)
		early := w.now
		early.V -= int64(30 * time.Second)
		if l := split.Limits(early, "bob"); l[0].Counter.Name().Per != "user" {
			t.Errorf("%s: bob has the place of alice, who still counts", strategy)
		}
		next := w.splitBy(2, 1, requests(5, 90, strategy))
		next.Limits(early, "alice")
		if !w.knows(rule, "alice") {
			t.Errorf("%s: what alice used under the plan before is forgotten", strategy)
		}
	}
}

// TestSplit_KeepsTheTimeZoneOfABudgetOverARestart has a state at rest, which
// names no zone.
func TestSplit_KeepsTheTimeZoneOfABudgetOverARestart(t *testing.T) {
	split := func(w *world) *limiter.Split {
		return w.registry.Split([]*limiter.Limit{w.budget("owner", 5, limiter.PeriodDay, "Europe/Berlin")}, 0)
	}
	w := newWorld(t)
	w.spend(limiter.Usage{CostNanos: 5}, split(w).Limits(w.now, "alice")...)
	next := newWorld(t)
	next.restore(w.snapshot())
	next.pass(20 * time.Hour) // 08:00 UTC
	alice := split(next).Limits(next.now, "alice")
	next.spend(limiter.Usage{CostNanos: 5}, alice...)
	if r := next.refuse(alice...); r.Wait != 15*time.Hour || r.ResetAt.Location().String() != "Europe/Berlin" {
		t.Errorf("alice waits %s, to %s, want 15h to midnight in Berlin", r.Wait, r.ResetAt)
	}
}
