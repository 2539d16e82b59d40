package limiter_test

import (
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

func TestRegistry_FindsTheSameCounter(t *testing.T) {
	r := limiter.NewRegistry()
	name := limiter.Name{Owner: "a", Limit: "b", Subject: "c", Model: "d", Per: "e", Meter: limiter.MeterRequests, Strategy: limiter.FixedWindow, Window: 60}
	counter := r.Use(1, name)
	if r.Use(2, name) != counter || r.Find(name) != counter || counter.Name() != name {
		t.Fatal("the same name finds another counter")
	}
	for _, change := range []func(*limiter.Name){
		func(n *limiter.Name) { n.Owner = "x" }, func(n *limiter.Name) { n.Limit = "x" },
		func(n *limiter.Name) { n.Subject = "x" }, func(n *limiter.Name) { n.Model = "x" },
		func(n *limiter.Name) { n.Per = "x" }, func(n *limiter.Name) { n.Meter = limiter.MeterTokens },
		func(n *limiter.Name) { n.Strategy = limiter.Aligned }, func(n *limiter.Name) { n.Window = 61 },
	} {
		other := name
		change(&other)
		if r.Find(other) != nil || r.Use(1, other) == counter {
			t.Errorf("%s finds the counter of %s", other, name)
		}
	}
	if r.Len() != 9 {
		t.Fatalf("%d counters, want 9", r.Len())
	}
}

func TestRegistry_KnowsConcurrencyByItsMeterAndBudgetsByTheirPeriod(t *testing.T) {
	r := limiter.NewRegistry()
	lease := limiter.Name{Owner: "a", Meter: limiter.MeterConcurrency}
	edited := limiter.Name{Owner: "a", Meter: limiter.MeterConcurrency, Strategy: limiter.FixedWindow, Window: 9}
	if r.Use(1, lease) != r.Use(1, edited) {
		t.Error("a concurrency rule with another window has another counter")
	}
	day := limiter.Name{Owner: "a", Meter: limiter.MeterCost, Period: limiter.PeriodDay, Timezone: "UTC"}
	moved, week := day, day
	moved.Timezone = "Europe/Berlin"
	week.Period = limiter.PeriodWeek
	if r.Use(1, day) != r.Use(1, moved) || r.Use(1, day) == r.Use(1, week) {
		t.Error("budgets are not known by their period alone")
	}
}

func TestRegistry_CountsStrictlyWhatCheckRefuses(t *testing.T) {
	w := newWorld(t)
	unknown := w.limit("owner", requests(1, 0, "no-such-strategy"))
	w.admit(unknown)
	w.refuse(unknown)
	if w.registry.Use(1, unknown.Counter.Name()) != unknown.Counter {
		t.Error("an odd name finds another counter each time")
	}
	budget := w.budget("owner", 1, "fortnight", "No/Where")
	w.spend(limiter.Usage{CostNanos: 1}, budget)
	if r := w.refuse(budget); r.Wait >= 0 {
		t.Errorf("a budget of an unknown period resets in %s", r.Wait)
	}
	for _, amount := range []int64{0, -1} {
		for _, l := range w.oneOfEach(amount)[1:6] {
			if r := w.refuse(l); r.Wait >= 0 {
				t.Errorf("an amount of %d has room in %s", amount, r.Wait)
			}
		}
	}
}

func TestRegistry_TellsNamesOfOneHashApart(t *testing.T) {
	for gone := range 5 {
		r := limiter.NewCollidingRegistry()
		var names []limiter.Name
		for i := range 5 {
			names = append(names, limiter.Name{Owner: fmt.Sprint(i), Meter: limiter.MeterConcurrency})
			if r.Use(1, names[i]); i != gone {
				r.Use(2, names[i])
			}
		}
		r.Sweep(2, at(noon))
		for i, name := range names {
			if found := r.Find(name); (found == nil) != (i == gone) || found != nil && found.Name() != name {
				t.Errorf("after %d went, %d finds %v", gone, i, found)
			}
		}
	}
}

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
	w.pass(363 * 24 * time.Hour)
	w.registry.Sweep(7, w.now)
	w.refuse(w.budget("policy", 10, limiter.PeriodTotal, ""))
	w.pass(2 * 24 * time.Hour)
	w.registry.Sweep(1, w.now)
	w.refuse(w.budget("policy", 10, limiter.PeriodTotal, ""))
	w.registry.Sweep(8, w.now)
	if w.registry.Len() != 0 {
		t.Error("a total budget without a plan is kept for more than a year")
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
