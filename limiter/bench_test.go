package limiter_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"relay/limiter"
)

// plan makes limits over fresh counters, one for each rule.
func plan(r *limiter.Registry, owner string, rules ...limiter.Rule) []*limiter.Limit {
	source := &limiter.Source{Scope: limiter.ScopeKey, Rung: limiter.ScopeKey, Owner: owner}
	limits := make([]*limiter.Limit, len(rules))
	for i, rule := range rules {
		limits[i] = &limiter.Limit{
			Counter: r.Use(1, limiter.Name{Owner: owner, Limit: "limits", Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}),
			Amount:  rule.Amount,
			Source:  source,
		}
	}
	return limits
}

func ringRules(n int) []limiter.Rule {
	rules := make([]limiter.Rule, n)
	for i := range rules {
		rules[i] = limiter.Rule{Meter: limiter.MeterRequests, Amount: 1 << 40, Window: int64(i + 1), Strategy: limiter.SlidingWindow}
	}
	return rules
}

// BenchmarkFourLimitsOfThreeRules is a usual request: requests, tokens and
// concurrency on four rungs.
func BenchmarkFourLimitsOfThreeRules(b *testing.B) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	var rungs [][]*limiter.Limit
	for i := range 4 {
		rungs = append(rungs, plan(registry, fmt.Sprint("rung ", i),
			limiter.Rule{Meter: limiter.MeterRequests, Amount: 1 << 40, Window: 60, Strategy: limiter.SlidingWindow},
			limiter.Rule{Meter: limiter.MeterTokens, Amount: 1 << 50, Window: 60, Strategy: limiter.SlidingWindow},
			limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1 << 20, Window: 1, Strategy: limiter.SlidingWindow},
		))
	}
	usage := limiter.Usage{Input: 400, Output: 100}
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	var ticket limiter.Ticket
	b.ReportAllocs()
	for b.Loop() {
		now.V += int64(50 * time.Microsecond)
		ticket.Reset()
		for _, limits := range rungs {
			ticket.Add(limits)
		}
		roundTrip(b, memory, now, usage, &ticket)
	}
}

func BenchmarkSixteenRings(b *testing.B) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	limits := plan(registry, "owner", ringRules(16)...)
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	var ticket limiter.Ticket
	b.ReportAllocs()
	for b.Loop() {
		now.V += int64(50 * time.Microsecond)
		ticket.Reset()
		ticket.Add(limits)
		roundTrip(b, memory, now, limiter.Usage{}, &ticket)
	}
}

func BenchmarkSixteenRingsEightGoroutines(b *testing.B) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	limits := plan(registry, "owner", ringRules(16)...)
	b.SetParallelism(max(1, 8/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		now := limiter.Instant{V: 1e18, Wall: 1e18}
		var ticket limiter.Ticket
		for pb.Next() {
			now.V += int64(50 * time.Microsecond)
			ticket.Reset()
			ticket.Add(limits)
			roundTrip(b, memory, now, limiter.Usage{}, &ticket)
		}
	})
}

// BenchmarkSnapshotOfAThousandRings includes the thousand reserves and commits
// between two snapshots.
func BenchmarkSnapshotOfAThousandRings(b *testing.B) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	var rungs [][]*limiter.Limit
	for i := range 1000 {
		rungs = append(rungs, plan(registry, fmt.Sprint(i), ringRules(1)...))
	}
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	var ticket limiter.Ticket
	b.ReportAllocs()
	for b.Loop() {
		now.V += int64(100 * time.Millisecond)
		for _, limits := range rungs {
			ticket.Reset()
			ticket.Add(limits)
			roundTrip(b, memory, now, limiter.Usage{}, &ticket)
		}
		memory.Snapshot(now, func(string, []byte) {})
	}
}

func roundTrip(tb testing.TB, memory *limiter.Memory, now limiter.Instant, u limiter.Usage, t *limiter.Ticket) {
	refusal, _ := memory.Reserve(context.Background(), now, t)
	if refusal.Refused() {
		tb.Error("refused")
	}
	memory.Commit(context.Background(), now, u, t, nil)
}
