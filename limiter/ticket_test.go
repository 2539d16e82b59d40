package limiter_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"relay/limiter"
)

func TestReserve_ChargesACounterOnceThatItReachesTwice(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(9)
	tighter := *limits[1]
	tighter.Amount = 1
	ticket := w.admit(append(append(limits, limits...), &tighter)...)
	w.commit(ticket, limiter.Usage{Input: 1, CostNanos: 1})
	for _, l := range limits[:8] {
		w.wantUsed(l, 1)
	}
	w.wantUsed(limits[8], 0)
	w.refuse(append(limits, &tighter)...)
}

func TestReserve_TakesMoreLimitsThanATicketHoldsInline(t *testing.T) {
	for _, n := range []int{31, 32, 33, 34, 100} {
		w := newWorld(t)
		var limits []*limiter.Limit
		for i := range n {
			rule := requests(1, int64(i+1), limiter.SessionWindow)
			limits = append(limits, w.limit("owner", rule))
		}
		twice := slices.Insert(slices.Clone(limits), n/2, limits[0], limits[n/3])
		for _, list := range [][]*limiter.Limit{limits, twice} {
			ticket := w.admit(list...)
			w.wantEach(limits, 1)
			w.cancel(ticket)
			w.wantEach(limits, 0)
			ticket.Reset()
			ticket.Add(limits[:1])
			_, _ = w.memory.Reserve(context.Background(), w.now, ticket)
			w.wantEach(limits[:1], 1)
			w.wantEach(limits[1:], 0)
			w.cancel(ticket)
		}
	}
}

// wantEach expects session windows that hold, and are held by, so many.
func (w *world) wantEach(limits []*limiter.Limit, want int64) {
	w.t.Helper()
	for _, l := range limits {
		if r := w.memory.Read(w.now, l.Counter); r.Used != want || r.InFlight != want {
			w.t.Fatalf("one of %d limits stands at %d and is held by %d tickets, want %d", len(limits), r.Used, r.InFlight, want)
		}
	}
}

func TestCancel_GivesBackWhatTheStrategySays(t *testing.T) {
	back := map[limiter.Strategy]int64{
		limiter.SlidingWindow: 1, limiter.FixedWindow: 1, limiter.Aligned: 1,
		limiter.TokenBucket: 0, limiter.LeakyBucket: 0, limiter.SessionWindow: 0,
	}
	for strategy, want := range back {
		w := newWorld(t)
		limit := w.limit("owner", requests(5, 60, strategy))
		w.cancel(w.admit(limit))
		w.wantUsed(limit, want)
	}
}

func TestCancel_LeavesALaterSessionAlone(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(5, 60, limiter.SessionWindow))
	old := w.admit(limit)
	w.pass(61 * time.Second)
	w.admit(limit)
	w.cancel(old)
	w.wantUsed(limit, 1)
}

// TestTickets_EndOnce ends one ticket by every pair of ways: the gauge is zero
// after the first, and the second changes nothing.
func TestTickets_EndOnce(t *testing.T) {
	ways := map[string]func(*world, *limiter.Ticket){
		"commit":  func(w *world, t *limiter.Ticket) { w.commit(t, limiter.Usage{Input: 1, CostNanos: 1}) },
		"release": (*world).release,
		"cancel":  (*world).cancel,
		"commit as upstream": func(w *world, t *limiter.Ticket) {
			w.memory.Commit(context.Background(), w.now, limiter.Usage{Input: 1, CostNanos: 1}, nil, t)
		},
	}
	for first, one := range ways {
		for second, two := range ways {
			w := newWorld(t)
			limits := w.oneOfEach(5)
			w.admit(limits[:8]...)
			ticket := w.admit(limits...)
			w.wantUsed(limits[8], 1)
			one(w, ticket)
			w.wantUsed(limits[8], 0)
			before := w.readings(limits)
			two(w, ticket)
			if after := w.readings(limits); !slices.Equal(after, before) {
				t.Errorf("%s after %s left %+v, want %+v", second, first, after, before)
			}
		}
	}
}

func TestReserve_ChargesAReservedTicketNoFurther(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1)
	ticket := w.admit(limits...)
	if r, _ := w.memory.Reserve(context.Background(), w.now, ticket); r.Refused() {
		t.Fatal("a reserved ticket was refused")
	}
	w.wantUsed(limits[1], 1)
	w.commit(ticket, limiter.Usage{})
	w.wantUsed(limits[8], 0)
}

func TestRelease_ChargesNothingMore(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)
	w.release(w.admit(limits...))
	for i, want := range []int64{0, 1, 1, 1, 1, 1, 0, 0, 0} {
		w.wantUsed(limits[i], want)
	}
}

func TestCommit_NumbersFromOneWithoutGaps(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(100, 60, limiter.SlidingWindow))
	one, upstream, two, empty := w.admit(limit), w.admit(limit), w.admit(limit), w.admit()
	w.cancel(w.admit(limit))
	w.release(w.admit(limit))
	ctx := context.Background()
	got := []uint64{
		w.memory.Commit(ctx, w.now, limiter.Usage{}, one, upstream),
		w.memory.Commit(ctx, w.now, limiter.Usage{}, one, upstream),
		w.memory.Commit(ctx, w.now, limiter.Usage{}, nil, two),
		w.memory.Commit(ctx, w.now, limiter.Usage{}, empty, nil),
		w.memory.Commit(ctx, w.now, limiter.Usage{}, nil, nil),
		w.memory.Commit(ctx, w.now, limiter.Usage{}, &limiter.Ticket{}, nil),
	}
	if want := []uint64{1, 0, 2, 3, 0, 0}; !slices.Equal(got, want) {
		t.Fatalf("numbers are %v, want %v", got, want)
	}
}

func TestCommit_ChargesBothSides(t *testing.T) {
	w := newWorld(t)
	caller, upstream := w.limit("key", tokens(100, 60)), w.limit("host key", tokens(100, 60))
	one, two := w.admit(caller), w.admit(upstream)
	w.memory.Commit(context.Background(), w.now, limiter.Usage{Input: 7}, one, two)
	w.wantUsed(caller, 7)
	w.wantUsed(upstream, 7)
}

// TestTicket_SaysWhatItsLastReserveFound reserves one ticket over and over.
func TestTicket_SaysWhatItsLastReserveFound(t *testing.T) {
	w := newWorld(t)
	budget, once := w.budget("owner", 10, limiter.PeriodDay, ""), w.limit("owner", requests(2, 172_800, limiter.SlidingWindow))
	budget.Warn = true
	w.spend(limiter.Usage{CostNanos: 10}, budget)
	ticket := w.admit(budget, once)
	if ticket.Warned() != budget || ticket.Stamp() == 0 {
		t.Fatalf("%v warns, and the stamp is %d", ticket.Warned(), ticket.Stamp())
	}
	w.release(ticket)
	w.pass(12 * time.Hour)
	for i, refused := range []bool{false, true} {
		r, _ := w.memory.Reserve(context.Background(), w.now, ticket)
		if r.Refused() != refused || ticket.Warned() != nil || (ticket.Stamp() == 0) != refused {
			t.Errorf("reserve %d on the next day: %+v, %v warns, and the stamp is %d", i, r, ticket.Warned(), ticket.Stamp())
		}
		w.release(ticket)
	}
	w.pass(48 * time.Hour)
	if r, _ := w.memory.Reserve(context.Background(), w.now, ticket); r.Refused() || ticket.Stamp() == 0 {
		t.Fatalf("two days later: %+v, and the stamp is %d", r, ticket.Stamp())
	}
	w.release(ticket)
	ticket.Reset()
	if ticket.Warned() != nil || ticket.Stamp() != 0 {
		t.Errorf("after a reset %v warns, and the stamp is %d", ticket.Warned(), ticket.Stamp())
	}
}

func TestTicket_RefusesToLoseAReservation(t *testing.T) {
	w := newWorld(t)
	ticket := w.admit(w.oneOfEach(5)...)
	for name, misuse := range map[string]func(){
		"Reset": ticket.Reset,
		"Add":   func() { ticket.Add(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s on a reserved ticket passed", name)
				}
			}()
			misuse()
		}()
	}
	w.cancel(ticket)
	ticket.Reset()
}
