package limiter

// Counters returns the counters whose name matches, in no order. Besides those
// of the present plan these are the ones of former plans that still count.
func (r *Registry) Counters(matches func(Name) bool) []*Counter {
	r.names.Lock()
	defer r.names.Unlock()
	var found []*Counter
	for _, c := range r.all {
		if matches(c.Name()) {
			found = append(found, c)
		}
	}
	return found
}

// Reset sets what the counter has counted to zero, and the next snapshot holds
// that. Leases stay, since their requests are still in flight, so for a
// concurrency counter it does nothing. A request that was admitted before it
// and ends after it adds its tokens and cost to the new count, whole, since
// what it booked is gone too, and gives nothing back.
func (m *Memory) Reset(now Instant, c *Counter) {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick(now)
	if c.algo != algoGauge {
		l.empty(c)
		l.resets++
		c.emptied = l.resets
	}
}

// emptiedUnder reports whether a Reset has taken away what the ticket charged.
func (c *Counter) emptiedUnder(t *Ticket) bool { return c.emptied > t.resets }
