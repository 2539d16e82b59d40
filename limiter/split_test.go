package limiter_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/limiter"
)

// splitOf makes a split of one rule by user.
func (w *world) splitOf(bound int, rules ...limiter.Rule) *limiter.Split {
	return w.splitBy(1, bound, rules...)
}

func (w *world) splitBy(generation uint64, bound int, rules ...limiter.Rule) *limiter.Split {
	var limits []*limiter.Limit
	for _, rule := range rules {
		limits = append(limits, &limiter.Limit{
			Counter: w.registry.Use(generation, perUser(rule)), Amount: rule.Amount, Source: source(limiter.ScopePolicy, 0),
		})
	}
	return w.registry.Split(limits, bound)
}

func perUser(rule limiter.Rule) limiter.Name {
	return limiter.Name{Owner: "policy", Limit: "limit", Subject: "team", Per: "user", Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}
}

// knows reports whether the registry has a counter of the value's own.
func (w *world) knows(rule limiter.Rule, value string) bool {
	name := perUser(rule)
	name.Per += "=" + value
	return w.registry.Find(name) != nil
}

func TestSplit_CountsEveryValueByItself(t *testing.T) {
	w := newWorld(t)
	rules := []limiter.Rule{requests(1, 60, limiter.SlidingWindow), tokens(10, 60), concurrency(1)}
	split := w.splitOf(0, rules...)
	for _, user := range []string{"alice", "bob", "", "=", "alice,key=x"} {
		limits := split.Limits(w.now, user)
		for i, l := range limits {
			name := perUser(rules[i])
			name.Per = "user=" + user
			if rules[i].Meter == limiter.MeterConcurrency {
				name.Strategy, name.Window = "", 0
			}
			if l.Counter.Name() != name || l.Amount != rules[i].Amount || l.Source == nil {
				t.Fatalf("limit %d of %q is %+v of %s", i, user, l, l.Counter.Name())
			}
		}
		w.spend(limiter.Usage{Input: 11}, limits...)
		if r := w.refuse(split.Limits(w.now, user)...); r.Used != 1 && r.Used != 11 {
			t.Fatalf("%q is refused by what others used: %+v", user, r)
		}
	}
	if split.Len() != 5 {
		t.Fatalf("%d values are known, want 5", split.Len())
	}
}

func TestSplit_OfNothingLimitsNothing(t *testing.T) {
	w := newWorld(t)
	split := w.splitOf(0)
	if limits := split.Limits(w.now, "alice"); len(limits) != 0 || split.Len() != 0 {
		t.Fatalf("alice has the limits %v", limits)
	}
}

func TestSplit_GoesOnInTheNextPlan(t *testing.T) {
	w := newWorld(t)
	rule := requests(2, 60, limiter.SlidingWindow)
	old := w.splitBy(1, 1, rule)
	w.admit(old.Limits(w.now, "alice")...)
	w.admit(old.Limits(w.now, "alice")...)
	raised := rule
	raised.Amount = 3
	next := w.splitBy(2, 1, raised, tokens(5, 60))
	w.registry.Sweep(2, w.now)
	for _, split := range []*limiter.Split{next, old, next} {
		if limits := split.Limits(w.now, "bob"); limits[0].Counter.Name().Per != "user" {
			t.Fatal("the next plan has forgotten that the place is taken")
		}
	}
	w.refuse(old.Limits(w.now, "alice")...)
	if limits := next.Limits(w.now, "alice"); len(limits) != 2 || limits[0].Amount != 3 {
		t.Fatalf("alice has the limits %v in the next plan", limits)
	}
	w.spend(limiter.Usage{Input: 6}, next.Limits(w.now, "alice")...)
	w.refuse(next.Limits(w.now, "alice")...)
}

// TestSplit_IsForgottenWithItsPlan switches a split limit off. Its counts go on
// until they have aged, and a request that still runs under the old plan counts
// with everybody else.
func TestSplit_IsForgottenWithItsPlan(t *testing.T) {
	w := newWorld(t)
	rule := requests(1, 60, limiter.SlidingWindow)
	old := w.splitBy(1, 0, rule)
	for i := range 200 {
		w.spend(limiter.Usage{}, old.Limits(w.now, fmt.Sprint(i))...)
	}
	w.registry.Sweep(2, w.now)
	if old.Len() != 0 {
		t.Fatalf("%d values are known of a split that no plan has", old.Len())
	}
	w.refuse(old.Limits(w.now, "7")...)
	w.admit(old.Limits(w.now, "new")...)
	again := w.splitBy(3, 0, rule)
	w.refuse(again.Limits(w.now, "7")...)
	w.refuse(again.Limits(w.now, "new")...)
	w.pass(2 * time.Minute)
	w.registry.Sweep(4, w.now)
	w.registry.Sweep(4, w.now)
	if n := w.registry.Len(); n != 1 {
		t.Fatalf("%d counters are left, want that of the open ticket", n)
	}
}

func TestSplit_FindsWhatARestartBroughtBack(t *testing.T) {
	w := newWorld(t)
	w.spend(limiter.Usage{}, w.splitOf(0, requests(1, 60, limiter.SlidingWindow)).Limits(w.now, "a/b%")...)
	next := newWorld(t)
	next.restore(w.snapshot())
	next.refuse(next.splitOf(0, requests(1, 60, limiter.SlidingWindow)).Limits(next.now, "a/b%")...)
}

func TestSplit_ReturnsToEmpty(t *testing.T) {
	w := newWorld(t)
	rule := requests(5, 60, limiter.SlidingWindow)
	split := w.splitOf(0, rule, tokens(9, 60))
	before := heap()
	for i := range 20_000 {
		w.spend(limiter.Usage{Input: 1}, split.Limits(w.now, fmt.Sprint(i))...)
	}
	w.registry.Sweep(1, w.now)
	if split.Len() != 20_000 || w.registry.Len() != 40_002 {
		t.Fatalf("%d values and %d counters after a sweep of live windows", split.Len(), w.registry.Len())
	}
	w.pass(122 * time.Second)
	w.registry.Sweep(1, w.now)
	w.snapshot()
	if split.Len() != 0 || w.registry.Len() != 2 {
		t.Fatalf("%d values and %d counters are left, want none and the two that are shared", split.Len(), w.registry.Len())
	}
	w.registry.Sweep(1, w.now)
	if left := heap() - before; left > 256<<10 {
		t.Errorf("%d bytes are left of values that have gone", left)
	}
	w.spend(limiter.Usage{}, split.Limits(w.now, "alice")...)
}

func TestSplit_KeepsNothingOfTheTextThatAValueWasCutFrom(t *testing.T) {
	w := newWorld(t)
	split := w.splitOf(0, requests(5, 60, limiter.SlidingWindow))
	before := heap()
	for i := range 64 {
		body := strings.Repeat(string(rune('A'+i)), 1<<20)
		split.Limits(w.now, body[:8])
	}
	if kept := heap() - before; kept > 1<<20 || split.Len() != 64 {
		t.Fatalf("64 values of 8 bytes take %d bytes", kept)
	}
}

func TestSplit_AllocatesNothingForAKnownValue(t *testing.T) {
	w := newWorld(t)
	split := w.splitOf(0, requests(1<<40, 60, limiter.SlidingWindow), tokens(1<<40, 60), concurrency(9))
	value := []byte("198.51.100.7")
	var ticket limiter.Ticket
	turn := func() {
		ticket.Reset()
		ticket.Add(split.Limits(w.now, "alice"))
		ticket.Add(split.Limits(w.now, string(value)))
		roundTrip(t, w.memory, w.now, limiter.Usage{Input: 1}, &ticket)
	}
	turn()
	// The conversion of the bytes is the caller's.
	if n := testing.AllocsPerRun(1000, turn); n > 1 {
		t.Fatalf("a look-up of known values allocates %g times", n)
	}
}

// TestSplit_HoldsForManyGoroutines has more values than places, sweeps and new
// plans beside the traffic. Nobody is admitted more than the amount by its own
// counter, and none is lost.
func TestSplit_HoldsForManyGoroutines(t *testing.T) {
	const amount = 20
	rule := requests(amount, 3600, limiter.SlidingWindow)
	w := newWorld(t)
	split := w.splitBy(1, 4, rule)
	counted := make(chan string, 16*200)
	parallel(16, func() {
		for i := range 200 {
			limits := split.Limits(w.now, fmt.Sprint(i%7))
			if i%50 == 0 {
				w.registry.Sweep(uint64(1+i%100/50), w.now)
			}
			ticket := &limiter.Ticket{}
			ticket.Add(limits)
			if r, _ := w.memory.Reserve(context.Background(), w.now, ticket); !r.Refused() {
				counted <- limits[0].Counter.Name().Per
				w.memory.Commit(context.Background(), w.now, limiter.Usage{}, ticket, nil)
			}
		}
	})
	close(counted)
	admitted := map[string]int64{}
	for name := range counted {
		admitted[name]++
	}
	for _, per := range slices.Sorted(maps.Keys(admitted)) {
		name := perUser(rule)
		name.Per = per
		counter := w.registry.Find(name)
		if counter == nil || w.memory.Read(w.now, counter).Used != admitted[per] || admitted[per] > amount {
			t.Errorf("%s admitted %d of %d, and its counter is %v", per, admitted[per], amount, counter)
		}
	}
}
