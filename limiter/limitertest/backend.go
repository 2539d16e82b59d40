package limitertest

import (
	"testing"

	"relay/limiter"
)

// Backend is a limiter under test. The registry gives it counters, by name,
// and is its own.
type Backend struct {
	limiter.Limiter
	Registry *limiter.Registry

	// Read returns what a counter stands at. Used and Reset must be right; the
	// rest of a Reading is not looked at.
	Read func(now limiter.Instant, c *limiter.Counter) limiter.Reading
	// Reset sets what a counter has counted to zero, see limiter.Memory.Reset.
	Reset func(now limiter.Instant, c *limiter.Counter)
}

// New makes a backend that has counted nothing, apart from all others. It is
// called by many goroutines.
type New func(tb testing.TB) Backend

// NewMemory makes the limiter of one process.
func NewMemory(testing.TB) Backend {
	registry := limiter.NewRegistry()
	memory := limiter.NewMemory(registry)
	return Backend{Limiter: memory, Registry: registry, Read: memory.Read, Reset: memory.Reset}
}
