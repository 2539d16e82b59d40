package limiter_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"relay/limiter"
)

// The sentences of limits.md, section 4. Amounts are nano-dollars.

const dollar = int64(1e9)

func TestBudgets_Promise(t *testing.T) {
	t.Run("passes while spent < amount, charged at commit, so the request that goes over completes", func(t *testing.T) {
		w := newWorld(t)
		limit := w.budget("policy", 20*dollar, limiter.PeriodDay, "")
		w.spend(limiter.Usage{CostNanos: 20*dollar - 1}, limit)
		ticket := w.admit(limit)
		w.wantUsed(limit, 20*dollar-1)
		w.commit(ticket, limiter.Usage{CostNanos: dollar})
		if r := w.refuse(limit); r.Used != 21*dollar-1 {
			t.Errorf("refusal is %+v", r)
		}
		exactly := w.budget("other", 20*dollar, limiter.PeriodDay, "")
		w.spend(limiter.Usage{CostNanos: 20 * dollar}, exactly)
		w.refuse(exactly)
	})
	t.Run("of 50 parallel calls at 0.02 under 0.10, a concurrency rule of 1 lets at most one call over; without it no more than in flight", func(t *testing.T) {
		for _, inFlight := range []int64{1, 50} {
			w := newWorld(t)
			limits := []*limiter.Limit{w.budget("key", dollar/10, limiter.PeriodDay, ""), w.limit("key", concurrency(inFlight))}
			var spent atomic.Int64
			parallel(50, func() {
				ticket := &limiter.Ticket{}
				ticket.Add(limits)
				if r, _ := w.memory.Reserve(context.Background(), w.now, ticket); !r.Refused() {
					spent.Add(dollar / 50)
					w.memory.Commit(context.Background(), w.now, limiter.Usage{CostNanos: dollar / 50}, ticket, nil)
				}
			})
			w.wantUsed(limits[0], spent.Load())
			if over := spent.Load() - dollar/10; over > inFlight*dollar/50 {
				t.Errorf("%d nano-dollars over with %d in flight", over, inFlight)
			}
		}
	})
	t.Run("periods are calendar ones, weeks from Monday: on the 17th at 13:37 they end at 00:00 of the next day, Monday and 1st", func(t *testing.T) {
		start := time.Date(2026, 12, 17, 13, 37, 0, 0, zone(t, "Europe/Berlin")) // a Thursday
		for period, day := range map[string]int{limiter.PeriodDay: 18, limiter.PeriodWeek: 21, limiter.PeriodMonth: 32} {
			w := newWorld(t)
			w.now = at(start)
			limit := w.budget("policy", dollar, period, "Europe/Berlin")
			w.spend(limiter.Usage{CostNanos: dollar}, limit)
			end := time.Date(2026, 12, day, 0, 0, 0, 0, start.Location())
			r := w.refuse(limit)
			if !r.ResetAt.Equal(end) || r.RetryAfter() != int64(end.Sub(start)/time.Second) || r.Limit != limit {
				t.Errorf("a %s resets at %s, want %s", period, r.ResetAt, end)
			}
			if reset := w.memory.Read(w.now, limit.Counter).Reset; reset != end.Sub(start) {
				t.Errorf("a %s shows %s to its next reset, want %s", period, reset, end.Sub(start))
			}
		}
	})
	t.Run("total never resets, a refusal has no Retry-After, and topping it up lets requests pass", func(t *testing.T) {
		w := newWorld(t)
		prepaid := w.budget("key", 10*dollar, limiter.PeriodTotal, "")
		w.spend(limiter.Usage{CostNanos: 10 * dollar}, prepaid)
		w.pass(20 * 366 * 24 * time.Hour)
		w.registry.Sweep(1, w.now)
		if r := w.refuse(prepaid); r.RetryAfter() != 0 || !r.ResetAt.IsZero() {
			t.Errorf("refusal is %+v", r)
		}
		w.admit(w.budget("key", 20*dollar, limiter.PeriodTotal, ""))
	})
	t.Run("a reset needs no job: it is a comparison at the next admission, also when the process was stopped over the boundary", func(t *testing.T) {
		w := newWorld(t)
		limits := []*limiter.Limit{w.budget("key", dollar, limiter.PeriodDay, ""), w.budget("key", 9*dollar, limiter.PeriodMonth, "")}
		w.spend(limiter.Usage{CostNanos: dollar}, limits...)
		states := w.snapshot()
		next := newWorld(t)
		next.pass(12 * time.Hour) // into 1 December
		next.restore(states)
		restored := []*limiter.Limit{next.budget("key", dollar, limiter.PeriodDay, ""), next.budget("key", 9*dollar, limiter.PeriodMonth, "")}
		next.wantUsed(restored[0], 0)
		next.wantUsed(restored[1], 0)
		next.spend(limiter.Usage{CostNanos: 3}, restored...)
		next.wantUsed(restored[0], 3)
	})
	t.Run("one damaged row among 100 does not stop the others", func(t *testing.T) {
		w := newWorld(t)
		for i := range 100 {
			w.spend(limiter.Usage{CostNanos: 7}, w.budget(fmt.Sprint(i), dollar, limiter.PeriodMonth, ""))
		}
		next, damaged := newWorld(t), 0
		for name, state := range w.snapshot() {
			if name == w.budget("42", dollar, limiter.PeriodMonth, "").Counter.Name().String() {
				state = state[:len(state)-1]
			}
			if next.memory.Restore(next.now, name, state) != nil {
				damaged++
			}
		}
		for i := range 100 {
			want := int64(7)
			if i == 42 {
				want = 0
			}
			next.wantUsed(next.budget(fmt.Sprint(i), dollar, limiter.PeriodMonth, ""), want)
		}
		if damaged != 1 {
			t.Errorf("%d rows are damaged, want 1", damaged)
		}
	})
	t.Run("editing a policy or key never touches what was spent", func(t *testing.T) {
		w := newWorld(t)
		w.spend(limiter.Usage{CostNanos: 9 * dollar}, w.budget("key", 10*dollar, limiter.PeriodMonth, ""))
		w.registry.Sweep(2, w.now)
		w.wantUsed(w.budget("key", 20*dollar, limiter.PeriodMonth, "Europe/Berlin"), 9*dollar)
	})
	t.Run("unpriced requests cost nothing", func(t *testing.T) {
		w := newWorld(t)
		limit := w.budget("key", dollar, limiter.PeriodDay, "")
		w.spend(limiter.Usage{Input: 1 << 40, Output: 1 << 40}, limit)
		w.wantUsed(limit, 0)
	})
	t.Run("warn lets the request pass", func(t *testing.T) {
		w := newWorld(t)
		limit := w.budget("key", dollar, limiter.PeriodDay, "")
		limit.Warn = true
		w.spend(limiter.Usage{CostNanos: 2 * dollar}, limit)
		if ticket := w.admit(limit); ticket.Warned() != limit {
			t.Errorf("%v warns", ticket.Warned())
		}
	})
	t.Run("the sum of what was charged is what is spent, to the nano-dollar", func(t *testing.T) {
		w := newWorld(t)
		limit, sum := w.budget("key", math.MaxInt64, limiter.PeriodMonth, ""), int64(0)
		for i := range int64(10_000) {
			w.spend(limiter.Usage{CostNanos: i * 1234567}, limit)
			sum += i * 1234567
		}
		w.wantUsed(limit, sum)
	})
}
