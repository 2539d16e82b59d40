package limitertest

import (
	"time"

	"relay/limiter"
)

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
