package limiter_test

import (
	"testing"

	"relay/limiter"
)

func TestJoin_ACommitEndsBothTicketsUnderOneNumber(t *testing.T) {
	w := newWorld(t)
	caller, model := w.limit("key", tokens(100, 60)), w.limit("model", tokens(100, 60))
	lease := w.limit("model", concurrency(1))
	one, two := w.admit(caller), w.admit(model, lease)
	one.Join(two)
	if n := w.commit(one, limiter.Usage{Input: 7}); n != 1 {
		t.Errorf("number %d", n)
	}
	if n := w.commit(two, limiter.Usage{Input: 9}); n != 0 {
		t.Errorf("number %d for a ticket that has ended", n)
	}
	w.wantUsed(caller, 7)
	w.wantUsed(model, 7)
	w.wantUsed(lease, 0)
	if n := w.commit(w.admit(caller), limiter.Usage{}); n != 2 {
		t.Errorf("the next number is %d", n)
	}
}

func TestJoin_ACommitPassesOverATicketThatHasEnded(t *testing.T) {
	w := newWorld(t)
	caller, model := w.limit("key", tokens(100, 60)), w.limit("model", tokens(100, 60))
	one, two := w.admit(caller), w.admit(model)
	one.Join(two)
	w.cancel(two)
	w.commit(one, limiter.Usage{Input: 7})
	w.wantUsed(caller, 7)
	w.wantUsed(model, 0)
}

func TestJoin_ReleaseAndCancelLeaveTheOtherAlone(t *testing.T) {
	for name, end := range map[string]func(*world, *limiter.Ticket){"release": (*world).release, "cancel": (*world).cancel} {
		w := newWorld(t)
		lease := w.limit("model", concurrency(1))
		one, two := w.admit(w.limit("key", concurrency(5))), w.admit(lease)
		one.Join(two)
		end(w, one)
		if got := w.used(lease); got != 1 {
			t.Errorf("%s: the other's lease stands at %d", name, got)
		}
		one.Reset()
		w.release(two)
		w.wantUsed(lease, 0)
	}
}

func TestJoin_IsForgottenByReset(t *testing.T) {
	w := newWorld(t)
	caller, model := w.limit("key", tokens(100, 60)), w.limit("model", tokens(100, 60))
	one, two := w.admit(caller), w.admit(model)
	one.Join(two)
	w.release(one)
	one.Reset()
	one.Add([]*limiter.Limit{caller})
	if r, _ := w.memory.Reserve(t.Context(), w.now, one); r.Refused() {
		t.Fatalf("%+v", r)
	}
	w.commit(one, limiter.Usage{Input: 7})
	w.wantUsed(model, 0)
	w.release(two)
}
