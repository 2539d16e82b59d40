package limiter_test

import (
	"context"
	"testing"
	"time"

	"relay/limiter"
)

// The sentences of limits.md, sections 2 and 3, that the limiter keeps alone.

func TestReserve_Promise(t *testing.T) {
	t.Run("one rule without room refuses the request and leaves every counter as it was", func(t *testing.T) {
		w := newWorld(t)
		limits := w.oneOfEach(9)
		full := w.limit("full", concurrency(1))
		w.admit(full)
		for range 10_000 {
			w.refuse(append(limits, full)...)
		}
		for _, l := range limits {
			w.wantUsed(l, 0)
		}
	})
	t.Run("a call refused by concurrency has not used up requests: of A, B and C under 2 a minute, A and C count", func(t *testing.T) {
		w := newWorld(t)
		two, one := w.limit("limit", requests(2, 60, limiter.SlidingWindow)), w.limit("limit", concurrency(1))
		for _, order := range [][]*limiter.Limit{{two, one}, {one, two}} {
			w.pass(5 * time.Minute)
			a := w.admit(order...)
			if r := w.refuse(order...); r.Limit != one {
				t.Errorf("B is refused by %s", r.Limit.Counter.Name())
			}
			w.commit(a, limiter.Usage{})
			w.commit(w.admit(order...), limiter.Usage{})
			w.wantUsed(two, 2)
		}
	})
	t.Run("the refusal names, within the widest refusing limit, the rule with the longest wait; its Retry-After is the longest wait of all refusing rules", func(t *testing.T) {
		w := newWorld(t)
		scopes := []limiter.Scope{
			limiter.ScopeSystem, limiter.ScopeOrganization, limiter.ScopeTeam, limiter.ScopeProject, limiter.ScopePrincipal,
			limiter.ScopeStandalone, limiter.ScopeKey, limiter.ScopeModel,
		}
		var limits []*limiter.Limit
		for i, scope := range scopes {
			l := w.limitOf(source(scope, 0), scope.String(), requests(1, int64(60*(i+1)), limiter.SessionWindow))
			w.admit(l)
			limits = append(limits, l)
		}
		for i := range limits {
			r := w.refuse(append(append([]*limiter.Limit{}, limits[i+1:]...), limits[i])...)
			if r.Limit != limits[i] || r.Wait != 8*time.Minute {
				t.Errorf("refusal names %s and waits %s, want %s and 8m", r.Limit.Source.Scope, r.Wait, scopes[i])
			}
		}
	})
	t.Run("commit adds tokens and cost and releases the lease", func(t *testing.T) {
		w := newWorld(t)
		limits := []*limiter.Limit{w.limit("key", tokens(99, 60)), w.budget("key", 99, limiter.PeriodDay, ""), w.limit("key", concurrency(1))}
		w.spend(limiter.Usage{Input: 3, CostNanos: 5}, limits...)
		w.wantUsed(limits[0], 3)
		w.wantUsed(limits[1], 5)
		w.wantUsed(limits[2], 0)
	})
	t.Run("one sequential caller at concurrency 1 is never refused", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("key", concurrency(1))
		for range 1000 {
			w.spend(limiter.Usage{}, limit)
		}
	})
	t.Run("from the first attempt that could have arrived, the request stays counted", func(t *testing.T) {
		w := newWorld(t)
		limits := w.oneOfEach(9)[1:6]
		w.release(w.admit(limits...))
		for _, l := range limits {
			w.wantUsed(l, 1)
		}
	})
	t.Run("failing over never charges the caller again", func(t *testing.T) {
		w := newWorld(t)
		caller := w.limit("key", requests(9, 60, limiter.SlidingWindow))
		keys := []*limiter.Limit{w.limit("host key 1", requests(1, 60, limiter.SlidingWindow)), w.limit("host key 2", concurrency(1)), w.limit("host key 3", requests(9, 60, limiter.SlidingWindow))}
		w.admit(keys[0])
		request, attempt := w.admit(caller), &limiter.Ticket{}
		for i, key := range keys {
			attempt.Reset()
			attempt.Add([]*limiter.Limit{key})
			r, _ := w.memory.Reserve(context.Background(), w.now, attempt)
			if r.Refused() != (i == 0) {
				t.Fatalf("attempt %d comes to %+v", i, r)
			}
			if i == 1 {
				w.release(attempt) // may have arrived, and the next key is tried
			}
		}
		w.memory.Commit(context.Background(), w.now, limiter.Usage{}, request, attempt)
		w.wantUsed(caller, 1)
		w.wantUsed(keys[1], 0)
		w.wantUsed(keys[2], 1)
	})
	t.Run("commit and cancel work on the ticket, never by looking the limit up again", func(t *testing.T) {
		w := newWorld(t)
		gauge, spent := w.limit("policy", concurrency(1)), w.limit("policy", tokens(9, 60))
		ticket := w.admit(gauge, spent)
		w.pass(time.Hour)
		w.registry.Sweep(9, w.now) // the policy is edited, switched off and deleted meanwhile
		w.commit(ticket, limiter.Usage{Input: 4})
		w.wantUsed(w.limit("policy", concurrency(1)), 0)
		w.wantUsed(w.limit("policy", tokens(9, 60)), 4)
	})
	t.Run("gauges never go below zero: two calls hang, 20 are refused, both end twice, and 2 of 10 pass", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("key", concurrency(2))
		one, two := w.admit(limit), w.admit(limit)
		for range 20 {
			refused, _ := w.reserve(limit)
			w.cancel(refused)
			w.commit(refused, limiter.Usage{})
		}
		for range 2 {
			w.cancel(one)
			w.commit(two, limiter.Usage{})
		}
		w.wantUsed(limit, 0)
		passed := 0
		for range 10 {
			if _, r := w.reserve(limit); !r.Refused() {
				passed++
			}
		}
		if passed != 2 {
			t.Errorf("%d pass at once, want 2", passed)
		}
	})
	t.Run("after 200 dropped streams the lease is back each time", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("policy", concurrency(1))
		for range 200 {
			w.release(w.admit(limit))
			w.spend(limiter.Usage{}, limit)
		}
		w.wantUsed(limit, 0)
	})
}

func TestCounters_Promise(t *testing.T) {
	t.Run("the same counter reached over two rungs is charged once", func(t *testing.T) {
		w := newWorld(t)
		rule := requests(9, 60, limiter.SlidingWindow)
		team, project := w.limitOf(source(limiter.ScopeTeam, 0), "policy", rule), w.limitOf(source(limiter.ScopeProject, 0), "policy", rule)
		w.admit(team, project)
		w.wantUsed(team, 1)
	})
	t.Run("counters of a key are shared by everybody who spends it", func(t *testing.T) {
		w := newWorld(t)
		w.admit(w.limit("host key", requests(1, 60, limiter.SlidingWindow)))
		w.refuse(w.limit("host key", requests(1, 60, limiter.SlidingWindow)))
	})
	t.Run("limits.key_windows fixed makes UTC-aligned fixed windows, tokens included", func(t *testing.T) {
		w := newWorld(t)
		w.pass(13 * time.Second)
		for _, rule := range []limiter.Rule{requests(1, 60, limiter.Aligned), tokens(1, 60)} {
			rule.Strategy = limiter.Aligned
			limit := w.limit("key", rule)
			w.spend(limiter.Usage{Input: 2}, limit)
			if r := w.refuse(limit); r.Wait != 47*time.Second {
				t.Errorf("%s wait %s, want to the minute", rule.Meter, r.Wait)
			}
		}
	})
}
