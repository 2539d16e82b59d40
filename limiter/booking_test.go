package limiter_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"relay/limiter"
)

// byMeter is what a limit on each meter books of an estimate of 100 and 30.
var byMeter = map[limiter.Meter]int64{
	limiter.MeterTokens: 130, limiter.MeterInput: 100, limiter.MeterOutput: 30, limiter.MeterReasoning: 30,
	limiter.MeterCacheRead: 100, limiter.MeterCacheCreation: 100,
	limiter.MeterServerToolUseInput: 0, limiter.MeterServerToolUseOutput: 0,
}

func rule(meter limiter.Meter, amount int64, strategy limiter.Strategy) limiter.Rule {
	return limiter.Rule{Meter: meter, Amount: amount, Window: 60, Strategy: strategy}
}

// eachKind runs a test with a limit in a ring and one in aligned windows that
// book tokens, each of which is alone.
func eachKind(t *testing.T, amount int64, test func(*world, *limiter.Limit)) {
	t.Helper()
	for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.Aligned} {
		t.Run(string(strategy), func(t *testing.T) {
			w := newWorld(t)
			test(w, booking(w.limit("owner", rule(limiter.MeterTokens, amount, strategy))))
		})
	}
}

func TestBook_CountsWhatIsEstimatedForTheMeter(t *testing.T) {
	for meter, want := range byMeter {
		for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.Aligned} {
			w := newWorld(t)
			limit := booking(w.limit("owner", rule(meter, 1000, strategy)))
			ticket := w.mustBook(100, 30, limit)
			w.wantUsed(limit, want)
			w.cancel(ticket)
			w.wantUsed(limit, 0)
		}
	}
}

func TestBook_ChangesNothingForRequestsLeasesAndBudgets(t *testing.T) {
	w := newWorld(t)
	limits := []*limiter.Limit{
		w.limit("owner", requests(9, 60, limiter.SlidingWindow)), w.limit("owner", concurrency(9)),
		w.budget("owner", 9, limiter.PeriodDay, ""), w.limit("unbooked", tokens(9, 60)),
	}
	for _, l := range limits[:3] {
		l.Reserve = true
	}
	ticket := w.mustBook(100, 30, limits...)
	for i, want := range []int64{1, 1, 0, 0} {
		w.wantUsed(limits[i], want)
	}
	w.commit(ticket, limiter.Usage{Input: 3, CostNanos: 4, Unknown: true})
	for i, want := range []int64{1, 0, 4, 3} {
		w.wantUsed(limits[i], want)
	}
}

func TestBook_AdmitsWhatTheAmountHoldsWhateverIsSaidOfTheCap(t *testing.T) {
	for _, atCap := range []limiter.AtCap{limiter.AdmitAtCap, limiter.RefuseAtCap} {
		eachKind(t, 100, func(w *world, limit *limiter.Limit) {
			limit.AtCap = atCap
			w.mustBook(50, 10, limit)
			if _, r := w.book(41, 0, limit); r.Limit != limit || r.Used != 60 {
				t.Errorf("41 more than 60 of 100: %+v", r)
			}
			w.wantUsed(limit, 60)
			w.mustBook(0, 40, limit)
			w.wantUsed(limit, 100)
			if _, r := w.book(1, 0, limit); !r.Refused() {
				t.Error("more is admitted than the amount")
			}
			if _, r := w.book(0, 0, limit); r.Refused() != (atCap == limiter.RefuseAtCap) {
				t.Errorf("at the cap, with nothing to book: %+v", r)
			}
		})
	}
}

func TestBook_RefusesASecondWhileTheFirstIsOpenAndAdmitsItAfterItsCorrection(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		first := w.mustBook(100, 800, limit)
		if _, r := w.book(100, 800, limit); !r.Refused() {
			t.Fatal("two bookings of 900 fit in 1000")
		}
		w.commit(first, limiter.Usage{Input: 90, Output: 10})
		w.wantUsed(limit, 100)
		w.mustBook(100, 800, limit)
	})
}

func TestBook_FiveCallsInARowThatAskFor800Of1000AndUse10AllPass(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		for range 5 {
			w.commit(w.mustBook(0, 800, limit), limiter.Usage{Input: 4, Output: 6})
		}
		w.wantUsed(limit, 50)
	})
}

func TestBook_EachLimitOfARequestBooksItsOwnOrNoneDoes(t *testing.T) {
	w := newWorld(t)
	var limits []*limiter.Limit
	for meter := range byMeter {
		limits = append(limits, booking(w.limit("owner", rule(meter, 1000, limiter.SlidingWindow))))
	}
	full := booking(w.limit("full", tokens(120, 60)))
	if _, r := w.book(100, 30, append(limits, full)...); r.Limit != full || w.memory.Dirty() {
		t.Fatalf("refusal is %+v, and something changed: %t", r, w.memory.Dirty())
	}
	ticket := w.mustBook(100, 30, limits...)
	for _, l := range limits {
		w.wantUsed(l, byMeter[l.Counter.Name().Meter])
	}
	w.commit(ticket, limiter.Usage{Input: 1, Output: 2, Reasoning: 1, CacheRead: 4, ServerToolUseInput: 7})
	for _, l := range limits {
		u := limiter.Usage{Input: 1, Output: 2, Reasoning: 1, CacheRead: 4, ServerToolUseInput: 7}
		w.wantUsed(l, u.Of(l.Counter.Name().Meter))
	}
}

// TestBook_WhoWaitsIsAdmittedAndNotAMomentEarlier has a window with bookings
// and usage of several ages.
func TestBook_WhoWaitsIsAdmittedAndNotAMomentEarlier(t *testing.T) {
	for n := int64(31); n <= 100; n += 3 {
		eachKind(t, 100, func(w *world, limit *limiter.Limit) {
			w.pass(3 * time.Second)
			for i := range int64(5) {
				ticket := w.mustBook(10, i, limit)
				w.pass(2300 * time.Millisecond)
				w.commit(ticket, limiter.Usage{Input: 10 + 2*i})
			}
			w.wantUsed(limit, 70)
			_, r := w.book(n, 0, limit)
			w.pass(r.Wait - 1)
			if _, early := w.book(n, 0, limit); early.Wait != 1 {
				t.Errorf("a nanosecond before %s are over a booking of %d: %+v", r.Wait, n, early)
			}
			w.pass(1)
			w.mustBook(n, 0, limit)
		})
	}
}

func TestOversized_NamesTheWidestLimitThatCanNeverHoldTheBooking(t *testing.T) {
	w := newWorld(t)
	team, key, other := source(limiter.ScopeTeam, 0), source(limiter.ScopeKey, 0), source(limiter.ScopeKey, 1)
	limits := []*limiter.Limit{
		w.limitOf(other, "other", tokens(99, 60)), w.limitOf(key, "key", tokens(99, 60)),
		w.limitOf(key, "key", rule(limiter.MeterInput, 9, limiter.Aligned)), w.limitOf(team, "team", tokens(100, 60)),
	}
	for _, l := range limits {
		l.Reserve = true
	}
	for _, c := range []struct {
		input, output int64
		limit         *limiter.Limit
		booking       int64
	}{
		{9, 90, nil, 0}, {0, 99, nil, 0}, {10, 0, limits[2], 10}, {9, 91, limits[1], 100}, {10, 90, limits[1], 100},
		{0, 101, limits[3], 101}, {math.MaxInt64, math.MaxInt64, limits[3], math.MaxInt64},
	} {
		t.Run(fmt.Sprint(c.input, c.output), func(t *testing.T) {
			ticket, r := w.book(c.input, c.output, limits...)
			limit, n := ticket.Oversized()
			if limit != c.limit || n != c.booking {
				t.Errorf("%p is oversized by a booking of %d, want %p and %d", limit, n, c.limit, c.booking)
			}
			if r.Limit != c.limit || c.limit != nil && (r.Wait >= 0 || r.RetryAfter() != 0) {
				t.Errorf("refusal is %+v, want %p and no wait", r, c.limit)
			}
			w.cancel(ticket)
		})
	}
}
