package limiter

import (
	"sync"
	"time"
)

// jitter is how far the wall clock may fall behind the monotonic one before it
// counts as set back. The two are read one after the other, so their distance
// trembles; adding up every tremble would make V run fast.
const jitter = int64(time.Second)

// Clock is the limiter's clock. At each reading V grows by the larger of the
// monotonic step and the wall step; a wall clock that was set back counts as
// the monotonic one. So a step back neither freezes nor re-opens a window, and
// a machine that slept does not keep its callers limited. Safe for concurrent
// use.
type Clock struct {
	read func() (mono time.Duration, wall time.Time)

	mu    sync.Mutex
	v     int64
	given int64 // the last V that a caller has seen
	mono  int64
	lead  int64 // wall minus monotonic that V has already taken in
}

// NewClock returns a clock whose V starts at the wall clock's Unix time. read
// returns a monotonic reading and the wall clock; nil means the machine's. It
// is called by one goroutine at a time.
func NewClock(read func() (mono time.Duration, wall time.Time)) *Clock {
	if read == nil {
		read = machineClock(time.Now())
	}
	mono, wall := read()
	c := &Clock{read: read, v: wall.UnixNano(), mono: int64(mono)}
	c.lead = c.v - c.mono
	return c
}

func machineClock(start time.Time) func() (time.Duration, time.Time) {
	return func() (time.Duration, time.Time) {
		now := time.Now()
		return now.Sub(start), now
	}
}

// Now reads the clock. V never goes back.
func (c *Clock) Now() Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.advance()
	c.given = c.v
	return Instant{V: c.v, Wall: wall}
}

// Restore lets V continue where a former process left it: at v plus what the
// wall clock has gone on since, or at v when it now stands before wall. V does
// not go below a reading already given.
func (c *Clock) Restore(v int64, wall time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gone := max(0, c.advance()-wall.UnixNano())
	c.v = max(c.given, addCapped(v, gone))
}

// advance takes one reading into V and returns its wall time.
func (c *Clock) advance() int64 {
	mono, at := c.read()
	wall := at.UnixNano()
	c.v += max(0, int64(mono)-c.mono)
	c.mono = int64(mono)

	lead := wall - c.mono
	if lead < c.lead-jitter {
		c.lead = lead
	}
	c.v += max(0, lead-c.lead)
	c.lead = max(c.lead, lead)
	return wall
}
