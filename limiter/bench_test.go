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

// BenchmarkFourLimitsOfFourRules is a usual request: requests a minute and a
// day, tokens and concurrency on four rungs.
func BenchmarkFourLimitsOfFourRules(b *testing.B) { fourLimits(b, false) }

// BenchmarkFourLimitsThatBook is the same where tokens are booked.
func BenchmarkFourLimitsThatBook(b *testing.B) { fourLimits(b, true) }

func fourLimits(b *testing.B, books bool) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	var rungs [][]*limiter.Limit
	for i := range 4 {
		rungs = append(rungs, plan(registry, fmt.Sprint("rung ", i),
			limiter.Rule{Meter: limiter.MeterRequests, Amount: 1 << 40, Window: 60, Strategy: limiter.SlidingWindow},
			limiter.Rule{Meter: limiter.MeterRequests, Amount: 1 << 40, Window: 86_400, Strategy: limiter.SlidingWindow},
			limiter.Rule{Meter: limiter.MeterTokens, Amount: 1 << 50, Window: 60, Strategy: limiter.SlidingWindow},
			limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1 << 20, Window: 1, Strategy: limiter.SlidingWindow},
		))
		rungs[i][2].Reserve = books
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
		if books {
			ticket.Estimate(600, 1000)
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

// BenchmarkSplitOfKnownValues looks one of 65,536 client addresses up and takes
// a request through its three rules.
func BenchmarkSplitOfKnownValues(b *testing.B) {
	split, memory, values := fullSplit()
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	var ticket limiter.Ticket
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ticket.Reset()
		ticket.Add(split.Limits(now, values[i%len(values)]))
		roundTrip(b, memory, now, limiter.Usage{Input: 1}, &ticket)
	}
}

// BenchmarkSplitWithoutAPlace looks up values that find every place taken by
// one that still counts.
func BenchmarkSplitWithoutAPlace(b *testing.B) {
	split, _, values := fullSplit()
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	for i := range values {
		values[i] = "new " + values[i]
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		split.Limits(now, values[i%len(values)])
	}
}

// fullSplit returns a split in which every place is taken by a value with a
// live window.
func fullSplit() (*limiter.Split, *limiter.Memory, []string) {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	limits := plan(registry, "system",
		limiter.Rule{Meter: limiter.MeterRequests, Amount: 1 << 40, Window: 60, Strategy: limiter.SlidingWindow},
		limiter.Rule{Meter: limiter.MeterTokens, Amount: 1 << 50, Window: 60, Strategy: limiter.SlidingWindow},
		limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1 << 20, Window: 1, Strategy: limiter.SlidingWindow},
	)
	split := registry.Split(limits, 0)
	now := limiter.Instant{V: 1e18, Wall: 1e18}
	values := make([]string, limiter.DefaultBound)
	for i := range values {
		values[i] = fmt.Sprintf("2001:db8::%x", i)
		var ticket limiter.Ticket
		ticket.Add(split.Limits(now, values[i]))
		_, _ = memory.Reserve(context.Background(), now, &ticket)
		memory.Commit(context.Background(), now, limiter.Usage{}, &ticket, nil)
	}
	return split, memory, values
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
