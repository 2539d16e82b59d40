package limitertest

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"relay/limiter"
)

// counter is a slow counter. stands and wait change nothing.
type counter interface {
	stands(now limiter.Instant, amount int64) int64
	charge(now limiter.Instant, amount, n int64) (mark int64)
	cancel(mark int64)
	release()
	wait(now limiter.Instant, target, amount int64) time.Duration
	clone() counter
	append(text []byte) []byte // equal for counters that cannot be told apart
}

func newCounter(n limiter.Name) counter {
	window := n.Window * int64(time.Second)
	if n.Meter == limiter.MeterCost {
		return &budget{period: n.Period, zone: zoneOf(n.Timezone)}
	}
	switch (limiter.Rule{Meter: n.Meter, Strategy: n.Strategy}).Algorithm() {
	case limiter.AlgorithmGauge:
		return &gauge{}
	case limiter.AlgorithmAligned, limiter.Algorithm(limiter.FixedWindow):
		return &logged{window: window, place: func(v int64) int64 { return v / window }, stays: 0}
	case limiter.Algorithm(limiter.TokenBucket), limiter.Algorithm(limiter.LeakyBucket):
		return &bucket{window: window}
	case limiter.Algorithm(limiter.SessionWindow):
		return &session{window: window}
	}
	return &logged{window: window, place: func(v int64) int64 { return slot(v, window) }, stays: 60}
}

// slot returns which sixtieth of the window v lies in.
func slot(v, window int64) int64 {
	hi, lo := bits.Mul64(uint64(v), 60)
	n, _ := bits.Div64(hi, lo, uint64(window))
	return int64(n)
}

// logged keeps every charge with the place it fell into, a slot or a window,
// and counts those of the present place and of so many before it.
type logged struct {
	window int64
	place  func(v int64) int64
	stays  int64
	log    []charge
}

type charge struct{ place, n int64 }

func (c *logged) stands(now limiter.Instant, _ int64) (sum int64) {
	oldest := c.place(now.V) - c.stays
	for _, e := range c.log {
		if e.place >= oldest {
			sum = add(sum, e.n)
		}
	}
	return sum
}

func (c *logged) charge(now limiter.Instant, _, n int64) int64 {
	place := c.place(now.V)
	c.log = slices.DeleteFunc(c.log, func(e charge) bool { return e.place < place-c.stays })
	if last := len(c.log) - 1; last >= 0 && c.log[last].place == place {
		c.log[last].n = add(c.log[last].n, n)
	} else {
		c.log = append(c.log, charge{place, n})
	}
	return 0
}

func (c *logged) cancel(int64) {}
func (c *logged) release()     {}

func (c *logged) wait(now limiter.Instant, target, amount int64) time.Duration {
	return search(c, now, target, amount, 2*c.window)
}

func (c *logged) clone() counter {
	clone := *c
	clone.log = slices.Clone(c.log)
	return &clone
}

func (c *logged) append(text []byte) []byte {
	for _, e := range c.log {
		text = numbers(text, e.place, e.n)
	}
	return text
}

// bucket holds its level in windows' parts: a request is one window, and amount
// of them drain in a nanosecond. Amount times window stays below 2^62.
type bucket struct{ window, level, last, amount int64 }

func (c *bucket) at(v, amount int64) int64 {
	level := min(c.level, amount*c.window)
	return max(0, level-amount*min(v-c.last, c.window))
}

// stands rounds up. Amount 0 reads it as of its last charge.
func (c *bucket) stands(now limiter.Instant, amount int64) int64 {
	if amount == 0 {
		amount = c.amount
	}
	return (c.at(now.V, amount) + c.window - 1) / c.window
}

func (c *bucket) charge(now limiter.Instant, amount, n int64) int64 {
	c.level = c.at(now.V, amount) + n*c.window
	c.last, c.amount = now.V, amount
	return 0
}

// cancel takes one out of what was in the bucket after the last charge.
func (c *bucket) cancel(int64) { c.level = max(0, c.level-c.window) }
func (c *bucket) release()     {}

func (c *bucket) wait(now limiter.Instant, target, amount int64) time.Duration {
	return search(c, now, target, amount, c.window)
}

func (c *bucket) clone() counter { clone := *c; return &clone }
func (c *bucket) append(text []byte) []byte {
	return numbers(text, c.level, c.last, c.amount)
}

// session counts in a window that its first charge opens. When all of its
// charges were given back it never was.
type session struct{ window, start, held int64 }

func (c *session) over(v int64) bool { return c.held == 0 || v >= c.start+c.window }

func (c *session) stands(now limiter.Instant, _ int64) int64 {
	if c.over(now.V) {
		return 0
	}
	return c.held
}

func (c *session) charge(now limiter.Instant, _, n int64) int64 {
	if c.over(now.V) {
		c.start, c.held = now.V, 0
	}
	c.held = add(c.held, n)
	return c.start
}

func (c *session) cancel(mark int64) {
	if mark == c.start && c.held > 0 {
		c.held--
	}
}

func (c *session) release() {}

func (c *session) wait(now limiter.Instant, _, _ int64) time.Duration {
	return time.Duration(c.start + c.window - now.V)
}

func (c *session) clone() counter { clone := *c; return &clone }
func (c *session) append(text []byte) []byte {
	return numbers(text, c.start, c.held)
}

// gauge counts leases. When one comes back nobody knows: a second is said.
type gauge struct{ held int64 }

func (c *gauge) stands(limiter.Instant, int64) int64 { return c.held }

func (c *gauge) charge(_ limiter.Instant, _, n int64) int64 {
	c.held += n
	return 0
}

func (c *gauge) cancel(int64) { c.held-- }
func (c *gauge) release()     { c.held-- }

func (c *gauge) wait(limiter.Instant, int64, int64) time.Duration { return time.Second }

func (c *gauge) clone() counter { clone := *c; return &clone }
func (c *gauge) append(text []byte) []byte {
	return numbers(text, c.held)
}

// search returns how long it takes until the counter is down to the target. It
// only falls while nothing is charged.
func search(c counter, now limiter.Instant, target, amount, longest int64) time.Duration {
	wait := sort.Search(int(longest), func(d int) bool {
		return c.stands(limiter.Instant{V: now.V + int64(d), Wall: now.Wall + int64(d)}, amount) <= target
	})
	return time.Duration(wait)
}

// add stops at the largest number.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
