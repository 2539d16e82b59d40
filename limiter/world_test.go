package limiter_test

import (
	"context"
	"testing"
	"time"

	"relay/limiter"
)

// noon is a moment on a window's edge for every window that divides a day.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// world is a limiter with a clock that stands still until it is moved.
type world struct {
	t        testing.TB
	registry *limiter.Registry
	memory   *limiter.Memory
	now      limiter.Instant
}

func newWorld(t testing.TB) *world {
	registry := limiter.NewRegistry()
	return &world{t, registry, limiter.NewMemory(registry), at(noon)}
}

func at(wall time.Time) limiter.Instant {
	return limiter.Instant{V: wall.UnixNano(), Wall: wall.UnixNano()}
}

func (w *world) pass(d time.Duration) {
	w.now.V += int64(d)
	w.now.Wall += int64(d)
}

// limit makes a limit of its own source over the rule.
func (w *world) limit(owner string, rule limiter.Rule) *limiter.Limit {
	return w.limitOf(source(limiter.ScopeKey, 0), owner, rule)
}

func (w *world) limitOf(s *limiter.Source, owner string, rule limiter.Rule) *limiter.Limit {
	name := limiter.Name{Owner: owner, Limit: "limits", Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}
	return &limiter.Limit{Counter: w.registry.Use(1, name), Amount: rule.Amount, Source: s}
}

func (w *world) budget(owner string, amount int64, period, timezone string) *limiter.Limit {
	name := limiter.Name{Owner: owner, Meter: limiter.MeterCost, Period: period, Timezone: timezone}
	return &limiter.Limit{Counter: w.registry.Use(1, name), Amount: amount, Source: source(limiter.ScopeKey, 0)}
}

func source(rung limiter.Scope, order int) *limiter.Source {
	return &limiter.Source{Scope: rung, Rung: rung, Order: order}
}

func (w *world) reserve(limits ...*limiter.Limit) (*limiter.Ticket, limiter.Refusal) {
	return w.book(0, 0, limits...)
}

// admit reserves and fails the test when refused.
func (w *world) admit(limits ...*limiter.Limit) *limiter.Ticket {
	w.t.Helper()
	ticket, refusal := w.reserve(limits...)
	if refusal.Refused() {
		w.t.Fatalf("refused with %d used and a wait of %s", refusal.Used, refusal.Wait)
	}
	return ticket
}

// refuse reserves and fails the test when admitted.
func (w *world) refuse(limits ...*limiter.Limit) limiter.Refusal {
	w.t.Helper()
	_, refusal := w.reserve(limits...)
	if !refusal.Refused() {
		w.t.Fatal("admitted")
	}
	return refusal
}

// book reserves limits, of which some may book, with such an estimate.
func (w *world) book(input, output int64, limits ...*limiter.Limit) (*limiter.Ticket, limiter.Refusal) {
	ticket := &limiter.Ticket{}
	ticket.Add(limits)
	ticket.Estimate(input, output)
	refusal, err := w.memory.Reserve(context.Background(), w.now, ticket)
	if err != nil {
		w.t.Fatal(err)
	}
	return ticket, refusal
}

// mustBook books and fails the test when refused.
func (w *world) mustBook(input, output int64, limits ...*limiter.Limit) *limiter.Ticket {
	w.t.Helper()
	ticket, refusal := w.book(input, output, limits...)
	if refusal.Refused() {
		w.t.Fatalf("refused with %d used and a wait of %s", refusal.Used, refusal.Wait)
	}
	return ticket
}

// booking makes a limit book.
func booking(l *limiter.Limit) *limiter.Limit {
	l.Reserve = true
	return l
}

func (w *world) commit(ticket *limiter.Ticket, u limiter.Usage) uint64 {
	return w.memory.Commit(context.Background(), w.now, u, ticket, nil)
}

func (w *world) cancel(ticket *limiter.Ticket) {
	w.memory.Cancel(context.Background(), w.now, ticket)
}

func (w *world) release(ticket *limiter.Ticket) {
	w.memory.Release(context.Background(), w.now, ticket)
}

// spend runs one request of that usage.
func (w *world) spend(u limiter.Usage, limits ...*limiter.Limit) {
	w.t.Helper()
	w.commit(w.admit(limits...), u)
}

func (w *world) used(l *limiter.Limit) int64 {
	return w.memory.Read(w.now, l.Counter).Used
}

func (w *world) wantUsed(l *limiter.Limit, want int64) {
	w.t.Helper()
	if got := w.used(l); got != want {
		w.t.Fatalf("%s counter %s stands at %d, want %d", l.Counter.Name().Meter, l.Counter.Name(), got, want)
	}
}

func requests(amount, window int64, strategy limiter.Strategy) limiter.Rule {
	return limiter.Rule{Meter: limiter.MeterRequests, Amount: amount, Window: window, Strategy: strategy}
}

func tokens(amount, window int64) limiter.Rule {
	return limiter.Rule{Meter: limiter.MeterTokens, Amount: amount, Window: window, Strategy: limiter.SlidingWindow}
}

// aligned counts tokens in windows that begin at multiples of the window.
func aligned(amount, window int64) limiter.Rule {
	rule := tokens(amount, window)
	rule.Strategy = limiter.Aligned
	return rule
}

func concurrency(amount int64) limiter.Rule {
	return limiter.Rule{Meter: limiter.MeterConcurrency, Amount: amount, Window: 60, Strategy: limiter.SlidingWindow}
}
