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
