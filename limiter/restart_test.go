package limiter_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"relay/limiter"
	"relay/limiter/limitertest"
)

// disk is what a store keeps of snapshots.
type disk map[string][]byte

func (d disk) snapshot(m *limiter.Memory, now limiter.Instant) (through uint64) {
	return m.Snapshot(now, func(name string, state []byte) {
		if d[name] = state; state == nil {
			delete(d, name)
		}
	})
}

// restart makes the limiter of the next process from what the disk holds.
func (d disk) restart(tb testing.TB, now limiter.Instant) limitertest.Backend {
	tb.Helper()
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	for name, state := range d {
		if err := memory.Restore(now, name, state); err != nil {
			tb.Fatal(err)
		}
	}
	return limitertest.Backend{Limiter: memory, Registry: registry, Read: memory.Read, Reset: memory.Reset}
}

// TestRestart_ChangesNoVerdict plays random traces with a clean stop in the
// middle, snapshots before it: afterwards every verdict, wait and count is what
// the slow model says, which knows of no restart but that leases are back.
func TestRestart_ChangesNoVerdict(t *testing.T) {
	t.Parallel()
	for seed := range seeds() {
		random := rand.New(rand.NewPCG(seed, 1))
		trace := limitertest.Random(seed, 1)
		stop := random.IntN(len(trace.Steps))
		registry := limiter.NewRegistry()
		memory := limiter.NewMemory(registry)
		r := restarted{t: t, seed: seed, trace: trace, model: limitertest.NewModel(trace.Rules), disk: disk{}}
		r.player = limitertest.NewPlayer(limitertest.Backend{Limiter: memory, Registry: registry, Read: memory.Read, Reset: memory.Reset}, trace)
		for _, s := range trace.Steps[:stop] {
			r.do(s)
			if random.IntN(4) == 0 {
				r.disk.snapshot(memory, r.player.Now)
			}
		}
		r.restart(memory)
		for _, s := range trace.Steps[stop:] {
			r.do(s)
		}
	}
}

type restarted struct {
	t       *testing.T
	seed    uint64
	trace   limitertest.Trace
	player  *limitertest.Player
	model   *limitertest.Model
	disk    disk
	commits uint64 // by earlier processes
}

func (r *restarted) do(s limitertest.Step) {
	r.t.Helper()
	s.Late = 0 // snapshots read the clock, too
	got := r.player.Do(s)
	want := r.model.Do(r.player.Now, s)
	if got.Commit > 0 {
		got.Commit += r.commits
	}
	if got != want {
		r.t.Fatalf("seed %d: %s comes to %+v, want %+v", r.seed, s, got, want)
	}
	if s.Do == limitertest.Edit {
		r.trace.Rules[s.Rule].Amount, r.trace.Rules[s.Rule].Reserve = s.Amount, s.Reserve
	}
}

func (r *restarted) restart(memory *limiter.Memory) {
	for ticket := range len(r.trace.Steps) {
		r.do(limitertest.Step{Do: limitertest.Release, Ticket: ticket})
	}
	r.disk.snapshot(memory, r.player.Now)
	r.commits = memory.Commit(r.t.Context(), r.player.Now, limiter.Usage{}, reserved(r.t, memory, r.player.Now), nil) - 1
	now := r.player.Now
	r.player = limitertest.NewPlayer(r.disk.restart(r.t, now), r.trace)
	r.player.Now = now
}

// reserved returns a ticket without limits, reserved.
func reserved(t *testing.T, memory *limiter.Memory, now limiter.Instant) *limiter.Ticket {
	ticket := &limiter.Ticket{}
	if _, err := memory.Reserve(t.Context(), now, ticket); err != nil {
		t.Fatal(err)
	}
	return ticket
}

// TestCrash_LeavesCountersAtTheSumOfStoredEvents runs random requests against
// limits of every kind, with a writer that stores the settled events of a
// snapshot together with it, and lets the process die at a random moment. Token
// counters and budgets then stand at the sum of the stored events; request
// counters are ahead of it by no more than what was admitted besides, and never
// behind; counters that book are ahead by what was booked and open when the
// writer wrote.
func TestCrash_LeavesCountersAtTheSumOfStoredEvents(t *testing.T) {
	t.Parallel()
	for seed := range seeds() {
		c := newCrashing(t, seed)
		for range c.IntN(40) {
			c.step()
		}
		c.crash()
	}
}

// crashing is a process with a writer. Its windows are longer than its life.
type crashing struct {
	*world
	*rand.Rand
	seed     uint64
	limits   []*limiter.Limit
	open     []*limiter.Ticket
	admitted int64
	settled  []settled // events that wait for the writer
	disk     disk
	stored   []settled
	booked   int64 // as of the disk
}

type settled struct {
	commit uint64
	usage  limiter.Usage
}

func newCrashing(t *testing.T, seed uint64) *crashing {
	w := newWorld(t)
	c := &crashing{world: w, Rand: rand.New(rand.NewPCG(seed, 2)), seed: seed, disk: disk{}}
	c.limits = []*limiter.Limit{
		w.budget("owner", 1<<40, limiter.PeriodDay, ""), w.budget("owner", 1<<40, limiter.PeriodTotal, ""),
		w.limit("owner", tokens(1<<40, 3600)),
		w.limit("owner", limiter.Rule{Meter: limiter.MeterOutput, Amount: 1 << 40, Window: 3600, Strategy: limiter.Aligned}),
		w.limit("owner", requests(1<<40, 3600, limiter.SlidingWindow)),
		w.limit("owner", requests(1<<40, 3600, limiter.FixedWindow)),
		w.limit("owner", requests(1<<40, 3600, limiter.SessionWindow)),
		booking(w.limit("booked", tokens(1<<40, 3600))),
	}
	return c
}

func (c *crashing) step() {
	c.pass(time.Duration(c.Int64N(int64(10 * time.Second))))
	switch n := c.IntN(10); {
	case n < 4:
		c.open = append(c.open, c.mustBook(4, 6, c.limits...))
		c.admitted++
	case n < 8 && len(c.open) > 0:
		c.end()
	case n == 8:
		c.write()
	}
}

func (c *crashing) end() {
	i := c.IntN(len(c.open))
	ticket := c.open[i]
	c.open = append(c.open[:i], c.open[i+1:]...)
	if c.IntN(5) == 0 {
		c.cancel(ticket)
		return
	}
	usage := limiter.Usage{Input: c.Int64N(9), Output: c.Int64N(9), CostNanos: c.Int64N(9)} // 10 are booked
	c.settled = append(c.settled, settled{c.commit(ticket, usage), usage})
}

// write stores a snapshot with the events that it contains.
func (c *crashing) write() {
	through := c.disk.snapshot(c.memory, c.now)
	later := c.settled[:0:0]
	for _, e := range c.settled {
		if e.commit <= through {
			c.stored = append(c.stored, e)
		} else {
			later = append(later, e)
		}
	}
	c.settled, c.booked = later, 10*int64(len(c.open))
}

func (c *crashing) crash() {
	var cost, all, output int64
	for _, e := range c.stored {
		cost, all, output = cost+e.usage.CostNanos, all+e.usage.Input+e.usage.Output, output+e.usage.Output
	}
	next := c.disk.restart(c.t, c.now)
	used := func(i int) int64 { return next.Read(c.now, next.Registry.Use(1, c.limits[i].Counter.Name())).Used }
	for i, want := range map[int]int64{0: cost, 1: cost, 2: all, 3: output, 7: all + c.booked} {
		if got := used(i); got != want {
			c.t.Fatalf("seed %d: %s stands at %d, want what the stored events sum to and what was booked, %d", c.seed, c.limits[i].Counter.Name(), got, want)
		}
	}
	for i := 4; i < 7; i++ {
		if got := used(i); got < int64(len(c.stored)) || got > c.admitted {
			c.t.Fatalf("seed %d: %s stands at %d with %d events stored and %d admitted", c.seed, c.limits[i].Counter.Name(), got, len(c.stored), c.admitted)
		}
	}
}
