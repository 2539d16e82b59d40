package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

// The sentences of limits.md, section 1, on rules and meters.

func TestRules_Promise(t *testing.T) {
	t.Run("amount 0, negative, missing is refused naming the field; zero never means unlimited", func(t *testing.T) {
		for _, amount := range []int64{0, -1, -1 << 62} {
			faults := requests(amount, 60, limiter.SlidingWindow).Check()
			if len(faults) != 1 || faults[0].Field != "amount" {
				t.Errorf("an amount of %d has the faults %v", amount, faults)
			}
			w := newWorld(t)
			for _, l := range w.oneOfEach(amount) {
				if l.AtCap = limiter.RefuseAtCap; !w.refuse(l).Refused() {
					t.Errorf("an amount of %d lets %s through", amount, l.Counter.Name())
				}
			}
		}
	})
	t.Run("anything under 1 s is refused, and the window is required for every meter", func(t *testing.T) {
		for _, meter := range []limiter.Meter{limiter.MeterRequests, limiter.MeterConcurrency, limiter.MeterTokens} {
			rule := limiter.Rule{Meter: meter, Amount: 1, Strategy: limiter.SlidingWindow}
			if faults := rule.Check(); len(faults) != 1 || faults[0].Field != "window" {
				t.Errorf("%s without a window has the faults %v", meter, faults)
			}
		}
	})
	t.Run("inside one rate limit a counter is known by meter, strategy and window together", func(t *testing.T) {
		w := newWorld(t)
		one := w.limit("limit", requests(9, 60, limiter.SlidingWindow))
		for _, other := range []limiter.Rule{
			tokens(9, 60), requests(9, 61, limiter.SlidingWindow), requests(9, 60, limiter.FixedWindow),
		} {
			if w.limit("limit", other).Counter == one.Counter {
				t.Errorf("%+v has the counter of another rule", other)
			}
		}
		if w.limit("limit", requests(5, 60, limiter.SlidingWindow)).Counter != one.Counter {
			t.Error("another amount has another counter")
		}
	})
	t.Run("an edit of amount or of the order leaves counts alone", func(t *testing.T) {
		w := newWorld(t)
		limits := w.oneOfEach(5)
		for range 2 {
			w.spend(limiter.Usage{Input: 1, CostNanos: 1}, limits...)
		}
		w.admit(limits...)
		before := w.readings(limits)
		edited := w.oneOfEach(900)
		for i := range edited {
			i = len(edited) - 1 - i
			if got := w.memory.Read(w.now, edited[i].Counter); got != before[i] {
				t.Errorf("%s reads %+v after an edit, want %+v", got.Name, got, before[i])
			}
		}
	})
	t.Run("an edit of meter, strategy or window begins a fresh count", func(t *testing.T) {
		w := newWorld(t)
		w.spend(limiter.Usage{Input: 2}, w.limit("limit", requests(1, 60, limiter.SlidingWindow)))
		for _, edited := range []limiter.Rule{
			requests(1, 120, limiter.SlidingWindow), requests(1, 60, limiter.TokenBucket), tokens(1, 60),
		} {
			w.admit(w.limit("limit", edited))
		}
		w.refuse(w.limit("limit", requests(1, 60, limiter.SlidingWindow)))
	})
	t.Run("counters hang on record ids, so renaming a rate limit or a policy changes nothing", func(t *testing.T) {
		w := newWorld(t)
		before := w.limit("policy id", requests(1, 60, limiter.SlidingWindow))
		w.admit(before)
		renamed := *before
		renamed.Source = &limiter.Source{Scope: limiter.ScopeKey, Rung: limiter.ScopeKey, Name: "new", Owner: "policy new"}
		if r := w.refuse(&renamed); r.Limit.Source.Owner != "policy new" || r.Used != 1 {
			t.Errorf("refusal is %+v", r)
		}
	})
}

func TestMeters_Promise(t *testing.T) {
	t.Run("requests: 1 a request, charged at reserve", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", requests(9, 60, limiter.SlidingWindow))
		ticket := w.admit(limit)
		w.wantUsed(limit, 1)
		w.commit(ticket, everything(7))
		w.wantUsed(limit, 1)
	})
	t.Run("concurrency: a lease taken at reserve, released at commit or cancel", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", concurrency(3))
		one, two, three := w.admit(limit), w.admit(limit), w.admit(limit)
		w.wantUsed(limit, 3)
		w.commit(one, everything(7))
		w.cancel(two)
		w.pass(24 * time.Hour)
		w.wantUsed(limit, 1)
		w.release(three)
		w.wantUsed(limit, 0)
	})
	for _, c := range []struct {
		sentence string
		meter    limiter.Meter
		want     int64
	}{
		{"tokens: input + cache_read + cache_creation + output, at commit", limiter.MeterTokens, 1 + 2 + 4 + 8},
		{"tokens.input: prompt tokens not served from a cache, at commit", limiter.MeterInput, 1},
		{"tokens.cache_read: prompt-cache hits, at commit", limiter.MeterCacheRead, 2},
		{"tokens.cache_creation: prompt-cache writes, at commit", limiter.MeterCacheCreation, 4},
		{"tokens.output: generated tokens, reasoning included, at commit", limiter.MeterOutput, 8},
		{"tokens.reasoning: the reasoning part of output, at commit", limiter.MeterReasoning, 3},
		{"tokens.server_tool_use_input: tokens of provider-side tools, at commit", limiter.MeterServerToolUseInput, 16},
		{"tokens.server_tool_use_output: tokens of provider-side tools, at commit", limiter.MeterServerToolUseOutput, 32},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			w := newWorld(t)
			limit := w.limit("limit", limiter.Rule{Meter: c.meter, Amount: 99, Window: 60, Strategy: limiter.SlidingWindow})
			ticket := w.admit(limit)
			w.wantUsed(limit, 0)
			w.commit(ticket, limiter.Usage{
				Input: 1, CacheRead: 2, CacheCreation: 4, Output: 8, Reasoning: 3, ServerToolUseInput: 16, ServerToolUseOutput: 32,
			})
			w.wantUsed(limit, c.want)
		})
	}
	t.Run("an answer that reports no tokens adds nothing, and its endpoint is still refused while a token window is spent", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", tokens(10, 60))
		w.spend(limiter.Usage{}, limit)
		w.wantUsed(limit, 0)
		w.spend(limiter.Usage{Input: 11}, limit)
		w.refuse(limit)
	})
}

// everything is a usage of n on every meter.
func everything(n int64) limiter.Usage {
	return limiter.Usage{
		Input: n, CacheRead: n, CacheCreation: n, Output: n, Reasoning: n,
		ServerToolUseInput: n, ServerToolUseOutput: n, CostNanos: n,
	}
}
