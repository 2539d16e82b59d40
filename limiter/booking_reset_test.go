package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

// TestReset_TakesBookingsAway resets a counter while a booking is open, lets
// others count in the same slot, and ends the booking.
func TestReset_TakesBookingsAway(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*world, *limiter.Ticket)
		adds int64
	}{
		"cancel":  {(*world).cancel, 0},
		"release": {(*world).release, 0},
		"commit of less": {func(w *world, t *limiter.Ticket) {
			w.commit(t, limiter.Usage{Input: 20})
		}, 20},
		"commit of more": {func(w *world, t *limiter.Ticket) {
			w.commit(t, limiter.Usage{Input: 70})
		}, 70},
		"commit of unknown usage": {func(w *world, t *limiter.Ticket) {
			w.commit(t, limiter.Usage{Input: 20, Unknown: true})
		}, 50},
		"release that keeps it": {func(w *world, t *limiter.Ticket) {
			t.Keep()
			w.release(t)
		}, 50},
	} {
		for _, passes := range []time.Duration{0, time.Second, 2 * time.Minute} {
			t.Run(name+" "+passes.String(), func(t *testing.T) {
				eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
					before := w.mustBook(20, 30, limit)
					w.reset(limit)
					w.wantUsed(limit, 0)
					after := w.mustBook(100, 0, limit)
					w.pass(passes)
					w.spend(limiter.Usage{Input: 5}, limit)
					stood := w.used(limit)
					c.end(w, before)
					w.wantUsed(limit, stood+c.adds)
					w.pass(time.Hour)
					w.commit(after, limiter.Usage{})
					w.wantUsed(limit, 0)
				})
			})
		}
	}
}

func TestReset_LeavesBookingsThatComeAfterIt(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		w.reset(limit)
		w.reset(limit)
		ticket := w.mustBook(50, 0, limit)
		other := booking(w.limit("other", tokens(9, 60)))
		w.reset(other)
		w.commit(ticket, limiter.Usage{Input: 20})
		w.wantUsed(limit, 20)
	})
}

// TestReset_LetsNoCancelTakeWhatOthersCounted cancels a request from before a
// reset after another one has come.
func TestReset_LetsNoCancelTakeWhatOthersCounted(t *testing.T) {
	for _, strategy := range []limiter.Strategy{limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow} {
		w := newWorld(t)
		limit := w.limit("owner", requests(5, 60, strategy))
		before := w.admit(limit)
		w.reset(limit)
		after := w.admit(limit)
		w.cancel(before)
		w.wantUsed(limit, 1)
		w.cancel(after)
		w.wantUsed(limit, 0)
	}
}
