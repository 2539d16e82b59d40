package limiter

import "time"

// MachineClock reads the machine's clocks, the monotonic one since start.
func MachineClock(start time.Time) func() (time.Duration, time.Time) { return machineClock(start) }

// NewCollidingRegistry returns a registry in which all names have one hash.
func NewCollidingRegistry() *Registry {
	r := NewRegistry()
	r.hash = func(Name) uint64 { return 1 }
	return r
}

// Slots returns what a counter holds, and of a ring the sum of its slots and
// the least of them.
func Slots(c *Counter) (used, sum, least int64) {
	if c.slots == nil {
		return c.used, c.used, 0
	}
	for i := range ringSlots {
		sum += c.slots.get(i)
		least = min(least, c.slots.get(i))
	}
	return c.used, sum, least
}
