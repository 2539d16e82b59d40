package limiter_test

import (
	"math"
	"testing"
	"time"

	"relay/limiter"
)

func TestTicket_SaysWhichEstimatesItsLimitsBook(t *testing.T) {
	w := newWorld(t)
	ticket := &limiter.Ticket{}
	if input, output := ticket.Books(); input || output {
		t.Error("a ticket without limits books something")
	}
	for meter, n := range byMeter {
		limit := w.limit("owner", rule(meter, 1000, limiter.SlidingWindow))
		ticket.Add([]*limiter.Limit{limit})
		if input, output := ticket.Books(); input || output {
			t.Errorf("%s without Reserve books", meter)
		}
		ticket.Reset()
		ticket.Add([]*limiter.Limit{booking(limit)})
		if input, output := ticket.Books(); input != (n >= 100) || output != (n == 130 || n == 30) {
			t.Errorf("%s books of input %t, of output %t", meter, input, output)
		}
		ticket.Reset()
	}
	both := []*limiter.Limit{
		booking(w.limit("owner", requests(9, 60, limiter.SlidingWindow))), booking(w.limit("owner", concurrency(9))),
		booking(w.budget("owner", 9, limiter.PeriodDay, "")),
	}
	ticket.Add(both)
	if input, output := ticket.Books(); input || output || ticket.Len() != 3 {
		t.Errorf("requests, leases and cost book of input %t, of output %t; %d limits", input, output, ticket.Len())
	}
}

func TestEstimate_StopsAtTheTopAndTakesNegativeForNothing(t *testing.T) {
	for _, c := range []struct{ input, output, books int64 }{
		{-5, 30, 30}, {100, -5, 100}, {-5, -5, 0}, {math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, math.MaxInt64, math.MaxInt64},
	} {
		eachKind(t, math.MaxInt64, func(w *world, limit *limiter.Limit) {
			ticket := w.mustBook(c.input, c.output, limit)
			w.wantUsed(limit, c.books)
			w.commit(ticket, limiter.Usage{Input: 2})
			w.wantUsed(limit, 2)
		})
	}
}

func TestEstimate_HoldsForOneReservationUntilTheTicketIsReset(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		ticket := w.mustBook(20, 30, limit)
		ticket.Keep()
		w.release(ticket)
		w.wantUsed(limit, 50)
		reserve := func() {
			if r, _ := w.memory.Reserve(t.Context(), w.now, ticket); r.Refused() {
				t.Fatalf("refused: %+v", r)
			}
		}
		reserve()
		w.wantUsed(limit, 100)
		w.release(ticket) // which nobody said to keep
		w.wantUsed(limit, 50)
		ticket.Reset()
		ticket.Add([]*limiter.Limit{limit})
		reserve()
		w.wantUsed(limit, 50)
		w.commit(ticket, limiter.Usage{Input: 1})
		w.wantUsed(limit, 51)
	})
}

func TestEstimate_OfAReservedTicketPanics(t *testing.T) {
	w := newWorld(t)
	ticket := w.mustBook(20, 30, booking(w.limit("owner", tokens(1000, 60))))
	defer func() {
		if recover() == nil {
			t.Error("the estimate of what is booked was changed")
		}
	}()
	ticket.Estimate(1, 1)
}

func TestBook_OverMoreLimitsThanATicketHoldsInline(t *testing.T) {
	w := newWorld(t)
	var limits []*limiter.Limit
	for i := range int64(50) {
		limits = append(limits, booking(w.limit("owner", tokens(1000, i+1))))
	}
	ticket := w.mustBook(20, 30, append(limits, limits...)...)
	for _, l := range limits {
		w.wantUsed(l, 50)
	}
	w.commit(ticket, limiter.Usage{Output: 1})
	for _, l := range limits {
		w.wantUsed(l, 1)
		if r := w.memory.Read(w.now, l.Counter); r.InFlight != 0 {
			t.Errorf("%s is held by %d tickets", r.Name, r.InFlight)
		}
	}
}

// TestBook_BooksACounterOnceThatItReachesTwice has the same counter under a
// limit that books and one that does not, in both orders.
func TestBook_BooksACounterOnceThatItReachesTwice(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		plain := *limit
		plain.Reserve, plain.Amount = false, 60
		for i, order := range [][]*limiter.Limit{{limit, &plain, limit}, {&plain, limit, limit}, {limit, limit}} {
			w.pass(5 * time.Minute)
			ticket := w.mustBook(20, 30, order...)
			w.wantUsed(limit, 50)
			w.commit(ticket, limiter.Usage{Input: 7})
			w.wantUsed(limit, 7)
			if r := w.memory.Read(w.now, limit.Counter); r.InFlight != 0 {
				t.Errorf("order %d: the counter is held by %d tickets", i, r.InFlight)
			}
		}
	})
}
