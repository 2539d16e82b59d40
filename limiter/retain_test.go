package limiter_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"relay/limiter"
)

// gone reports how many of the things have left memory.
func gone[T any](things []weak.Pointer[T]) (n int) {
	runtime.GC()
	for _, thing := range things {
		if thing.Value() == nil {
			n++
		}
	}
	return n
}

// TestTicket_ThatWasResetKeepsNoLimitInMemory has tickets that are used again
// and again, as those of a pool are, outlive the plan of their last request.
func TestTicket_ThatWasResetKeepsNoLimitInMemory(t *testing.T) {
	for _, n := range []int{3, 40} {
		w, ticket := newWorld(t), &limiter.Ticket{}
		limits := w.reserveOnce(ticket, n)
		if left := gone(limits); left != n {
			t.Errorf("%d of %d limits stay in memory after a reset", n-left, n)
		}
		runtime.KeepAlive(ticket)
	}
}

// reserveOnce takes the ticket through a request under so many limits, which
// are nowhere else.
func (w *world) reserveOnce(ticket *limiter.Ticket, n int) (limits []weak.Pointer[limiter.Limit]) {
	var list []*limiter.Limit
	for i := range n {
		l := w.limit(fmt.Sprint(i), requests(1, 60, limiter.SlidingWindow))
		list, limits = append(list, l), append(limits, weak.Make(l))
	}
	ticket.Add(list)
	roundTrip(w.t, w.memory, w.now, limiter.Usage{}, ticket)
	ticket.Reset()
	return limits
}

// TestSweep_KeepsNoForgottenCounterInMemory has one counter that stays and
// others that go, too few for lists to shrink.
func TestSweep_KeepsNoForgottenCounterInMemory(t *testing.T) {
	const n = 20
	w := newWorld(t)
	w.registry.Use(9, w.limit("stays", requests(1, 60, limiter.SlidingWindow)).Counter.Name())
	counters := w.chargeEach(n)
	w.snapshot()
	w.pass(2 * time.Minute)
	w.registry.Sweep(9, w.now)
	w.snapshot()
	if left := gone(counters); left != n {
		t.Errorf("%d of %d forgotten counters stay in memory", n-left, n)
	}
	runtime.KeepAlive(w.registry)
}

func (w *world) chargeEach(n int) (counters []weak.Pointer[limiter.Counter]) {
	for i := range n {
		l := w.limit(fmt.Sprint(i), requests(1, 60, limiter.SlidingWindow))
		w.spend(limiter.Usage{}, l)
		counters = append(counters, weak.Make(l.Counter))
	}
	return counters
}
