package limiter_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"relay/limiter"
)

func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one left to finalizers and pools
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestCounter_LiesOnWholeCacheLines: what a reserve touches is the first of
// them, for every counter that the allocator places.
func TestCounter_LiesOnWholeCacheLines(t *testing.T) {
	if size := unsafe.Sizeof(limiter.Counter{}); size != 192 {
		t.Errorf("a counter takes %d bytes, want three cache lines", size)
	}
}

// TestMemory_CountsMillionsInTheSpaceOfTen runs 2,000,000 requests over a day
// against 10,000,000 a day for each of 100 policies.
func TestMemory_CountsMillionsInTheSpaceOfTen(t *testing.T) {
	const policies, each = 100, 20_000
	w := newWorld(t)
	before := heap()
	var limits [policies][]*limiter.Limit
	for i := range limits {
		limits[i] = []*limiter.Limit{w.limit(fmt.Sprint("policy ", i), requests(10_000_000, 86_400, limiter.SlidingWindow))}
	}
	var ticket limiter.Ticket
	for range each {
		for _, l := range limits {
			ticket.Reset()
			ticket.Add(l)
			roundTrip(t, w.memory, w.now, limiter.Usage{}, &ticket)
		}
		w.pass(24 * time.Hour / each)
	}
	taken := heap() - before
	t.Logf("the limiter takes %d bytes", taken)
	if taken > 128<<10 {
		t.Errorf("the limiter takes %d bytes for %d counters", taken, policies)
	}
	w.wantUsed(limits[7][0], each)
	w.returnsToEmpty(before)
}

// returnsToEmpty lets two windows pass without traffic, under a plan that uses
// none of the limits.
func (w *world) returnsToEmpty(before int64) {
	w.t.Helper()
	w.pass(48*time.Hour + time.Minute)
	w.registry.Sweep(2, w.now)
	w.memory.Snapshot(w.now, func(string, []byte) {}) // as the store's writer does
	w.registry.Sweep(2, w.now)
	if n := w.registry.Len(); n != 0 {
		w.t.Fatalf("%d counters are left when nothing is used", n)
	}
	if left := heap() - before; left > 64<<10 {
		w.t.Errorf("%d bytes are left when nothing is used", left)
	}
}

// TestRegistry_SpendsLittleOnACounter has 100,000 charged rings of as many
// owners.
func TestRegistry_SpendsLittleOnACounter(t *testing.T) {
	const n = 100_000
	w := newWorld(t)
	source, rule := source(limiter.ScopeKey, 0), requests(10, 86_400, limiter.SlidingWindow)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("0198a6ce-7b1f-7000-8000-%012d", i)
	}
	before := heap()
	var ticket limiter.Ticket
	for _, name := range names {
		ticket.Reset()
		ticket.Add([]*limiter.Limit{w.limitOf(source, name, rule)})
		roundTrip(t, w.memory, w.now, limiter.Usage{}, &ticket)
	}
	ticket.Reset()
	each := (heap() - before) / n
	t.Logf("a charged ring takes %d bytes", each)
	if each > 600 {
		t.Errorf("a charged ring takes %d bytes", each)
	}
	w.pass(48 * time.Hour)
	w.registry.Sweep(1, w.now)
	if each := (heap() - before) / n; each > 300 {
		t.Errorf("an idle counter takes %d bytes", each)
	}
	w.returnsToEmpty(before)
	runtime.KeepAlive(names)
}

// TestRegistry_ForgetsWindowsAndZones has rules of many windows and budgets of
// many zones, none twice.
func TestRegistry_ForgetsWindowsAndZones(t *testing.T) {
	w := newWorld(t)
	before := heap()
	for i := range int64(5000) {
		w.limit("owner", requests(1, i+1, limiter.SlidingWindow))
		w.budget(fmt.Sprint(i), 1, limiter.PeriodDay, fmt.Sprint("no such zone ", i))
	}
	w.returnsToEmpty(before)
}

// TestSplit_SpendsLittleOnAValue has as many client addresses as a split tells
// apart, and others that share.
func TestSplit_SpendsLittleOnAValue(t *testing.T) {
	all := []limiter.Rule{requests(60, 60, limiter.SlidingWindow), tokens(5000, 60), concurrency(10)}
	for n, rules := range map[int64][]limiter.Rule{65_536: all[:1], 10_000: all} {
		w := newWorld(t)
		split := w.splitOf(int(n%65_536), rules...) // 0: as many as there are without a word
		before := heap()
		for i := range n + n/8 {
			limits := split.Limits(w.now, fmt.Sprintf("2001:db8::%x:%x", i>>16, i&0xffff))
			if ticket, r := w.reserve(limits...); !r.Refused() {
				w.commit(ticket, limiter.Usage{Input: 1})
			}
		}
		each := (heap() - before) / n
		t.Logf("a value of %d rules takes %d bytes", len(rules), each)
		if each > 600*int64(len(rules))+150 || split.Len() != int(n) {
			t.Errorf("each of %d values of %d rules takes %d bytes", split.Len(), len(rules), each)
		}
		w.returnsToEmpty(before)
	}
}
