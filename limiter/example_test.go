package limiter_test

import (
	"context"
	"fmt"
	"time"

	"relay/limiter"
)

func Example() {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)

	// When a plan is compiled.
	rule := limiter.Rule{Meter: limiter.MeterTokens, Amount: 1000, Window: 60, Strategy: limiter.SlidingWindow}
	limits := []*limiter.Limit{{
		Counter: registry.Use(1, limiter.Name{
			Owner: "policy-id", Limit: "rate-limit-id", Subject: "team-id",
			Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window,
		}),
		Amount: rule.Amount,
		Source: &limiter.Source{Scope: limiter.ScopePolicy, Rung: limiter.ScopeTeam, Name: "chat-rl", Owner: "policy chat"},
	}}

	// For each request.
	ctx := context.Background()
	now := limiter.Instant{V: 1_800_000_000_000_000_000, Wall: 1_800_000_000_000_000_000}
	for range 2 {
		var ticket limiter.Ticket
		ticket.Add(limits)
		refusal, _ := memory.Reserve(ctx, now, &ticket)
		if refusal.Refused() {
			fmt.Printf("%s: %d used, retry after %d s\n", refusal.Limit.Source.Owner, refusal.Used, refusal.RetryAfter())
			break
		}
		now.V += int64(3 * time.Second)
		number := memory.Commit(ctx, now, limiter.Usage{Input: 900, Output: 200}, &ticket, nil)
		fmt.Println("commit", number)
	}
	// Output:
	// commit 1
	// policy chat: 1100 used, retry after 61 s
}

// A limit split by end user: each has a minute's worth of its own.
func ExampleSplit() {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)

	// When a plan is compiled.
	name := limiter.Name{
		Owner: "policy-id", Limit: "rate-limit-id", Subject: "team-id", Per: "user",
		Meter: limiter.MeterRequests, Strategy: limiter.SlidingWindow, Window: 60,
	}
	source := &limiter.Source{Scope: limiter.ScopePolicy, Rung: limiter.ScopeTeam, Owner: "policy chat"}
	split := registry.Split([]*limiter.Limit{{Counter: registry.Use(1, name), Amount: 1, Source: source}}, 10_000)

	// For each request.
	now := limiter.Instant{V: 1_800_000_000_000_000_000, Wall: 1_800_000_000_000_000_000}
	for _, user := range []string{"alice", "bob", "alice"} {
		var ticket limiter.Ticket
		ticket.Add(split.Limits(now, user))
		refusal, _ := memory.Reserve(context.Background(), now, &ticket)
		fmt.Println(user, refusal.Refused())
	}
	// Output:
	// alice false
	// bob false
	// alice true
}
