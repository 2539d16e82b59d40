package limitertest

import (
	"math"
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
