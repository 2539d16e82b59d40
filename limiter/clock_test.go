package limiter_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"relay/limiter"
)

// machine is a pair of clocks that a test moves.
type machine struct {
	mono time.Duration
	wall time.Time
}

func (m *machine) read() (time.Duration, time.Time) { return m.mono, m.wall }

func (m *machine) pass(d time.Duration) {
	m.mono += d
	m.wall = m.wall.Add(d)
}

// setWall steps the wall clock alone.
func (m *machine) setWall(d time.Duration) { m.wall = m.wall.Add(d) }

// clockedWorld is a world whose clock is a real Clock over a machine.
type clockedWorld struct {
	*world
	machine *machine
	clock   *limiter.Clock
}

func newClockedWorld(t testing.TB) *clockedWorld {
	m := &machine{mono: time.Hour, wall: noon}
	return &clockedWorld{newWorld(t), m, limiter.NewClock(m.read)}
}

func (w *clockedWorld) tick() { w.now = w.clock.Now() }

func TestClock_StartsAtUnixTimeAndFollowsIt(t *testing.T) {
	w := newClockedWorld(t)
	for range 3 {
		if got, want := w.clock.Now(), at(w.machine.wall); got != want {
			t.Fatalf("clock reads %+v, want %+v", got, want)
		}
		w.machine.pass(90 * time.Second)
	}
}

func TestClock_ReadsTheMachineWhenNotTold(t *testing.T) {
	before := time.Now().UnixNano()
	clock := limiter.NewClock(nil)
	one, two := clock.Now(), clock.Now()
	if one.V < before || two.V < one.V || two.Wall < before {
		t.Fatalf("clock reads %+v then %+v, and the machine %d before", one, two, before)
	}
}

// TestClock_MeasuresTheMachineFromItsStart reads the machine an hour after a
// start: the monotonic reading is what V goes on by when the wall clock is set
// back, which a test cannot do to the machine.
func TestClock_MeasuresTheMachineFromItsStart(t *testing.T) {
	read := limiter.MachineClock(time.Now().Add(-time.Hour))
	one, _ := read()
	two, _ := read()
	if one < time.Hour || two < one {
		t.Fatalf("an hour after the start the monotonic clock reads %s, then %s", one, two)
	}
}

func TestClock_StandsStillWhenBothClocksGoBack(t *testing.T) {
	w := newClockedWorld(t)
	before := w.clock.Now().V
	w.machine.pass(-time.Minute)
	if v := w.clock.Now().V; v != before {
		t.Fatalf("V is %d, want %d as before", v, before)
	}
	w.machine.pass(time.Second)
	if v := w.clock.Now().V; v != before+int64(time.Second) {
		t.Fatalf("V is %d a second later, want %d and a second", v, before)
	}
}

func TestClock_NeverGoesBackAndGrowsByTheLargerStep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newClockedWorld(t)
		last, drift := w.clock.Now().V, int64(0)
		for range 50 {
			mono := rapid.Int64Range(0, 5e9).Draw(rt, "mono")
			wall := mono + rapid.SampledFrom([]int64{0, 0, 0, 400e6, -10e9, 10e9, -3600e9, 86400e9}).Draw(rt, "step")
			w.machine.mono += time.Duration(mono)
			w.machine.setWall(time.Duration(wall))
			drift += max(mono, wall)
			v := w.clock.Now().V
			if v < last || v-noon.UnixNano() != drift {
				rt.Fatalf("V is %d after %d, %d ns from the start, want %d", v, last, v-noon.UnixNano(), drift)
			}
			last = v
		}
	})
}

// TestClock_DoesNotAddUpTrembling reads a wall clock that trembles by 300 µs
// around the monotonic one, as two clocks read one after the other do.
func TestClock_DoesNotAddUpTrembling(t *testing.T) {
	w := newClockedWorld(t)
	for i := range 100_000 {
		w.machine.pass(time.Millisecond)
		w.machine.setWall([]time.Duration{300, -300}[i%2] * time.Microsecond)
		w.clock.Now()
	}
	if off := w.clock.Now().V - w.machine.wall.UnixNano(); off < 0 || off > int64(time.Millisecond) {
		t.Fatalf("V is off by %s after 100 s", time.Duration(off))
	}
}

// K1
func TestClock_StepBackNeitherResetsNorAdmitsMore(t *testing.T) {
	for _, step := range []time.Duration{10 * time.Second, time.Hour, 24 * time.Hour} {
		w := newClockedWorld(t)
		limits := w.oneOfEach(3)[1:6]
		w.tick()
		for range 3 {
			w.admit(limits...)
		}
		w.machine.pass(time.Second)
		w.machine.setWall(-step)
		w.tick()
		for _, l := range []*limiter.Limit{limits[0], limits[1], limits[4]} {
			if r := w.refuse(l); r.RetryAfter() < 1 || r.RetryAfter() > 60 {
				t.Errorf("Retry-After is %d after a step back of %s, want 1 to 60", r.RetryAfter(), step)
			}
			w.wantUsed(l, 3)
		}
		w.machine.pass(60 * time.Second)
		w.tick()
		w.admit(limits...)
	}
}

// K2
func TestClock_StepForwardAndBackFreezesNothing(t *testing.T) {
	for _, step := range []time.Duration{10 * time.Second, 24 * time.Hour} {
		w := newClockedWorld(t)
		limits := w.oneOfEach(3)[1:6]
		admitted := 0
		drain := func() {
			w.tick()
			for {
				if _, r := w.reserve(limits...); r.Refused() {
					return
				}
				admitted++
			}
		}
		drain()
		w.machine.setWall(step)
		drain()
		w.machine.setWall(-step)
		drain()
		if admitted > 6 {
			t.Errorf("%d admitted around a step of %s, want at most one early window", admitted, step)
		}
		w.machine.pass(61 * time.Second)
		w.tick()
		w.admit(limits...)
	}
}

// K3
func TestClock_RestartBehindTheSnapshotKeepsCounters(t *testing.T) {
	w := newClockedWorld(t)
	limits := w.oneOfEach(3)[:6]
	w.tick()
	for range 3 {
		w.spend(limiter.Usage{Input: 1, CostNanos: 1}, limits...)
	}
	states := w.snapshot()

	next := newClockedWorld(t)
	next.machine.mono = 0
	next.machine.setWall(-24 * time.Hour)
	next.restoreClock(states)
	next.tick()
	if next.now.V != w.now.V {
		t.Fatalf("V continues at %d, want %d: age counts from 0", next.now.V, w.now.V)
	}
	next.restore(states)
	for _, l := range next.oneOfEach(3)[:6] {
		next.wantUsed(l, 3)
	}
}

// K4
func TestClock_SleepEmptiesTheWindow(t *testing.T) {
	w := newClockedWorld(t)
	limit := w.limit("owner", requests(1, 3600, limiter.SlidingWindow))
	w.tick()
	w.admit(limit)
	w.machine.setWall(-time.Hour)
	w.tick()
	w.refuse(limit)
	w.machine.setWall(8 * time.Hour)
	w.tick()
	w.wantUsed(limit, 0)
	w.admit(limit)
}

// TestClock_NoJumpBreaksAWindow moves the wall clock about at random while
// callers press: between two jumps forward no window of monotonic time holds
// more than the amount, waits stay within a window, and whoever waits one out,
// whatever the wall clock does meanwhile, is admitted.
func TestClock_NoJumpBreaksAWindow(t *testing.T) {
	t.Parallel()
	const amount, window = 3, 60
	for seed := range seeds() {
		random := rand.New(rand.NewPCG(seed, 4))
		w := newClockedWorld(t)
		limit := w.limit("owner", requests(amount, window, limiter.SlidingWindow))
		var admitted []int64
		for range 60 {
			w.machine.pass(time.Duration(random.Int64N(int64(20 * time.Second))))
			switch jump := time.Duration(random.Int64N(int64(48 * time.Hour))); random.IntN(10) {
			case 0:
				w.machine.setWall(-jump)
			case 1:
				w.machine.setWall(jump)
				admitted = nil
			case 2:
				w.machine.setWall(-jump % time.Minute)
			}
			w.tick()
			_, refusal := w.reserve(limit)
			switch {
			case refusal.Refused() && (refusal.RetryAfter() < 1 || refusal.RetryAfter() > window+1):
				t.Fatalf("seed %d: Retry-After is %d", seed, refusal.RetryAfter())
			case !refusal.Refused():
				admitted = append(admitted, int64(w.machine.mono))
			}
			if n := since(admitted, int64(w.machine.mono)-window*int64(time.Second)); n > amount {
				t.Fatalf("seed %d: %d of %d in one window", seed, n, amount)
			}
		}
		w.machine.pass((window + 1) * time.Second)
		w.machine.setWall(-time.Duration(random.Int64N(int64(time.Hour))))
		w.tick()
		w.admit(limit)
	}
}

func TestClock_SleepBeforeTheFirstReadingCounts(t *testing.T) {
	w := newClockedWorld(t)
	w.machine.setWall(8 * time.Hour)
	if got, want := w.clock.Now(), at(noon.Add(8*time.Hour)); got != want {
		t.Fatalf("clock reads %+v, want %+v", got, want)
	}
}

func TestClock_RestoreContinues(t *testing.T) {
	w := newClockedWorld(t)
	ahead := noon.Add(time.Hour).UnixNano()
	w.clock.Restore(ahead, noon.Add(-time.Minute))
	if v := w.clock.Now().V; v != ahead+int64(time.Minute) {
		t.Fatalf("V is %d, want a minute after %d", v, ahead)
	}
	w.clock.Restore(5, noon)
	if v := w.clock.Now().V; v < ahead {
		t.Fatalf("V went back to %d", v)
	}
	w.clock.Restore(math.MaxInt64, noon.Add(-time.Hour))
	if v := w.clock.Now().V; v != math.MaxInt64 {
		t.Fatalf("V is %d, want the largest there is", v)
	}
}

func TestClock_IsSafeForManyGoroutines(t *testing.T) {
	clock := limiter.NewClock(nil)
	var mu sync.Mutex
	latest := int64(0)
	parallel(8, func() {
		for range 500 {
			mu.Lock()
			if v := clock.Now().V; v < latest {
				t.Errorf("V went back to %d from %d", v, latest)
			} else {
				latest = v
			}
			mu.Unlock()
			clock.Now()
		}
	})
}
