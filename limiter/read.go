package limiter

import "time"

// Reading is what a counter stands at, for administrators.
type Reading struct {
	Name     Name
	Used     int64         // nano-dollars for budgets; leases for concurrency
	InFlight int64         // open requests that hold the counter
	Reset    time.Duration // until Used is back at 0 by itself; 0: it is, or is a lease; negative: never
}

// Read returns what the counter stands at. A bucket is read under the amount
// of its last charge. It changes nothing.
func (m *Memory) Read(now Instant, c *Counter) Reading {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	now = l.tick(now)
	r := Reading{Name: c.Name(), Used: c.standing(now, c.amount), InFlight: int64(c.refs)}
	if r.Used > 0 && c.algo != algoGauge {
		r.Reset = c.wait(now, 0, c.amount)
	}
	return r
}
