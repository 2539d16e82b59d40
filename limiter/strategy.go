package limiter

import "time"

// algo is an Algorithm as a small number. Strategies that count alike share
// one: a token bucket is a leaky bucket seen from above, and fixed windows
// differ from aligned ones only in the meters they take.
type algo uint8

const (
	algoRing algo = iota
	algoWindow
	algoSession
	algoBucket
	algoGauge
	algoBudget
)

func algoOf(n Name) algo {
	if n.Meter == MeterCost {
		return algoBudget
	}
	switch (Rule{Meter: n.Meter, Strategy: n.Strategy}).Algorithm() {
	case AlgorithmGauge:
		return algoGauge
	case AlgorithmAligned, Algorithm(FixedWindow):
		return algoWindow
	case Algorithm(SessionWindow):
		return algoSession
	case Algorithm(TokenBucket), Algorithm(LeakyBucket):
		return algoBucket
	}
	return algoRing
}

// leaseWait is what a caller is told to wait for a lease: when one comes back
// nobody knows.
const leaseWait = time.Second

// standing returns what the counter stands at now, under that amount. It may
// move a ring on, which changes no later answer.
func (c *Counter) standing(now Instant, amount int64) int64 {
	switch c.algo {
	case algoRing:
		c.roll(now.V)
		return c.used
	case algoBucket:
		used, _ := c.level(now.V, amount)
		return used
	case algoGauge:
		return c.used
	case algoBudget:
		return c.unless(now.Wall >= c.edge)
	}
	return c.unless(now.V >= c.edge)
}

func (c *Counter) unless(over bool) int64 {
	if over {
		return 0
	}
	return c.used
}

// wait returns how long it takes until the counter, which stands above target,
// has come down to it by itself. Negative: it never does. Follows a call of
// standing at the same instant.
func (c *Counter) wait(now Instant, target, amount int64) time.Duration {
	if target < 0 {
		return -1
	}
	switch c.algo {
	case algoRing:
		return time.Duration(c.ringWait(now.V, target))
	case algoBucket:
		return time.Duration(c.bucketWait(now.V, target, amount))
	case algoGauge:
		return leaseWait
	case algoBudget:
		return c.budgetWait(now.Wall)
	}
	return time.Duration(c.edge - now.V)
}

// take charges what a reserve charges, a request or a lease, and returns the
// mark by which giveBack knows the charge.
func (c *Counter) take(now Instant, amount int64) (mark int64) {
	switch c.algo {
	case algoRing:
		c.put(now.V, 1)
	case algoBucket:
		c.fill(now.V, amount)
	case algoGauge:
		c.used++
	default:
		c.open(now.V)
		c.used = addCapped(c.used, 1)
	}
	c.last = now.V
	return c.edge
}

// add charges what a commit charges: tokens or cost.
func (c *Counter) add(now Instant, n int64) {
	switch c.algo {
	case algoRing:
		c.put(now.V, n)
	case algoBudget:
		c.beginPeriod(now.Wall)
		c.used = addCapped(c.used, n)
	default:
		c.open(now.V)
		c.used = addCapped(c.used, n)
	}
	c.last = now.V
}

// open begins the window or session of v when the one before is over, or has
// had all it counted given back: then it is as if it had never begun.
func (c *Counter) open(v int64) {
	if v < c.edge && c.used > 0 {
		return
	}
	c.used, c.edge = 0, v+c.kind.window
	if c.algo == algoWindow {
		c.edge -= v % c.kind.window
	}
}

// giveBack undoes the take of a request that never reached an upstream, where
// the strategy says so, and reports whether the counter changed. A session that
// has ended in between keeps what is its own.
func (c *Counter) giveBack(mark int64) bool {
	gives := c.algo == algoBucket || c.algo == algoSession && c.edge == mark
	if !gives || c.used <= 0 {
		return false
	}
	c.used--
	return true
}

// release gives a lease back.
func (c *Counter) release() {
	if c.algo == algoGauge && c.used > 0 {
		c.used--
	}
}
