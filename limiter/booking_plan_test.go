package limiter_test

import (
	"context"
	"testing"
	"time"

	"relay/limiter"
)

func TestEdit_OfReserveCountsOnWhileBookingsAreOpen(t *testing.T) {
	eachKind(t, 100, func(w *world, booked *limiter.Limit) {
		plain := *booked
		plain.Reserve = false
		old := w.mustBook(60, 0, booked)
		w.mustBook(1000, 1000, &plain) // books nothing, and 60 is not over 100
		w.wantUsed(booked, 60)
		present := w.admit(&plain)
		w.commit(present, limiter.Usage{Input: 50})
		w.refuse(&plain)
		w.commit(old, limiter.Usage{Input: 10})
		w.wantUsed(booked, 60)
		w.admit(&plain)
		w.commit(w.mustBook(40, 0, booked), limiter.Usage{Input: 1})
		w.wantUsed(booked, 61)
	})
}

func TestBook_OfARequestUnderAnOldPlanCountsWithEverybodyElse(t *testing.T) {
	w := newWorld(t)
	old := booking(w.limit("owner", tokens(100, 60)))
	w.registry.Sweep(2, w.now) // forgets the counter
	ticket := w.mustBook(20, 30, old)
	present := booking(w.limit("owner", tokens(100, 60)))
	w.wantUsed(present, 50)
	w.commit(ticket, limiter.Usage{Input: 7})
	w.wantUsed(present, 7)
}

func TestSplit_BooksForTheValueAlone(t *testing.T) {
	w := newWorld(t)
	split := w.registry.Split([]*limiter.Limit{booking(w.limit("owner", tokens(100, 60)))}, 0)
	alice, bob := split.Limits(w.now, "alice"), split.Limits(w.now, "bob")
	ticket := w.mustBook(60, 0, alice...)
	if _, r := w.book(60, 0, alice...); !r.Refused() {
		t.Error("alice books 120 of 100")
	}
	w.mustBook(60, 0, bob...)
	w.commit(ticket, limiter.Usage{Input: 1})
	w.wantUsed(alice[0], 1)
	w.wantUsed(bob[0], 60)
}

func TestJoin_EachTicketCorrectsWhatItBooked(t *testing.T) {
	eachKind(t, 1000, func(w *world, caller *limiter.Limit) {
		model, upstream := booking(w.limit("model", tokens(1000, 60))), booking(w.limit("host key", tokens(1000, 60)))
		one, two, three := w.mustBook(50, 0, caller), w.mustBook(20, 0, model), w.mustBook(5, 0, upstream)
		one.Join(two)
		w.pass(time.Second)
		w.memory.Commit(context.Background(), w.now, limiter.Usage{Input: 10}, one, three)
		w.wantUsed(caller, 10)
		w.wantUsed(model, 10)
		w.wantUsed(upstream, 10)
	})
}

func TestSnapshot_HoldsBookingsAndTheirCorrection(t *testing.T) {
	eachKind(t, 1000, func(w *world, limit *limiter.Limit) {
		kept := disk{}
		restored := func() int64 {
			kept.snapshot(w.memory, w.now)
			next := kept.restart(t, w.now)
			return next.Read(w.now, next.Registry.Use(1, limit.Counter.Name())).Used
		}
		first, second := w.mustBook(50, 0, limit), w.mustBook(7, 0, limit)
		if n := restored(); n != 57 {
			t.Errorf("a restart finds %d, want both bookings", n)
		}
		w.pass(time.Second)
		w.commit(first, limiter.Usage{Input: 3})
		if n := restored(); n != 10 {
			t.Errorf("a restart finds %d, want what was used and the other booking", n)
		}
		w.cancel(second)
		if n := restored(); n != 3 {
			t.Errorf("a restart finds %d, want what was used", n)
		}
	})
}

func TestStamp_NumbersBookings(t *testing.T) {
	w := newWorld(t)
	limit := booking(w.limit("owner", tokens(1000, 60)))
	ticket := w.mustBook(50, 0, limit)
	if ticket.Stamp() == 0 || !w.memory.Dirty() {
		t.Fatalf("a booking has the stamp %d, and is to be stored: %t", ticket.Stamp(), w.memory.Dirty())
	}
	kept := disk{}
	kept.snapshot(w.memory, w.now)
	w.memory.Kept()
	if err := w.memory.AwaitKept(t.Context(), ticket.Stamp()); err != nil {
		t.Fatal(err)
	}
	next := kept.restart(t, w.now)
	if n := next.Read(w.now, next.Registry.Use(1, limit.Counter.Name())).Used; n != 50 {
		t.Errorf("a crash leaves %d of a booking of 50 that was waited for", n)
	}
}

func TestJudge_KnowsNoEstimate(t *testing.T) {
	w := newWorld(t)
	limit := booking(w.limit("owner", tokens(100, 60)))
	w.mustBook(100, 0, limit)
	if r := w.memory.Judge(w.now, []*limiter.Limit{limit}); r.Refused() {
		t.Errorf("judged %+v at the amount", r)
	}
	limit.AtCap = limiter.RefuseAtCap
	if r := w.memory.Judge(w.now, []*limiter.Limit{limit}); r.Limit != limit || r.Used != 100 {
		t.Errorf("judged %+v at the amount, which is to be refused", r)
	}
}

func TestReady_MemoryAlwaysIs(t *testing.T) {
	if err := newWorld(t).memory.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
