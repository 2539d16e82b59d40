package limiter_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"relay/limiter"
)

// TestSplit_FurtherValuesShareOneCounter has 10,000 users with a live window:
// the 10,001st and all after it count together until windows have passed.
func TestSplit_FurtherValuesShareOneCounter(t *testing.T) {
	const bound = 10_000
	w := newWorld(t)
	split := w.splitOf(bound, requests(2, 60, limiter.SlidingWindow))
	for i := range bound {
		w.admit(split.Limits(w.now, fmt.Sprint("user ", i))...)
	}
	w.spend(limiter.Usage{}, split.Limits(w.now, "the 10,001st")...)
	w.spend(limiter.Usage{}, split.Limits(w.now, "the 10,002nd")...)
	for _, user := range []string{"the 10,001st", "the 10,002nd", "the 10,003rd"} {
		w.refuse(split.Limits(w.now, user)...)
	}
	w.admit(split.Limits(w.now, "user 0")...)
	if split.Len() != bound || w.registry.Len() != bound+1 {
		t.Fatalf("%d values and %d counters, want %d and one more", split.Len(), w.registry.Len(), bound)
	}
	w.pass(61 * time.Second)
	w.admit(split.Limits(w.now, "the 10,004th")...)
	w.admit(split.Limits(w.now, "the 10,004th")...)
	w.refuse(split.Limits(w.now, "the 10,004th")...)
}

func TestSplit_TheIdleLongestLeavesFirst(t *testing.T) {
	w := newWorld(t)
	rule := requests(5, 60, limiter.SlidingWindow)
	split := w.splitOf(3, rule)
	for _, user := range []string{"a", "b", "c", "a"} {
		w.spend(limiter.Usage{}, split.Limits(w.now, user)...)
	}
	w.pass(2 * time.Minute)
	for _, step := range []struct{ comes, leaves string }{{"d", "b"}, {"e", "c"}, {"f", "a"}, {"g", "d"}} {
		split.Limits(w.now, step.comes)
		if w.knows(rule, step.leaves) || !w.knows(rule, step.comes) || split.Len() != 3 {
			t.Fatalf("when %s comes %s stays", step.comes, step.leaves)
		}
	}
}

// TestSplit_NeverPushesOutWhatStillCounts fills a split with values that count
// in every way there is.
func TestSplit_NeverPushesOutWhatStillCounts(t *testing.T) {
	aligned := tokens(5, 60)
	aligned.Strategy = limiter.Aligned
	for _, rule := range []limiter.Rule{
		requests(5, 60, limiter.SlidingWindow), requests(5, 60, limiter.FixedWindow), requests(5, 60, limiter.TokenBucket),
		requests(5, 60, limiter.LeakyBucket), requests(5, 60, limiter.SessionWindow), tokens(5, 60), aligned, concurrency(5),
	} {
		w := newWorld(t)
		w.pass(time.Second)
		split := w.splitOf(1, rule)
		ticket := w.admit(split.Limits(w.now, "live")...)
		w.pass(24 * time.Hour)
		shared := split.Limits(w.now, "new")
		if shared[0].Counter.Name().Per != "user" || !w.knows(rule, "live") {
			t.Fatalf("%s: a value with an open ticket was pushed out", rule.Strategy)
		}
		w.commit(ticket, limiter.Usage{Input: 1})
		w.spend(limiter.Usage{Input: 1}, split.Limits(w.now, "live")...)
		if split.Limits(w.now, "new"); rule.Meter != limiter.MeterConcurrency && !w.knows(rule, "live") {
			t.Fatalf("%s: a value with a live window was pushed out", rule.Strategy)
		}
		w.pass(62 * time.Second)
		if own := split.Limits(w.now, "new"); own[0].Counter.Name().Per != "user=new" || w.knows(rule, "live") {
			t.Fatalf("%s: a value with nothing left to count stays", rule.Strategy)
		}
	}
}

func TestSplit_FindsAPlaceBehindValuesThatStillCount(t *testing.T) {
	w := newWorld(t)
	rule := requests(5, 3600, limiter.SessionWindow)
	split := w.splitOf(40, rule)
	for i := range 40 {
		ticket := w.admit(split.Limits(w.now, fmt.Sprint(i))...)
		if i == 39 {
			w.cancel(ticket)
		}
	}
	found := 0
	for i := range 6 {
		if split.Limits(w.now, fmt.Sprint("new ", i))[0].Counter.Name().Per != "user" {
			found++
		}
	}
	if found != 1 || w.knows(rule, "39") {
		t.Fatalf("%d new values found a place, want one, that of the value that has nothing to count", found)
	}
}

// TestSplit_LooksAtEightMoreAndAtOthersEachTime has one value with nothing to
// count behind so many that still count. The first search looks at the first
// eight, the second at the eight after them.
func TestSplit_LooksAtEightMoreAndAtOthersEachTime(t *testing.T) {
	for free, want := range map[int]int{7: 1, 8: 2, 15: 2, 16: 3, 23: 3} {
		w := newWorld(t)
		split := w.splitOf(40, requests(5, 3600, limiter.SessionWindow))
		for i := range 40 {
			ticket := w.admit(split.Limits(w.now, fmt.Sprint(i))...)
			if i == free {
				w.cancel(ticket)
			}
		}
		searches := 1
		for split.Limits(w.now, fmt.Sprint("new ", searches))[0].Counter.Name().Per == "user" && searches < 9 {
			searches++
		}
		if searches != want {
			t.Errorf("search %d finds the place of value %d, want search %d", searches, free, want)
		}
	}
}

func TestSplit_BudgetsLeaveOnlyWhenTheyHaveAged(t *testing.T) {
	w := newWorld(t)
	budget := w.budget("owner", 5, limiter.PeriodDay, "Europe/Berlin")
	split := w.registry.Split([]*limiter.Limit{budget}, 1)
	w.spend(limiter.Usage{CostNanos: 5}, split.Limits(w.now, "alice")...)
	if r := w.refuse(split.Limits(w.now, "alice")...); r.ResetAt.Location().String() != "Europe/Berlin" {
		t.Fatalf("alice's budget resets at %s", r.ResetAt)
	}
	w.now.Wall += int64(24 * time.Hour) // a clock that may be wrong
	if l := split.Limits(w.now, "bob"); l[0] != budget {
		t.Fatalf("a budget is given up for %s on the word of a clock", l[0].Counter.Name())
	}
	w.now.Wall -= int64(24 * time.Hour)
	w.refuse(split.Limits(w.now, "alice")...)
	w.pass(49 * time.Hour)
	if l := split.Limits(w.now, "bob"); l[0] == budget {
		t.Fatal("a budget that has aged stays")
	}
}

// TestSplit_NoValueEscapesItsWindow drives more values than there are places
// with random traffic, sweeps and new plans. In no window has a value been
// admitted by its own counter more than the amount, nor all together by the
// shared one.
func TestSplit_NoValueEscapesItsWindow(t *testing.T) {
	t.Parallel()
	const amount, window = 2, 60
	for seed := range seeds() {
		random := rand.New(rand.NewPCG(seed, 3))
		w, plan := newWorld(t), uint64(1)
		split := w.splitBy(plan, 3, requests(amount, window, limiter.SlidingWindow))
		admitted := map[string][]int64{}
		for range 40 {
			w.pass(time.Duration(random.Int64N(int64(20 * time.Second))))
			switch random.IntN(12) {
			case 0:
				w.registry.Sweep(plan, w.now)
			case 1:
				plan++
				split = w.splitBy(plan, 1+random.IntN(3), requests(amount, window, limiter.SlidingWindow))
			}
			limits := split.Limits(w.now, fmt.Sprint(random.IntN(6)))
			if random.IntN(10) == 0 {
				w.registry.Sweep(plan+1, w.now) // forgets what the ticket is about to reserve
			}
			ticket, refusal := w.reserve(limits...)
			if refusal.Refused() {
				continue
			}
			if random.IntN(2) == 0 {
				w.release(ticket)
			}
			counter := limits[0].Counter.Name().Per
			admitted[counter] = append(admitted[counter], w.now.V)
			if n := since(admitted[counter], w.now.V-window*int64(time.Second)); n > amount {
				t.Fatalf("seed %d: counter %s admitted %d of %d in a window", seed, counter, n, amount)
			}
		}
	}
}

func since(log []int64, v int64) (n int) {
	for _, at := range log {
		if at >= v {
			n++
		}
	}
	return n
}

func TestSplit_ValuePushedOutBeforeItsReserveCountsAllTheSame(t *testing.T) {
	w := newWorld(t)
	split := w.splitOf(1, requests(1, 60, limiter.SlidingWindow))
	early := split.Limits(w.now, "alice")
	split.Limits(w.now, "bob") // takes the place of alice, who holds nothing yet
	w.admit(early...)
	w.refuse(early...)
	split.Limits(w.now, "carol")
	w.refuse(split.Limits(w.now, "alice")...)
}

func TestSplit_TellsTheStoreWhoLeft(t *testing.T) {
	for _, strategy := range []limiter.Strategy{
		limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow,
	} {
		w := newWorld(t)
		split := w.splitOf(1, requests(1, 60, strategy))
		w.spend(limiter.Usage{}, split.Limits(w.now, "alice")...)
		name := split.Limits(w.now, "alice")[0].Counter.Name().String()
		w.snapshot()
		w.pass(61 * time.Second)
		split.Limits(w.now, "bob")
		if state, put := w.snapshot()[name]; !put || state != nil {
			t.Errorf("the counter of who left is put: %t, as %v", put, state)
		}
	}
}
