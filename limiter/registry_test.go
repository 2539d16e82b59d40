package limiter_test

import (
	"fmt"
	"math"
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
	requests := limiter.Name{Owner: "a", Meter: limiter.MeterRequests, Strategy: limiter.FixedWindow, Window: 9}
	daily := requests
	daily.Period = limiter.PeriodDay
	if r.Use(1, requests) != r.Use(1, daily) {
		t.Error("a rule over time is known by a period")
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
	endless := w.limit("owner", requests(1, math.MaxInt64, limiter.SessionWindow))
	w.admit(endless)
	if r := w.refuse(endless); r.Wait != limiter.MaxWindow*time.Second {
		t.Errorf("a window above the longest there is ends in %s", r.Wait)
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
