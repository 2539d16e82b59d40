package limiter_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"relay/limiter"
	"relay/limiter/limitertest"
)

// TestBook_HoldsTheAmountAgainstManyGoroutines has callers of every age and way
// to end, who use no more than they book, and readers, resets and sweeps beside
// them: nobody ever sees a counter above its amount or below zero, and what is
// left in the end is what was used.
func TestBook_HoldsTheAmountAgainstManyGoroutines(t *testing.T) {
	const amount, books = 1000, 90
	w := newWorld(t)
	limits := []*limiter.Limit{
		booking(w.limit("owner", tokens(amount, 60))), booking(w.limit("owner", aligned(amount, 60))),
		booking(w.limit("owner", rule(limiter.MeterOutput, amount, limiter.SlidingWindow))),
	}
	apart := booking(w.limit("reset", tokens(amount, 60)))
	var used, odd atomic.Int64
	var seed atomic.Uint64
	parallel(12, func() {
		random := rand.New(rand.NewPCG(seed.Add(1), 3))
		ctx := context.Background()
		for range 300 {
			ticket, r := w.book(0, books, append(limits, apart)...)
			if r.Refused() {
				runtime.Gosched()
				continue
			}
			if n := w.used(limits[random.IntN(3)]); n < books || n > amount {
				odd.Store(n)
			}
			switch random.IntN(5) {
			case 0:
				w.cancel(ticket)
			case 1:
				w.release(ticket)
			case 2:
				w.memory.Reset(w.now, apart.Counter)
				w.registry.Sweep(1, w.now)
				fallthrough
			default:
				n := random.Int64N(2)
				used.Add(n)
				w.memory.Commit(ctx, w.now, limiter.Usage{Output: n}, ticket, nil)
			}
			w.cancel(ticket)
		}
	})
	if n := odd.Load(); n != 0 {
		t.Errorf("a counter stood at %d of %d with a booking of %d open", n, amount, books)
	}
	for _, l := range limits {
		w.wantUsed(l, used.Load())
	}
	if n := w.used(apart); n < 0 || n > used.Load() {
		t.Errorf("a counter that was reset stands at %d with %d used", n, used.Load())
	}
}

// TestBook_KeepsARingTheSumOfItsSlots plays random traces, and looks into every
// ring after each step.
func TestBook_KeepsARingTheSumOfItsSlots(t *testing.T) {
	t.Parallel()
	for seed := range seeds() / 10 {
		trace := limitertest.Random(seed, 1)
		backend := limitertest.NewMemory(t)
		player := limitertest.NewPlayer(backend, trace)
		for i, step := range trace.Steps {
			player.Do(step)
			for _, c := range backend.Registry.Counters(func(limiter.Name) bool { return true }) {
				if used, sum, least := limiter.Slots(c); used != sum || used < 0 || least < 0 {
					t.Fatalf("seed %d, step %d: %s stands at %d, its slots sum to %d, the least is %d", seed, i, c.Name(), used, sum, least)
				}
			}
		}
	}
}

func TestBook_AllocatesNothing(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1 << 40)
	for _, l := range limits {
		l.Reserve = true
	}
	var ticket limiter.Ticket
	turn := func() {
		w.pass(time.Millisecond)
		ticket.Reset()
		ticket.Add(limits)
		ticket.Estimate(3, 4)
		roundTrip(t, w.memory, w.now, limiter.Usage{Input: 1, CostNanos: 1}, &ticket)
	}
	turn()
	if n := testing.AllocsPerRun(1000, turn); n != 0 {
		t.Fatalf("a request that books allocates %g times", n)
	}
}
