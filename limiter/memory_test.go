package limiter_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"relay/limiter"
)

// oneOfEach returns a limit of every algorithm with room for amount.
func (w *world) oneOfEach(amount int64) []*limiter.Limit {
	aligned := tokens(amount, 60)
	aligned.Strategy = limiter.Aligned
	limits := []*limiter.Limit{w.budget("owner", amount, limiter.PeriodDay, "")}
	for _, rule := range []limiter.Rule{
		requests(amount, 60, limiter.SlidingWindow), requests(amount, 60, limiter.FixedWindow),
		requests(amount, 60, limiter.TokenBucket), requests(amount, 60, limiter.LeakyBucket),
		requests(amount, 60, limiter.SessionWindow), tokens(amount, 60), aligned, concurrency(amount),
	} {
		limits = append(limits, w.limit("owner", rule))
	}
	return limits
}

func (w *world) readings(limits []*limiter.Limit) []limiter.Reading {
	var list []limiter.Reading
	for _, l := range limits {
		list = append(list, w.memory.Read(w.now, l.Counter))
	}
	return list
}

func TestReserve_RefusesWhenAnyRuleIsFull(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1)
	for _, l := range limits {
		w.spend(limiter.Usage{Input: 2, CostNanos: 1}, l)
	}
	w.admit(limits[len(limits)-1]) // takes the only lease
	for _, l := range limits {
		if r := w.refuse(l); r.Limit != l || r.RetryAfter() < 1 {
			t.Fatalf("refusal is %+v, want it to name %s", r, l.Counter.Name())
		}
	}
}

// TestReserve_ChangesNothingWhenRefused has four limits with room and one
// without, in every order, and limits of every algorithm in random ones.
func TestReserve_ChangesNothingWhenRefused(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)
	for range 3 {
		w.spend(limiter.Usage{Input: 1, CostNanos: 1}, limits...)
	}
	full := w.limit("full", requests(1, 60, limiter.SlidingWindow))
	w.admit(full)
	w.memory.Snapshot(w.now, func(string, []byte) {})
	w.pass(13 * time.Second)
	before := w.readings(limits)
	check := func(order []*limiter.Limit) {
		w.refuse(order...)
		if after := w.readings(limits); !slices.Equal(after, before) {
			t.Fatalf("refused reserve left %+v, want %+v", after, before)
		}
	}
	permutations([]*limiter.Limit{full, limits[1], limits[3], limits[5], limits[8]}, check)
	random := rand.New(rand.NewPCG(1, 2))
	all := append(slices.Clone(limits), full)
	for range 500 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		check(all)
	}
	if w.memory.Dirty() {
		t.Fatal("a refused reserve marked a counter as changed")
	}
}

func permutations(list []*limiter.Limit, visit func([]*limiter.Limit)) {
	var place func(int)
	place = func(k int) {
		if k == len(list) {
			visit(list)
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			place(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	place(0)
}

func TestReserve_NamesTheLongestWaitOfTheWidestLimit(t *testing.T) {
	w := newWorld(t)
	key, team := source(limiter.ScopeKey, 0), source(limiter.ScopeTeam, 1)
	policy := &limiter.Source{Scope: limiter.ScopePolicy, Rung: limiter.ScopeTeam, Order: 0}
	short := w.limitOf(policy, "policy", requests(1, 10, limiter.FixedWindow))
	long := w.limitOf(policy, "policy", requests(1, 60, limiter.FixedWindow))
	wide := w.limitOf(team, "team", requests(1, 1, limiter.FixedWindow))
	longest := w.limitOf(key, "key", requests(1, 3600, limiter.FixedWindow))
	for _, l := range []*limiter.Limit{short, long, wide, longest} {
		w.admit(l)
	}
	permutations([]*limiter.Limit{short, long, wide, longest}, func(order []*limiter.Limit) {
		r := w.refuse(order...)
		if r.Limit != long || r.Wait != time.Hour || r.Used != 1 {
			t.Fatalf("refusal is %+v, want the policy's longer rule and the hour of the key", r)
		}
	})
}

func TestReserve_SaysThatNoWaitHelpsWhenATotalBudgetIsSpent(t *testing.T) {
	w := newWorld(t)
	total := w.budget("owner", 10, limiter.PeriodTotal, "")
	full := w.limitOf(total.Source, "owner", requests(1, 60, limiter.SlidingWindow))
	w.spend(limiter.Usage{CostNanos: 10}, total, full)
	for _, order := range [][]*limiter.Limit{{total, full}, {full, total}} {
		r := w.refuse(order...)
		if r.Wait >= 0 || r.RetryAfter() != 0 || r.Limit != total || !r.ResetAt.IsZero() {
			t.Fatalf("refusal is %+v, want the total budget and no wait", r)
		}
	}
}

func TestEdit_OfTheAmountKeepsCounts(t *testing.T) {
	w := newWorld(t)
	for _, strategy := range []limiter.Strategy{
		limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow,
	} {
		before := w.limit("owner", requests(3, 3600, strategy))
		for range 3 {
			w.admit(before)
		}
		w.refuse(before)
		raised := w.limit("owner", requests(5, 3600, strategy))
		w.admit(raised)
		w.admit(raised)
		w.refuse(raised)
		lowered := w.limit("owner", requests(1, 3600, strategy))
		if r := w.refuse(lowered); r.Wait > 61*time.Minute {
			t.Errorf("%s: wait is %s after the amount was lowered", strategy, r.Wait)
		}
	}
}

func TestEdit_OfAConcurrencyRuleKeepsLeases(t *testing.T) {
	w := newWorld(t)
	ticket := w.admit(w.limit("owner", concurrency(1)))
	edited := w.limit("owner", limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1, Window: 5, Strategy: limiter.FixedWindow})
	w.registry.Sweep(2, w.now)
	if r := w.refuse(edited); r.Wait != time.Second || r.Used != 1 {
		t.Fatalf("refusal is %+v, want one lease out and a second to wait", r)
	}
	w.commit(ticket, limiter.Usage{})
	w.admit(edited)
}
