package limitertest_test

import (
	"context"
	"testing"
	"time"

	"relay/limiter"
)

// TestBroken_FindsEveryFaultOfBookings has a limiter with each fault by which
// limits that are charged before the call run dry or run over.
func TestBroken_FindsEveryFaultOfBookings(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		fault faulty
		finds string // words of a promise
	}{
		"books nothing": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			t.Estimate(0, 0)
			return f.try(now, t)
		}}, "bookings and what was used"},
		"books half": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			t.Estimate(1, 0)
			return f.try(now, t)
		}}, "goroutines book no more"},
		"never gives back what was booked too much": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, two *limiter.Ticket) uint64 {
			u.Unknown = true
			return f.Limiter.Commit(ctx, now, u, one, two)
		}}, "a booking is corrected once"},
		"takes usage that is not known for none": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, two *limiter.Ticket) uint64 {
			u.Unknown = false
			return f.Limiter.Commit(ctx, now, u, one, two)
		}}, "bookings and what was used"},
		"keeps the booking of every attempt that failed": {faulty{release: func(f *faulty, now limiter.Instant, t *limiter.Ticket) {
			f.Limiter.Commit(ctx, now, limiter.Usage{Unknown: true}, t, nil)
		}}, "a booking is corrected once"},
		"takes every booking back late, where it no longer is": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, two *limiter.Ticket) uint64 {
			now.V += int64(time.Minute)
			return f.Limiter.Commit(ctx, now, u, one, two)
		}}, "a booking is corrected once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.fault.isFound(t, c.finds)
		})
	}
}
