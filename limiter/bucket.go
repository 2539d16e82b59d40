package limiter

import "math/bits"

// A bucket's level rises by 1 a request and falls by amount a window. It is
// kept exactly, as used - part/window with 0 <= part < window in nanoseconds,
// so that used is the level rounded up and a request fits while used < amount.
// For a token bucket the level is what has been taken out.

// level returns the bucket's level at v. An amount that was lowered caps it,
// so that no wait is longer than a window.
func (c *Counter) level(v, amount int64) (used, part int64) {
	window, elapsed := c.kind.window, v-c.last
	used, part = c.used, c.part
	if used > amount {
		used, part = amount, 0
	}
	if used <= 0 || elapsed >= window {
		return 0, 0
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(elapsed))
	whole, rest := bits.Div64(hi, lo, uint64(window))
	used, part = used-int64(whole), part+int64(rest)
	if part >= window {
		used, part = used-1, part-window
	}
	if used <= 0 {
		return 0, 0
	}
	return used, part
}

// fill puts one request in.
func (c *Counter) fill(v, amount int64) {
	c.used, c.part = c.level(v, amount)
	c.used++
	c.amount = amount
}

// bucketWait returns the nanoseconds until the level is at most target, which
// is not negative: the level above it, over amount a window, rounded up.
func (c *Counter) bucketWait(v, target, amount int64) int64 {
	used, part := c.level(v, amount)
	hi, lo := bits.Mul64(uint64(used-target), uint64(c.kind.window))
	lo, borrow := bits.Sub64(lo, uint64(part), 0)
	hi -= borrow
	lo, carry := bits.Add64(lo, uint64(amount-1), 0)
	wait, _ := bits.Div64(hi+carry, lo, uint64(amount))
	return int64(wait)
}
