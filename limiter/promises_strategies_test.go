package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

// The sentences of limits.md, section 1, on strategies. Random traces hold them
// against a naive log and slow models besides, in the contract.

func TestStrategies_Promise(t *testing.T) {
	t.Run("sliding-window: 60 slots let 200 of 100 through in 59 s; 61 do not", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", requests(100, 60, limiter.SlidingWindow))
		admitted := 0
		press := func() {
			for range 100 {
				if _, r := w.reserve(limit); !r.Refused() {
					admitted++
				}
			}
		}
		w.pass(time.Second - 1)
		press()
		w.pass(59*time.Second + 1)
		press()
		if admitted != 100 {
			t.Fatalf("%d of 100 in 59 s", admitted)
		}
	})
	t.Run("sliding-window: interpolating two counters lets 199 through at a boundary; the ring does not", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", requests(100, 60, limiter.SlidingWindow))
		w.pass(time.Minute - time.Millisecond)
		for range 100 {
			w.admit(limit)
		}
		for range 59 {
			w.pass(time.Second)
			w.refuse(limit)
		}
	})
	t.Run("sliding-window: nothing is given back on cancel", func(t *testing.T) { givenBack(t, limiter.SlidingWindow, 0) })

	t.Run("fixed-window: across a boundary up to twice the amount can pass", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", requests(100, 60, limiter.FixedWindow))
		w.pass(time.Minute - 1)
		for range 100 {
			w.admit(limit)
		}
		if r := w.refuse(limit); r.Wait != 1 {
			t.Errorf("Retry-After is %s, want to the boundary", r.Wait)
		}
		w.pass(1)
		for range 100 {
			w.admit(limit)
		}
		w.refuse(limit)
	})
	t.Run("fixed-window: minutes and days align to UTC", func(t *testing.T) {
		w := newWorld(t)
		w.pass(7*time.Hour + 13*time.Minute + 17*time.Second)
		for window, want := range map[int64]time.Duration{60: 43 * time.Second, 86_400: 4*time.Hour + 46*time.Minute + 43*time.Second} {
			limit := w.limit("limit", requests(1, window, limiter.FixedWindow))
			w.admit(limit)
			if r := w.refuse(limit); r.Wait != want {
				t.Errorf("a window of %d s ends in %s, want %s", window, r.Wait, want)
			}
		}
	})
	t.Run("fixed-window: nothing is given back on cancel", func(t *testing.T) { givenBack(t, limiter.FixedWindow, 0) })

	for _, c := range []struct {
		strategy        limiter.Strategy
		fills, cancels  string
		retriesSentence string
	}{
		{limiter.TokenBucket, "token-bucket: starts full at amount, refills amount/window, one request takes 1",
			"token-bucket: given back on cancel, +1, capped", "token-bucket: Retry-After until a whole token is there"},
		{limiter.LeakyBucket, "leaky-bucket: level rises by 1 a request, drains amount/window, refused when it would exceed amount; nothing queues",
			"leaky-bucket: given back on cancel, -1, floor 0", "leaky-bucket: Retry-After until there is room for 1"},
	} {
		t.Run(c.fills, func(t *testing.T) { fillsAndDrains(t, c.strategy) })
		t.Run(c.retriesSentence, func(t *testing.T) { waitsForOne(t, c.strategy) })
		t.Run(c.cancels, func(t *testing.T) {
			givenBack(t, c.strategy, 1)
			w := newWorld(t)
			limit := w.limit("limit", requests(3, 60, c.strategy))
			ticket := w.admit(limit)
			w.pass(time.Hour)
			w.cancel(ticket)
			for range 3 {
				w.admit(limit)
			}
			w.refuse(limit)
		})
	}
	t.Run("session-window: the first request after an expired session opens a window of that length; no background reset", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", requests(1, 60, limiter.SessionWindow))
		w.admit(limit)
		w.pass(59 * time.Second)
		if r := w.refuse(limit); r.Wait != time.Second {
			t.Errorf("Retry-After is %s, want to the session's end", r.Wait)
		}
		w.pass(time.Hour + 7*time.Second)
		w.admit(limit)
		w.pass(time.Minute - 1)
		w.refuse(limit)
		w.pass(1)
		w.admit(limit)
	})
	t.Run("session-window: given back on cancel, -1", func(t *testing.T) { givenBack(t, limiter.SessionWindow, 1) })

	t.Run("tokens in the ring: a request passes as long as what is counted so far does not exceed amount; the one that goes over completes, later ones wait", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", tokens(100, 60))
		w.spend(limiter.Usage{Input: 100}, limit)
		w.spend(limiter.Usage{Input: 100}, limit)
		if r := w.refuse(limit); r.Used != 200 || r.Wait != 61*time.Second {
			t.Errorf("refusal is %+v", r)
		}
	})
	t.Run("atCap: refuse already refuses at equality", func(t *testing.T) {
		w := newWorld(t)
		limit := w.limit("limit", tokens(100, 60))
		limit.AtCap = limiter.RefuseAtCap
		w.spend(limiter.Usage{Input: 99}, limit)
		w.spend(limiter.Usage{Input: 1}, limit)
		if r := w.refuse(limit); r.Used != 100 {
			t.Errorf("refusal is %+v", r)
		}
	})
	t.Run("concurrency: at amount in flight the next is refused, and editing the rule never forgets what is in flight", func(t *testing.T) {
		w := newWorld(t)
		w.admit(w.limit("limit", concurrency(2)))
		w.admit(w.limit("limit", concurrency(2)))
		edited := limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 2, Window: 9, Strategy: limiter.TokenBucket}
		if r := w.refuse(w.limit("limit", edited)); r.Used != 2 {
			t.Errorf("refusal is %+v", r)
		}
	})
}

// givenBack cancels one of two requests and expects so many back.
func givenBack(t *testing.T, strategy limiter.Strategy, want int64) {
	w := newWorld(t)
	limit := w.limit("limit", requests(9, 60, strategy))
	w.admit(limit)
	w.cancel(w.admit(limit))
	w.wantUsed(limit, 2-want)
}

func fillsAndDrains(t *testing.T, strategy limiter.Strategy) {
	w := newWorld(t)
	limit := w.limit("limit", requests(6, 60, strategy))
	for range 6 {
		w.admit(limit)
	}
	w.refuse(limit)
	for range 20 {
		w.pass(10 * time.Second)
		w.admit(limit)
		w.refuse(limit)
	}
	w.pass(35 * time.Second)
	for range 3 {
		w.admit(limit)
	}
	w.refuse(limit)
}

func waitsForOne(t *testing.T, strategy limiter.Strategy) {
	w := newWorld(t)
	limit := w.limit("limit", requests(6, 60, strategy))
	for range 6 {
		w.admit(limit)
	}
	w.pass(3 * time.Second)
	if r := w.refuse(limit); r.Wait != 7*time.Second {
		t.Errorf("Retry-After is %s, want 7s", r.Wait)
	}
}
