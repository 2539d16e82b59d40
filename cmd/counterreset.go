package cmd

import "relay/limiter"

// counterResetter sets counters to zero. Without a server nothing writes usage,
// and so the counters, until it is asked to.
type counterResetter struct{ e *engine }

func (r counterResetter) Reset(matches func(limiter.Name) bool) (counters int) {
	r.e.db.StartCounters(counterSource(r))
	found := r.e.registry.Counters(matches)
	now := r.e.clock.Now()
	for _, c := range found {
		r.e.memory.Reset(now, c)
	}
	return len(found)
}
