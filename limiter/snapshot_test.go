package limiter_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/limiter"
)

// snapshot returns what a snapshot puts, by name; nil for counters that went.
func (w *world) snapshot() map[string][]byte {
	states := map[string][]byte{}
	w.memory.Snapshot(w.now, func(name string, state []byte) {
		if states[name] != nil {
			w.t.Errorf("%s is put twice", name)
		}
		states[name] = state
	})
	return states
}

func (w *world) restore(states map[string][]byte) {
	w.t.Helper()
	for name, state := range states {
		if err := w.memory.Restore(w.now, name, state); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *clockedWorld) restoreClock(states map[string][]byte) {
	w.t.Helper()
	v, wall, err := limiter.ParseClockState(states[limiter.ClockName])
	if err != nil {
		w.t.Fatal(err)
	}
	w.clock.Restore(v, wall)
}

func TestSnapshot_PutsOnlyWhatChanged(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)
	if states := w.snapshot(); len(states) != 0 || w.memory.Dirty() {
		t.Fatalf("a limiter without traffic puts %d states", len(states))
	}
	ticket := w.admit(limits...)
	puts := 0
	states := map[string][]byte{}
	w.memory.Snapshot(w.now, func(name string, state []byte) { states[name] = state; puts++ })
	if puts != 6 || len(states) != 6 {
		t.Fatalf("a reserve over five request rules puts %d states, want 5 and the clock", len(states))
	}
	number := w.commit(ticket, limiter.Usage{Input: 1, CostNanos: 1})
	if !w.memory.Dirty() {
		t.Fatal("a commit of usage changed nothing")
	}
	through := w.memory.Snapshot(w.now, func(name string, state []byte) {
		if name != limiter.ClockName && !strings.Contains(name, "/tokens/") && !strings.Contains(name, "/cost/") {
			t.Errorf("%s is put again", name)
		}
	})
	if through != number {
		t.Fatalf("snapshot is through commit %d, want %d", through, number)
	}
	w.admit(limits[1])
	w.admit(limits[1])
	if !w.memory.Dirty() {
		t.Fatal("one change is none")
	}
	if states := w.snapshot(); len(states) != 2 {
		t.Fatalf("one change puts %d states, want its own and the clock", len(states))
	}
	if states := w.snapshot(); len(states) != 0 {
		t.Fatalf("nothing changed and %d states are put", len(states))
	}
}

func TestSnapshot_PutsWhatACancelGaveBack(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)
	ticket := w.admit(limits...)
	w.snapshot()
	w.cancel(ticket)
	states := w.snapshot()
	for i, l := range limits {
		state, put := states[l.Counter.Name().String()]
		if gaveBack := i >= 3 && i <= 5; put != gaveBack || state != nil {
			t.Errorf("%s is put: %t, as %v", l.Counter.Name(), put, state)
		}
	}
}

func TestSnapshot_PutsNothingOfWhatWasGivenBackBefore(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", requests(5, 60, limiter.TokenBucket))
	w.cancel(w.admit(limit))
	if states := w.snapshot(); len(states) != 0 {
		t.Fatalf("a request that was given back puts %v", states)
	}
	if w.registry.Sweep(2, w.now); w.memory.Dirty() || w.registry.Len() != 0 {
		t.Fatalf("%d counters are left, and of one that was never put a snapshot is to say that it went: %t", w.registry.Len(), w.memory.Dirty())
	}
	limit = w.limit("owner", requests(5, 60, limiter.TokenBucket))
	ticket := w.admit(limit)
	w.snapshot()
	w.cancel(ticket)
	w.snapshot()
	w.pass(time.Hour)
	w.registry.Sweep(2, w.now)
	if states := w.snapshot(); len(states) != 0 || w.registry.Len() != 0 {
		t.Fatalf("a counter whose state went before puts %v", states)
	}
}

func TestSnapshot_LeavesLeasesOut(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", concurrency(2))
	w.admit(limit)
	if w.memory.Dirty() {
		t.Fatal("a lease is to be kept")
	}
	if err := w.memory.Restore(w.now, limit.Counter.Name().String(), []byte{1, 4, 0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	w.wantUsed(limit, 1)
}

func TestSnapshot_SaysWhenACounterIsGone(t *testing.T) {
	w := newWorld(t)
	kept := w.limit("kept", requests(5, 60, limiter.SlidingWindow))
	gone := w.limit("gone", requests(5, 60, limiter.TokenBucket))
	w.spend(limiter.Usage{}, kept, gone)
	w.snapshot()
	w.cancel(w.admit(gone))
	w.pass(2 * time.Minute)
	w.registry.Use(2, kept.Counter.Name())
	w.registry.Sweep(2, w.now)
	states := w.snapshot()
	for _, l := range []*limiter.Limit{kept, gone} {
		if state, put := states[l.Counter.Name().String()]; !put || state != nil {
			t.Errorf("%s is put as %v, want nil", l.Counter.Name(), state)
		}
	}
	if states := w.snapshot(); len(states) != 0 || w.registry.Len() != 1 {
		t.Fatalf("%v is put again, and %d counters are left, want the one that is in use", states, w.registry.Len())
	}
}

// TestSnapshot_SaysThatAnEmptiedCounterIsGone has a ring emptied by a reserve
// that only looked at it, and forgotten before it was idle for two windows.
func TestSnapshot_SaysThatAnEmptiedCounterIsGone(t *testing.T) {
	w := newWorld(t)
	ring := w.limit("owner", tokens(5, 60))
	w.spend(limiter.Usage{Input: 6}, ring)
	w.snapshot()
	w.pass(90 * time.Second)
	w.release(w.admit(ring))
	w.registry.Sweep(2, w.now)
	state, put := w.snapshot()[ring.Counter.Name().String()]
	if w.registry.Len() != 0 || !put || state != nil {
		t.Fatalf("%d counters are left, and the empty one is put: %t, as %v", w.registry.Len(), put, state)
	}
}

func TestSnapshot_PutsANewCounterAfterTheOneOfItsNameWent(t *testing.T) {
	w := newWorld(t)
	rule := requests(5, 60, limiter.SlidingWindow)
	w.admit(w.limit("owner", rule))
	w.snapshot()
	w.pass(5 * time.Minute)
	w.registry.Sweep(2, w.now)
	again := w.limit("owner", rule)
	w.admit(again)
	if state := w.snapshot()[again.Counter.Name().String()]; state == nil {
		t.Fatal("the new counter's state did not come last")
	}
}

func TestRestore_DropsWhatHasAgedOut(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(5)[:8]
	w.spend(limiter.Usage{Input: 1, CostNanos: 1}, limits...)
	states := w.snapshot()
	delete(states, limiter.ClockName)

	next := newWorld(t)
	next.pass(49 * time.Hour)
	next.restore(states)
	gone := next.snapshot()
	for name := range states {
		if state, put := gone[name]; !put || state != nil {
			t.Errorf("%s is put as %v, want nil", name, state)
		}
	}
	next.registry.Sweep(1, next.now)
	if n := next.registry.Len(); n != 0 {
		t.Fatalf("%d counters are left of a state that has aged out", n)
	}
}

// TestRestore_DropsWhatIsOlderThanTime has a state whose last charge was longer
// ago than its clock goes back.
func TestRestore_DropsWhatIsOlderThanTime(t *testing.T) {
	w := newWorld(t)
	state := append(binary.AppendUvarint([]byte{1, 1, 9}, math.MaxInt64), 1, 9)
	if err := w.memory.Restore(w.now, "o/l////requests/fixed-window/60", state); err != nil {
		t.Fatal(err)
	}
	w.registry.Sweep(1, w.now)
	if n := w.registry.Len(); n != 0 {
		t.Errorf("%d counters are left", n)
	}
}

func TestRestore_KeepsATotalBudget(t *testing.T) {
	w := newWorld(t)
	w.spend(limiter.Usage{CostNanos: 7}, w.budget("owner", 50, limiter.PeriodTotal, ""))
	next := newWorld(t)
	next.pass(3 * 366 * 24 * time.Hour)
	next.restore(w.snapshot())
	next.wantUsed(next.budget("owner", 50, limiter.PeriodTotal, ""), 7)
}

// TestRestore_CountsAgeFromZeroWithoutTheClock restores states onto a clock
// that starts before they were taken.
func TestRestore_CountsAgeFromZeroWithoutTheClock(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(1)[1:8]
	w.spend(limiter.Usage{Input: 2}, limits...)
	next := newWorld(t)
	next.pass(-24 * time.Hour)
	next.restore(w.snapshot())
	restored := next.oneOfEach(1)[1:8]
	for _, l := range restored {
		if r := next.refuse(l); r.Wait <= 0 || r.Wait > 61*time.Second {
			t.Errorf("%s: wait is %s, want at most a window", l.Counter.Name(), r.Wait)
		}
	}
	next.pass(61 * time.Second)
	next.admit(restored...)
}

// TestRestore_TakesReadingsThatArriveOutOfOrder restores states by a reading
// that is older than one before it: none of the time between is lost to them.
func TestRestore_TakesReadingsThatArriveOutOfOrder(t *testing.T) {
	w := newWorld(t)
	w.spend(everything(1), w.oneOfEach(2)[:8]...)
	next := newWorld(t)
	limits := next.oneOfEach(2)[:8]
	next.wantUsed(limits[0], 0)
	next.now.V -= int64(time.Hour)
	next.restore(w.snapshot())
	for _, l := range limits {
		if next.used(l) == 0 {
			t.Errorf("%s is lost", l.Counter.Name())
		}
	}
}

// TestRestore_KeepsABudgetThatWasSpentBefore1970 has a machine whose wall clock
// was lost, and V where a snapshot had left it.
func TestRestore_KeepsABudgetThatWasSpentBefore1970(t *testing.T) {
	w := newWorld(t)
	w.now.Wall = -int64(100 * time.Hour)
	w.spend(limiter.Usage{CostNanos: 7}, w.budget("owner", 5, limiter.PeriodDay, ""))
	next := newWorld(t)
	next.now = w.now
	next.restore(w.snapshot())
	next.refuse(next.budget("owner", 5, limiter.PeriodDay, ""))
}

func TestRestore_RefusesDamage(t *testing.T) {
	w := newWorld(t)
	for _, l := range w.oneOfEach(5)[:8] {
		w.spend(limiter.Usage{Input: 1, CostNanos: 1}, l)
	}
	next := newWorld(t)
	for name, state := range w.snapshot() {
		if name == limiter.ClockName {
			continue
		}
		for cut := range state {
			if next.memory.Restore(next.now, name, state[:cut]) == nil {
				t.Errorf("%s is restored from %d of %d bytes", name, cut, len(state))
			}
		}
		for _, damaged := range [][]byte{
			append(slices.Clone(state), 1), append(slices.Clone(state), 0, 0),
			append([]byte{9}, state[1:]...), append([]byte{1, 77}, state[2:]...), nil,
		} {
			if next.memory.Restore(next.now, name, damaged) == nil {
				t.Errorf("%s is restored from % x", name, damaged)
			}
		}
	}
	for _, name := range []string{"no/name", "o/l////requests/sliding-window/0", "o/l////no-such-meter/sliding-window/60"} {
		if err := next.memory.Restore(next.now, name, []byte{1, 0, 9, 0, 60, 1}); err == nil {
			t.Errorf("a state is restored under %q, which names no counter", name)
		}
	}
	later := append([]byte{9}, make([]byte, 8)...)
	if err := next.memory.Restore(next.now, "o/l////requests/sliding-window/60", later); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("the error for a state of a later release is %v, and does not name its version", err)
	}
}

// TestRestore_RefusesWhatNoCounterCanHold has states whose numbers are well
// written and out of range.
func TestRestore_RefusesWhatNoCounterCanHold(t *testing.T) {
	for name, states := range map[string][][]byte{
		"o/l////requests/sliding-window/60": {
			{1, 0, 9, 0, 61, 1}, {1, 0, 9, 0, 60, 1, 0, 1}, {1, 0, 9, 0, 0, 0}, {1, 0, 9, 0, 0xc8, 1, 1},
		},
		"o/l////requests/token-bucket/1":   {append([]byte{1, 3, 9, 0, 1}, 0x80, 0x94, 0xeb, 0xdc, 0x03, 1), {1, 3, 9, 0, 1, 0, 0}},
		"o/l////requests/session-window/1": {append([]byte{1, 2, 9, 0, 1}, 0x81, 0x94, 0xeb, 0xdc, 0x03)},
		"o/l////requests/fixed-window/60":  {{1, 1, 9, 0, 0, 1}},
	} {
		for _, state := range states {
			w := newWorld(t)
			if err := w.memory.Restore(w.now, name, state); err == nil {
				t.Errorf("%s is restored from % x", name, state)
			}
		}
	}
	w := newWorld(t)
	for name, state := range map[string][]byte{
		"o/l////requests/sliding-window/60": {1, 0, 9, 0, 60, 1},
		"o/l////requests/token-bucket/1":    append([]byte{1, 3, 9, 0, 1}, 0xff, 0x93, 0xeb, 0xdc, 0x03, 1),
		"o/l////requests/session-window/1":  append([]byte{1, 2, 9, 0, 1}, 0x80, 0x94, 0xeb, 0xdc, 0x03),
	} {
		if err := w.memory.Restore(w.now, name, state); err != nil {
			t.Errorf("%s is not restored from % x: %v", name, state, err)
		}
	}
}

func TestRestore_KeepsWhatStandsAtTheTop(t *testing.T) {
	w := newWorld(t)
	aligned := tokens(9, 3600)
	aligned.Strategy = limiter.Aligned
	limits := []*limiter.Limit{w.limit("owner", tokens(9, 3600)), w.limit("owner", aligned), w.budget("owner", 9, limiter.PeriodMonth, "")}
	w.spend(limiter.Usage{Input: 5, CostNanos: 5}, limits...)
	w.pass(10 * time.Minute)
	w.spend(everything(math.MaxInt64), limits...)
	next := newWorld(t)
	next.now = w.now
	next.restore(w.snapshot())
	for _, l := range limits {
		if got := next.memory.Read(next.now, next.registry.Use(1, l.Counter.Name())).Used; got != math.MaxInt64 {
			t.Errorf("%s is restored at %d", l.Counter.Name(), got)
		}
	}
}

func TestClockState_ComesBack(t *testing.T) {
	for _, now := range []limiter.Instant{{}, at(noon), {V: math.MaxInt64, Wall: -5}} {
		v, wall, err := limiter.ParseClockState(limiter.ClockState(now))
		if err != nil || v != now.V || wall.UnixNano() != now.Wall {
			t.Errorf("%+v comes back as %d, %s, %v", now, v, wall, err)
		}
	}
	whole := limiter.ClockState(at(noon))
	for cut := range whole {
		if _, _, err := limiter.ParseClockState(whole[:cut]); err == nil {
			t.Errorf("a clock is read from %d of %d bytes", cut, len(whole))
		}
	}
	endless := append([]byte{1}, bytes.Repeat([]byte{0xff}, 12)...)
	for _, damaged := range [][]byte{append(slices.Clone(whole), 0), {2, 0, 0}, {1, 1, 0}, endless} {
		if _, _, err := limiter.ParseClockState(damaged); err == nil {
			t.Errorf("a clock is read from % x", damaged)
		}
	}
}

// TestSnapshot_HoldsTheSumOfTheCommitsItContains takes snapshots beside
// commits: each holds exactly what the commits up to its number added.
func TestSnapshot_HoldsTheSumOfTheCommitsItContains(t *testing.T) {
	w := newWorld(t)
	limit := w.limit("owner", tokens(1<<40, 3600))
	name := limit.Counter.Name().String()
	done := make(chan struct{})
	go func() {
		defer close(done)
		parallel(4, func() {
			for range 500 {
				ticket := &limiter.Ticket{}
				ticket.Add([]*limiter.Limit{limit})
				roundTrip(w.t, w.memory, w.now, limiter.Usage{Input: 1}, ticket)
			}
		})
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var kept []byte
		through := w.memory.Snapshot(w.now, func(n string, state []byte) {
			if n == name {
				kept = state
			}
		})
		if kept == nil {
			continue
		}
		next := newWorld(t)
		next.restore(map[string][]byte{name: kept})
		next.wantUsed(next.limit("owner", tokens(1<<40, 3600)), int64(through))
	}
	if n := w.memory.Commit(context.Background(), w.now, limiter.Usage{}, w.admit(), nil); n != 2001 {
		t.Fatalf("last commit is number %d, want 2001", n)
	}
}
