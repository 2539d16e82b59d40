package limiter_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"relay/limiter"
)

func TestSlidingWindow_WaitIsAtMostASlotMoreThanTheWindow(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(1, 60, limiter.SlidingWindow))
	w.admit(limit)
	if r := w.refuse(limit); r.Wait != 61*time.Second {
		t.Fatalf("wait is %s at the start of a slot, want 61s", r.Wait)
	}
	w.pass(999 * time.Millisecond)
	if r := w.refuse(limit); r.Wait != 60001*time.Millisecond {
		t.Fatalf("wait is %s near the end of a slot, want 60.001s", r.Wait)
	}
}

func TestSlidingWindow_WaitsForTheSlotsThatMakeRoom(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(5, 60, limiter.SlidingWindow))
	for range 5 {
		w.admit(limit)
		w.pass(10 * time.Second)
	}
	for i := range int64(5) {
		lowered := *limit
		lowered.Amount = 5 - i // i more must leave
		if r, want := w.refuse(&lowered), time.Duration(11+10*i)*time.Second; r.Wait != want {
			t.Errorf("wait for %d to leave is %s, want %s", i+1, r.Wait, want)
		}
	}
	w.pass(10 * time.Second) // the first fills the last slot
	if r := w.refuse(limit); r.Wait != time.Second {
		t.Errorf("wait for the oldest slot is %s, want 1s", r.Wait)
	}
}

func TestFixedWindow_StartsOverAtMultiplesOfTheWindow(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(2, 86400, limiter.FixedWindow))
	w.admit(limit)
	w.admit(limit)
	if r := w.refuse(limit); r.Wait != 12*time.Hour || r.Used != 2 {
		t.Fatalf("refusal is %+v, want 2 used and 12h to midnight UTC", r)
	}
	w.pass(12*time.Hour - 1)
	w.refuse(limit)
	w.pass(1)
	w.admit(limit)
	w.wantUsed(limit, 1)
}

func TestTokenBucket_StartsFullAndRefillsSteadily(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(3, 60, limiter.TokenBucket))
	for range 3 {
		w.admit(limit)
	}
	if r := w.refuse(limit); r.Wait != 20*time.Second {
		t.Fatalf("wait is %s, want 20s for one of 3 tokens a minute", r.Wait)
	}
	w.pass(20 * time.Second)
	w.admit(limit)
	w.refuse(limit)
	w.pass(time.Hour)
	for range 3 {
		w.admit(limit)
	}
	w.refuse(limit)
}

func TestBucket_NeverDrifts(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(7, 60, limiter.LeakyBucket))
	for range 7 {
		w.admit(limit)
	}
	start := w.now
	for i := int64(1); i <= 7000; i++ {
		due := (i*60e9 + 6) / 7 // ceil of i sevenths of a minute
		w.now.V = start.V + due - 1
		w.refuse(limit)
		w.now.V = start.V + due
		w.admit(limit)
	}
}

func TestBucket_HoldsTheLargestAmountAndWindow(t *testing.T) {
	w := newWorld(t)
	rule := requests(limiter.MaxAmount, limiter.MaxWindow, limiter.TokenBucket)
	limit := w.limit("owner", rule)
	w.admit(limit)
	w.pass(time.Nanosecond)
	if got := w.used(limit); got != 1 {
		t.Fatalf("stands at %d after a nanosecond, want the level rounded up to 1", got)
	}
	w.pass(10 * time.Nanosecond)
	w.wantUsed(limit, 0)
}

// TestBucket_IsExactBeyond64Bits fills a bucket whose level in nanoseconds of
// its window needs 70 bits, and compares the time it takes to drain with big
// integers.
func TestBucket_IsExactBeyond64Bits(t *testing.T) {
	const amount, window = 1000, limiter.MaxWindow * int64(1e9)
	w := newWorld(t)
	limit := w.limit("owner", requests(amount, limiter.MaxWindow, limiter.LeakyBucket))
	for range amount {
		w.admit(limit)
	}
	start := w.now
	for i := range int64(2000) {
		w.now.V = start.V + i*(window/2001) + i*i
		drained := new(big.Int).Mul(big.NewInt(amount), big.NewInt(w.now.V-start.V))
		left := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(amount), big.NewInt(window)), drained)
		want := left.Add(left, big.NewInt(amount-1)).Div(left, big.NewInt(amount)).Int64()
		if got := w.memory.Read(w.now, limit.Counter).Reset; got != time.Duration(want) {
			t.Fatalf("drains in %d ns, want %d", got, want)
		}
	}
}

// TestBucket_WaitsExactlyWhereTheSumCarries picks windows for which the level
// in parts lies so close below a multiple of 2^64 that rounding up crosses it.
func TestBucket_WaitsExactlyWhereTheSumCarries(t *testing.T) {
	const level, amount = 700, limiter.MaxAmount
	found := 0
	for seconds := limiter.MaxWindow; found < 3; seconds-- {
		parts := new(big.Int).Mul(big.NewInt(level), big.NewInt(int64(seconds)*1e9))
		if low := parts.Uint64(); low < math.MaxUint64-amount+2 {
			continue
		}
		found++
		w := newWorld(t)
		limit := w.limit("owner", requests(amount, int64(seconds), limiter.LeakyBucket))
		for range level {
			w.admit(limit)
		}
		want := parts.Add(parts, big.NewInt(amount-1)).Div(parts, big.NewInt(amount)).Int64()
		if got := w.memory.Read(w.now, limit.Counter).Reset; got != time.Duration(want) {
			t.Fatalf("with a window of %d s it drains in %d ns, want %d", seconds, got, want)
		}
	}
}

func TestBucket_IsEmptyHoweverLongItWasIdle(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(limiter.MaxAmount, 1, limiter.TokenBucket))
	w.admit(limit)
	w.pass(200 * 366 * 24 * time.Hour)
	w.wantUsed(limit, 0)
	w.admit(limit)
	w.wantUsed(limit, 1)
}

func TestSessionWindow_OpensWithTheFirstRequest(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(2, 60, limiter.SessionWindow))
	w.pass(17 * time.Second)
	w.admit(limit)
	w.pass(59 * time.Second)
	w.admit(limit)
	if r := w.refuse(limit); r.Wait != time.Second {
		t.Fatalf("wait is %s, want 1s to the session's end", r.Wait)
	}
	w.pass(time.Hour)
	w.admit(limit)
	if r := w.memory.Read(w.now, limit.Counter); r.Used != 1 || r.Reset != time.Minute {
		t.Fatalf("reading is %+v, want a new session of a minute", r)
	}
}

func TestAligned_CountsTokensUpToTheBoundary(t *testing.T) {
	w := newWorld(t)
	rule := tokens(100, 60)
	rule.Strategy = limiter.Aligned
	limit := w.limit("owner", rule)
	w.pass(45 * time.Second)
	w.spend(limiter.Usage{Input: 90, Output: 20}, limit)
	if r := w.refuse(limit); r.Wait != 15*time.Second || r.Used != 110 {
		t.Fatalf("refusal is %+v, want 110 used and 15s", r)
	}
	w.pass(15 * time.Second)
	w.wantUsed(limit, 0)
	w.admit(limit)
}

func TestTokens_PassUpToTheAmountOrBelowIt(t *testing.T) {
	w := newWorld(t)
	admit := w.limit("owner", tokens(100, 60))
	refuse := *admit
	refuse.AtCap = limiter.RefuseAtCap
	w.spend(limiter.Usage{Output: 99}, admit)
	w.admit(&refuse)
	w.spend(limiter.Usage{Output: 1}, admit)
	w.refuse(&refuse)
	w.spend(limiter.Usage{Output: 500}, admit)
	if r := w.refuse(admit); r.Used != 600 {
		t.Fatalf("%d used, want 600: the request that goes over completes", r.Used)
	}
}

func TestTokens_EveryMeterAdmitsAtItsAmount(t *testing.T) {
	w := newWorld(t)
	for _, meter := range []limiter.Meter{
		limiter.MeterTokens, limiter.MeterInput, limiter.MeterOutput, limiter.MeterCacheRead, limiter.MeterCacheCreation,
		limiter.MeterReasoning, limiter.MeterServerToolUseInput, limiter.MeterServerToolUseOutput,
	} {
		limit := w.limit("owner", limiter.Rule{Meter: meter, Amount: 4, Window: 60, Strategy: limiter.FixedWindow})
		four := limiter.Usage{
			Input: 1, CacheRead: 1, CacheCreation: 1, Output: 1, Reasoning: 1, ServerToolUseInput: 1, ServerToolUseOutput: 1,
		}
		if meter != limiter.MeterTokens {
			four = limiter.Usage{Input: 4, CacheRead: 4, CacheCreation: 4, Output: 4, Reasoning: 4, ServerToolUseInput: 4, ServerToolUseOutput: 4}
		}
		w.spend(four, limit)
		w.wantUsed(limit, 4)
		w.admit(limit)
	}
}

func TestTokens_SaturateInsteadOfWrapping(t *testing.T) {
	for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.Aligned} {
		w := newWorld(t)
		rule := tokens(100, 3600)
		rule.Strategy = strategy
		limit := w.limit("owner", rule)
		one, two := w.admit(limit), w.admit(limit)
		w.commit(one, limiter.Usage{Input: 1<<63 - 1, Output: 1<<63 - 1, CacheRead: -1 << 63})
		w.pass(time.Minute)
		w.commit(two, limiter.Usage{Input: 5})
		w.wantUsed(limit, 1<<63-1)
		w.refuse(limit)
		w.pass(2 * time.Hour)
		w.wantUsed(limit, 0)
	}
}

func TestTokens_WideSlotsLeaveOneByOne(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", tokens(100, 60))
	one, two, three := w.admit(limit), w.admit(limit), w.admit(limit)
	w.commit(one, limiter.Usage{Input: 10})
	w.pass(time.Second)
	w.commit(two, limiter.Usage{Input: 1 << 40})
	w.pass(time.Second)
	w.commit(three, limiter.Usage{Input: 30})
	w.wantUsed(limit, 1<<40+40)
	w.pass(59 * time.Second)
	w.wantUsed(limit, 1<<40+30)
	w.pass(time.Second)
	w.wantUsed(limit, 30)
}

func TestUsage_SplitsByMeter(t *testing.T) {
	u := limiter.Usage{
		Input: 1, CacheRead: 2, CacheCreation: 4, Output: 8, Reasoning: 3,
		ServerToolUseInput: 5, ServerToolUseOutput: 6, CostNanos: 7,
	}
	want := map[limiter.Meter]int64{
		limiter.MeterRequests: 0, limiter.MeterConcurrency: 0, limiter.MeterTokens: 15, limiter.MeterInput: 1,
		limiter.MeterOutput: 8, limiter.MeterCacheRead: 2, limiter.MeterCacheCreation: 4, limiter.MeterReasoning: 3,
		limiter.MeterServerToolUseInput: 5, limiter.MeterServerToolUseOutput: 6, limiter.MeterCost: 7, "other": 0,
	}
	for meter, n := range want {
		if got := u.Of(meter); got != n {
			t.Errorf("%s counts %d, want %d", meter, got, n)
		}
	}
	for meter := range want {
		for _, nothing := range []limiter.Usage{{}, everything(-5)} {
			if n := nothing.Of(meter); n != 0 {
				t.Errorf("%s counts %d of %+v", meter, n, nothing)
			}
		}
	}
	if negative := (&limiter.Usage{Input: -5, Output: 3}); negative.Of(limiter.MeterTokens) != 3 {
		t.Errorf("negative usage counts")
	}
}
