package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

func TestCommit_TakesTheRestOfABookingOutOfTheSlotInWhichItWasBooked(t *testing.T) {
	w := newWorld(t)
	limit := booking(w.limit("owner", tokens(1000, 60)))
	first := w.mustBook(50, 0, limit)
	w.spend(limiter.Usage{Input: 7}, limit) // in the same slot
	w.pass(10 * time.Second)
	second := w.mustBook(30, 0, limit)
	w.pass(10 * time.Second)
	w.commit(first, limiter.Usage{Input: 20})
	w.wantUsed(limit, 20+7+30)
	w.pass(41*time.Second - 1)
	w.wantUsed(limit, 20+7+30)
	w.pass(1) // the first slot leaves
	w.wantUsed(limit, 30)
	w.commit(second, limiter.Usage{Input: 1})
	w.wantUsed(limit, 1)
	w.pass(10 * time.Second)
	w.wantUsed(limit, 0)
}

func TestCommit_BooksNowWhatWasBookedTooLittle(t *testing.T) {
	w := newWorld(t)
	limit := booking(w.limit("owner", tokens(1000, 60)))
	ticket := w.mustBook(50, 0, limit)
	w.pass(10 * time.Second)
	w.commit(ticket, limiter.Usage{Input: 80})
	w.wantUsed(limit, 80)
	w.pass(51 * time.Second)
	w.wantUsed(limit, 30)
	w.pass(10 * time.Second)
	w.wantUsed(limit, 0)
}

func TestCommit_OfWhatWasBookedChangesNothing(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		ticket := w.mustBook(50, 0, limit)
		w.snapshot()
		w.pass(10 * time.Second)
		w.commit(ticket, limiter.Usage{Input: 50})
		w.wantUsed(limit, 50)
		if w.memory.Dirty() {
			t.Error("the counter changed")
		}
	})
}

// TestCommit_CountsWithAgedBookings ends bookings when their slot or window is
// just there, and when it has just gone, among what others have counted since.
func TestCommit_CountsWithAgedBookings(t *testing.T) {
	lasts := map[limiter.Strategy]time.Duration{limiter.SlidingWindow: 61 * time.Second, limiter.Aligned: time.Minute}
	for used, want := range map[int64][2]int64{0: {3, 3}, 20: {23, 3}, 50: {53, 3}, 70: {73, 23}} {
		for i, early := range []time.Duration{1, 0} {
			eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
				ticket := w.mustBook(50, 0, limit)
				w.pass(lasts[limit.Counter.Name().Strategy] - early)
				w.spend(limiter.Usage{Input: 3}, limit)
				w.commit(ticket, limiter.Usage{Output: used})
				w.wantUsed(limit, want[i])
			})
		}
	}
}

func TestCommit_OfUnknownUsageLeavesABookingThatIsLarger(t *testing.T) {
	for known, want := range map[int64]int64{0: 50, 20: 50, 50: 50, 70: 70} {
		eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
			ticket := w.mustBook(20, 30, limit)
			w.pass(time.Second)
			w.commit(ticket, limiter.Usage{Input: known, Unknown: true})
			w.wantUsed(limit, want)
		})
	}
}

func TestEnd_TakesABookingBackUnlessItIsKept(t *testing.T) {
	type end = func(*world, *limiter.Ticket)
	keep := func(_ *world, t *limiter.Ticket) { t.Keep() }
	commit := func(w *world, t *limiter.Ticket) { w.commit(t, limiter.Usage{Input: 1}) }
	for name, c := range map[string]struct {
		ends []end
		want int64
	}{
		"cancel":             {[]end{(*world).cancel}, 0},
		"release":            {[]end{(*world).release}, 0},
		"keep, release":      {[]end{keep, (*world).release}, 50},
		"keep, cancel":       {[]end{keep, (*world).cancel}, 0},
		"keep, commit":       {[]end{keep, commit}, 1},
		"release, cancel":    {[]end{(*world).release, (*world).cancel}, 0},
		"cancel, commit":     {[]end{(*world).cancel, commit}, 0},
		"commit, release":    {[]end{commit, (*world).release}, 1},
		"commit, cancel":     {[]end{commit, (*world).cancel}, 1},
		"keep, release both": {[]end{keep, (*world).release, (*world).release, commit}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
				w.spend(limiter.Usage{Input: 5}, limit)
				ticket := w.mustBook(20, 30, limit)
				w.pass(time.Second)
				for _, end := range c.ends {
					end(w, ticket)
				}
				w.wantUsed(limit, 5+c.want)
			})
		})
	}
}

// TestCancel_TakesNoMoreThanIsThere has a sweep whose clock runs ahead, so that
// a counter is forgotten with a booking open.
func TestCancel_TakesNoMoreThanIsThere(t *testing.T) {
	for _, others := range []int64{0, 3} {
		eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
			ticket := w.mustBook(50, 0, limit)
			ahead := w.now
			ahead.V += int64(time.Hour)
			w.registry.Sweep(1, ahead)
			w.spend(limiter.Usage{Input: others}, limit)
			w.cancel(ticket)
			w.wantUsed(limit, 0)
			w.spend(limiter.Usage{Input: 9}, limit)
			w.wantUsed(limit, 9)
		})
	}
}

func TestCancel_AfterABookingHasAgedOutTakesNothingOfOthers(t *testing.T) {
	for _, passes := range []time.Duration{61 * time.Second, 3 * time.Minute} {
		eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
			ticket := w.mustBook(50, 0, limit)
			w.pass(passes)
			w.registry.Sweep(9, w.now) // forgets what has been idle
			w.spend(limiter.Usage{Input: 60}, limit)
			w.cancel(ticket)
			w.wantUsed(limit, 60)
		})
	}
}
