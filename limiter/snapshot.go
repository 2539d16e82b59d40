package limiter

import "fmt"

// ClockName is the name under which a snapshot keeps the clock, beside the
// counters.
const ClockName = "clock"

// row is one counter of a snapshot and where its state stands.
type row struct {
	counter  *Counter
	from, to int // equal: the counter is gone
}

// Snapshot calls put for every counter that changed since the last snapshot,
// and for the clock when there was any, and returns the number of the last
// commit that it contains. All states are of one moment. A nil state says that
// the counter is gone. put runs outside the mutex and may keep the state.
//
// What was put counts as kept: a caller that could not write a state keeps it
// and writes it with the next snapshot, later states of a name winning.
// Snapshots are taken by one goroutine at a time.
func (m *Memory) Snapshot(now Instant, put func(name string, state []byte)) (through uint64) {
	rows, states, now, through := m.cut(now)
	for _, r := range rows {
		var state []byte
		if r.from < r.to {
			state = states[r.from:r.to:r.to]
		}
		put(r.counter.Name().String(), state)
	}
	if len(rows) > 0 {
		put(ClockName, ClockState(now))
	}
	return through
}

// Dirty reports whether a counter changed since the last snapshot.
func (m *Memory) Dirty() bool {
	return m.registry.ledger.changes() > 0
}

func (l *ledger) changes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.dirty)
}

// cut takes the changed counters' states, encoded one after the other.
func (m *Memory) cut(now Instant) ([]row, []byte, Instant, uint64) {
	l := &m.registry.ledger
	room := l.changes() * 9 / 8 // for changes until the mutex is ours again
	rows, states := make([]row, 0, room), make([]byte, 0, room*64)

	l.mu.Lock()
	defer l.mu.Unlock()
	now = l.tick(now)
	for _, c := range l.dirty {
		from := len(states)
		states = c.snapshot(now, states)
		if c.stored || from < len(states) {
			rows = append(rows, row{c, from, len(states)})
		}
		c.stored, c.dirty = from < len(states), false
	}
	clear(l.dirty)
	l.dirty = l.dirty[:0]
	l.cut = l.stamp
	return rows, states, now, l.commits
}

// snapshot appends the counter's state, or nothing when there is none.
func (c *Counter) snapshot(now Instant, dst []byte) []byte {
	if c.algo == algoRing {
		c.roll(now.V)
	}
	if c.blank() {
		return dst
	}
	return c.state.append(dst, c.kind, now.V)
}

// Restore gives a counter the state that a former process put, before traffic.
// Concurrency starts over, and a state that has been idle for two windows is
// dropped and leaves with the next snapshot. The clock's own entry is skipped:
// restore it first, with ParseClockState and Clock.Restore. An error says that
// the name or the state is damaged; the counter then starts over.
func (m *Memory) Restore(now Instant, name string, state []byte) error {
	if name == ClockName {
		return nil
	}
	n, err := ParseName(name)
	if err != nil {
		return fmt.Errorf("restore counter: %w", err)
	}
	if n.Meter == MeterConcurrency {
		return nil
	}
	c := m.registry.restored(n)
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	now = l.tick(now)
	s, err := parseState(state, c.kind, now.V)
	if err != nil {
		return fmt.Errorf("restore counter %s: %w", name, err)
	}
	c.state, c.stored = s, true
	l.drop(c, now.V, false)
	return nil
}
