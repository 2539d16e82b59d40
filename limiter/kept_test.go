package limiter_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relay/limiter"
)

func TestStamp_NumbersWhatARestartWouldForget(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(2)
	lease := limits[len(limits)-1]
	var last uint64
	for i, l := range append(limits[:len(limits)-1:len(limits)-1], limits[1]) {
		ticket := w.admit(l, lease)
		if ticket.Stamp() <= last {
			t.Fatalf("reserve %d over %s has stamp %d after %d", i, l.Counter.Name(), ticket.Stamp(), last)
		}
		last = ticket.Stamp()
		w.commit(ticket, limiter.Usage{})
	}
	ticket := w.admit(lease)
	if ticket.Stamp() != 0 {
		t.Error("a lease alone has a stamp, and no restart keeps it")
	}
	w.commit(ticket, limiter.Usage{})
	ticket.Reset()
	ticket.Add(limits[1:2])
	if r, _ := w.memory.Reserve(t.Context(), w.now, ticket); !r.Refused() || ticket.Stamp() != 0 {
		t.Errorf("a refused reserve has stamp %d", ticket.Stamp())
	}
	if w.admit().Stamp() != 0 {
		t.Error("a ticket without limits has a stamp")
	}
}

// TestAwaitKept_ReturnsWithTheSnapshotThatHoldsTheReserve follows requests and
// the writer step by step.
func TestAwaitKept_ReturnsWithTheSnapshotThatHoldsTheReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("owner", requests(9, 60, limiter.SlidingWindow))
		snapshot := func() { w.memory.Snapshot(w.now, func(string, []byte) {}) }
		var through atomic.Int64
		wait := func(n int64) {
			stamp := w.admit(limit).Stamp()
			go func() {
				if err := w.memory.AwaitKept(t.Context(), stamp); err != nil {
					t.Error(err)
				}
				through.Add(n)
			}()
			synctest.Wait()
		}
		want := func(n int64, when string) {
			t.Helper()
			synctest.Wait()
			if got := through.Load(); got != n {
				t.Fatalf("%s: %b wait no more, want %b", when, got, n)
			}
		}
		wait(1)
		want(0, "before a snapshot")
		w.memory.Kept()
		want(0, "nothing has been put yet")
		snapshot()
		wait(2)
		want(0, "the snapshot is on its way")
		w.memory.Kept()
		want(1, "the first snapshot is on disk")
		snapshot() // and cannot be written
		wait(4)
		snapshot()
		w.memory.Kept()
		want(7, "a later snapshot is on disk with what the failed one put")
		if err := w.memory.AwaitKept(t.Context(), w.admit().Stamp()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAwaitKept_GivesUpWithItsContext(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ticket := w.admit(w.limit("owner", requests(9, 60, limiter.SlidingWindow)))
	cancel(nil)
	if err := w.memory.AwaitKept(ctx, ticket.Stamp()); !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v, want that of the context", err)
	}
	if err := w.memory.AwaitKept(ctx, 0); err != nil {
		t.Fatalf("waiting for nothing fails: %v", err)
	}
}

func TestWanted_ReceivesOnceForAllThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("owner", requests(99, 60, limiter.SlidingWindow))
		wait := func() {
			stamp := w.admit(limit).Stamp()
			go func() { _ = w.memory.AwaitKept(t.Context(), stamp) }()
			synctest.Wait()
		}
		for range 5 {
			wait()
		}
		<-w.memory.Wanted()
		select {
		case <-w.memory.Wanted():
			t.Fatal("five that wait are told twice")
		default:
		}
		w.memory.Snapshot(w.now, func(string, []byte) {})
		wait() // while the snapshot is being written
		w.memory.Kept()
		<-w.memory.Wanted()
		w.memory.Snapshot(w.now, func(string, []byte) {})
		w.memory.Kept()
	})
}

// TestNeverOver_HoldsOverACrash lets callers reserve, wait for the disk and
// then reach an upstream, while a writer stores snapshots slowly and sometimes
// fails, and the process dies at a random moment. What reached the upstream
// before and after the crash is never more than the amount, and the budget has
// counted all that was spent before whoever reached it.
func TestNeverOver_HoldsOverACrash(t *testing.T) {
	for seed := range seeds() / 20 {
		synctest.Test(t, func(t *testing.T) {
			const amount = 12
			before := runUntilCrash(t, seed, disk{}, amount)
			after := runUntilCrash(t, seed+1<<32, before.disk, amount)
			if n := before.reached + after.reached; n > amount {
				t.Fatalf("seed %d: %d of %d reached the upstream over a crash", seed, n, amount)
			}
			if after.spent < before.certain {
				t.Fatalf("seed %d: the budget stands at %d after the crash, and requests reached the upstream on %d", seed, after.spent, before.certain)
			}
		})
	}
}

// life is one process from start to crash.
type life struct {
	disk    disk
	reached int64 // the upstream
	spent   int64 // as the budget began
	certain int64 // the most spending that a request found before it reached the upstream
}

func runUntilCrash(t *testing.T, seed uint64, d disk, amount int64) life {
	w := newWorld(t)
	w.restore(d)
	limits := []*limiter.Limit{
		w.limit("owner", requests(amount, 86400, limiter.SlidingWindow)), w.budget("owner", 1<<40, limiter.PeriodTotal, ""),
	}
	l := life{disk: d, spent: w.used(limits[1])}
	ctx, crash := context.WithTimeout(t.Context(), time.Duration(50+seed%400)*time.Millisecond)
	defer crash()
	var reached, certain atomic.Int64
	for n := range uint64(6) {
		go func() {
			random := rand.New(rand.NewPCG(seed, n))
			for ctx.Err() == nil {
				callOnce(ctx, w, limits, random, &reached, &certain)
			}
		}()
	}
	l.disk = write(ctx, w, d, rand.New(rand.NewPCG(seed, 99)))
	synctest.Wait()
	l.reached, l.certain = reached.Load(), certain.Load()
	return l
}

func callOnce(ctx context.Context, w *world, limits []*limiter.Limit, random *rand.Rand, reached, certain *atomic.Int64) {
	pass(ctx, time.Duration(random.IntN(30))*time.Millisecond)
	ticket := &limiter.Ticket{}
	ticket.Add(limits)
	spent := w.used(limits[1])
	if r, _ := w.memory.Reserve(ctx, w.now, ticket); r.Refused() {
		<-ctx.Done()
		return
	}
	if w.memory.AwaitKept(ctx, ticket.Stamp()) != nil || ctx.Err() != nil {
		return
	}
	reached.Add(1)
	if before := certain.Load(); spent > before {
		certain.CompareAndSwap(before, spent)
	}
	w.memory.Commit(ctx, w.now, limiter.Usage{CostNanos: 1 + random.Int64N(5)}, ticket, nil)
}

// write stores snapshots until the crash. One that is under way then may be
// stored or not.
func write(ctx context.Context, w *world, d disk, random *rand.Rand) disk {
	pending := disk{}
	for {
		select {
		case <-ctx.Done():
			return d
		case <-w.memory.Wanted():
		case <-time.After(20 * time.Millisecond):
		}
		w.memory.Snapshot(w.now, func(name string, state []byte) { pending[name] = state })
		pass(ctx, time.Duration(1+random.IntN(10))*time.Millisecond)
		if random.IntN(4) == 0 || ctx.Err() != nil && random.IntN(2) == 0 {
			continue // the write failed
		}
		maps.Copy(d, pending)
		clear(pending)
		if ctx.Err() == nil {
			w.memory.Kept()
		}
	}
}

// pass lets virtual time pass, up to the crash.
func pass(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
