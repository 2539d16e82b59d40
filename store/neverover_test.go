package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// limited is a process in small: a limit of five requests a day and a budget,
// whose counters a database keeps.
type limited struct {
	t        *testing.T
	db       *store.DB
	registry *limiter.Registry
	memory   *limiter.Memory
	clock    *limiter.Clock
	limits   []*limiter.Limit
	arrived  int // at the upstream
}

const fiveADay = 5

func newLimited(t *testing.T, db *store.DB) *limited {
	l := &limited{t: t, db: db, registry: limiter.NewRegistry(), clock: limiter.NewClock(nil)}
	l.memory = limiter.NewMemory(l.registry)
	source := &limiter.Source{}
	l.limits = []*limiter.Limit{
		{Amount: fiveADay, Source: source, Counter: l.registry.Use(1, limiter.Name{Owner: "o", Meter: limiter.MeterRequests, Strategy: limiter.SlidingWindow, Window: 86400})},
		{Amount: 1 << 40, Source: source, Counter: l.registry.Use(1, limiter.Name{Owner: "o", Meter: limiter.MeterCost, Period: limiter.PeriodTotal})},
	}
	err := db.Counters(func(name string, state []byte) error { return l.memory.Restore(l.clock.Now(), name, state) })
	if err != nil {
		t.Fatal(err)
	}
	db.StartUsage(l)
	return l
}

func (l *limited) Snapshot(put func(string, []byte)) uint64 {
	return l.memory.Snapshot(l.clock.Now(), put)
}
func (l *limited) Dirty() bool             { return l.memory.Dirty() }
func (l *limited) Wanted() <-chan struct{} { return l.memory.Wanted() }
func (l *limited) Kept()                   { l.memory.Kept() }

// call makes a request that costs one nano-dollar and reports whether it
// reached the upstream. With patience it waits so long for the disk before.
func (l *limited) call(patience time.Duration) bool {
	l.t.Helper()
	ticket := &limiter.Ticket{}
	ticket.Add(l.limits)
	if r, _ := l.memory.Reserve(l.t.Context(), l.clock.Now(), ticket); r.Refused() {
		return false
	}
	if patience > 0 {
		ctx, cancel := context.WithTimeout(l.t.Context(), patience)
		defer cancel()
		if l.memory.AwaitKept(ctx, ticket.Stamp()) != nil {
			l.memory.Cancel(l.t.Context(), l.clock.Now(), ticket)
			return false
		}
	}
	l.arrived++
	commit := l.memory.Commit(l.t.Context(), l.clock.Now(), limiter.Usage{CostNanos: 1}, ticket, nil)
	l.db.RecordUsage(commit, time.Now(), store.AppendEvent(nil, typicalEvent()), 0)
	return true
}

func (l *limited) spent() int64 {
	return l.memory.Read(l.clock.Now(), l.limits[1].Counter).Used
}

// crash leaves what is on disk now to another process.
func (l *limited) crash() *limited {
	next := newLimited(l.t, mustOpen(l.t, cutOf(l.t, l.db)))
	next.arrived = l.arrived
	return next
}

// TestNeverOver_HoldsOverACrashWhileTheDiskFails runs up to the amount while
// the disk takes nothing, crashes, and tries again. Without waiting for the
// disk the same goes over, twice the amount.
func TestNeverOver_HoldsOverACrashWhileTheDiskFails(t *testing.T) {
	for name, c := range map[string]struct {
		patience time.Duration
		want     int
	}{"waiting": {3 * time.Second, fiveADay}, "not waiting": {0, 2 * fiveADay}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimited(t, storetest.Open(t))
				store.HookWrites(l.db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("no space left on device") })
				for range 2 * fiveADay {
					l.call(c.patience)
				}
				next := l.crash()
				store.HookWrites(l.db, nil)
				for range 2 * fiveADay {
					next.call(c.patience)
				}
				if next.arrived != c.want {
					t.Errorf("%d reached the upstream under a limit of %d, want %d", next.arrived, fiveADay, c.want)
				}
			})
		})
	}
}

// TestNeverOver_WhatABudgetHasSpentBeforeARequestIsSentOnIsOnDisk crashes
// while every request is at the upstream.
func TestNeverOver_WhatABudgetHasSpentBeforeARequestIsSentOnIsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimited(t, storetest.Open(t))
		for n := range int64(fiveADay) {
			if !l.call(time.Second) {
				t.Fatal("refused")
			}
			next := newLimited(t, mustOpen(t, cutOf(t, l.db)))
			if got := next.spent(); got != n {
				t.Errorf("with request %d at the upstream %d are spent on disk, want %d", n+1, got, n)
			}
		}
	})
}
