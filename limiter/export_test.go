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
