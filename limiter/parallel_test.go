package limiter_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/limiter"
)

func TestReserve_TakesReadingsThatArriveOutOfOrder(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(2)[1:]
	w.admit(limits...)
	w.now.V -= int64(time.Minute)
	w.admit(limits...)
	w.refuse(limits...)
}

// TestSnapshot_TakesReadingsThatArriveOutOfOrder takes a snapshot by a reading
// that is older than the last charge.
func TestSnapshot_TakesReadingsThatArriveOutOfOrder(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(2)[:8]
	w.spend(everything(1), limits...)
	w.now.V -= int64(time.Second)
	next := newWorld(t)
	next.restore(w.snapshot())
	for _, l := range next.oneOfEach(2)[:8] {
		if next.used(l) == 0 {
			t.Errorf("%s is not in the snapshot", l.Counter.Name())
		}
	}
}

func TestReserve_AdmitsExactlyTheAmountToManyGoroutines(t *testing.T) {
	w := newWorld(t)
	limits := []*limiter.Limit{
		w.limit("owner", requests(1000, 60, limiter.SlidingWindow)), w.limit("owner", requests(1500, 60, limiter.TokenBucket)),
		w.limit("owner", concurrency(5)), w.limit("owner", tokens(1<<40, 60)),
	}
	var admitted, committed atomic.Int64
	var inFlight, most atomic.Int64
	run := func() {
		var ticket limiter.Ticket
		for admitted.Load() < 1000 {
			ticket.Reset()
			ticket.Add(limits)
			if r, _ := w.memory.Reserve(context.Background(), w.now, &ticket); r.Refused() {
				runtime.Gosched()
				continue
			}
			admitted.Add(1)
			if n := inFlight.Add(1); n > most.Load() {
				most.Store(n)
			}
			runtime.Gosched()
			inFlight.Add(-1)
			if w.memory.Commit(context.Background(), w.now, limiter.Usage{Input: 3}, &ticket, nil) > 0 {
				committed.Add(1)
			}
		}
	}
	parallel(16, run)
	w.refuse(limits[0])
	w.wantUsed(limits[0], 1000)
	w.wantUsed(limits[2], 0)
	w.wantUsed(limits[3], 3000)
	if admitted.Load() != 1000 || committed.Load() != 1000 || most.Load() > 5 {
		t.Fatalf("%d admitted, %d committed, %d at once; want 1000, 1000 and at most 5", admitted.Load(), committed.Load(), most.Load())
	}
}

func TestCommit_RacesWithCancelAndEndsOnce(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1 << 30)
	for range 200 {
		ticket := w.admit(limits...)
		var numbers atomic.Int64
		parallel(4, func() {
			if w.commit(ticket, limiter.Usage{Input: 1}) > 0 {
				numbers.Add(1)
			}
			w.cancel(ticket)
		})
		if numbers.Load() > 1 {
			t.Fatal("one ticket was committed twice")
		}
	}
	for _, r := range w.readings(limits) {
		if r.InFlight != 0 {
			t.Fatalf("%s is still held by %d tickets", r.Name, r.InFlight)
		}
	}
}

func parallel(n int, run func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(run)
	}
	all.Wait()
}

func TestMemory_AllocatesNothingInItsStride(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1 << 40)
	var ticket limiter.Ticket
	turn := func() {
		w.pass(time.Millisecond)
		ticket.Reset()
		ticket.Add(limits)
		roundTrip(t, w.memory, w.now, limiter.Usage{Input: 1, CostNanos: 1}, &ticket)
	}
	turn()
	if n := testing.AllocsPerRun(1000, turn); n != 0 {
		t.Fatalf("a request allocates %g times", n)
	}
}
