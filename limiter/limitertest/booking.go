package limitertest

import (
	"slices"

	"relay/limiter"
)

// books returns what a rule books for a reserve.
func (r Rule) books(s Step) int64 {
	input, output := max(0, s.Input), max(0, s.Output)
	if !r.Reserve {
		return 0
	}
	switch r.Name.Meter {
	case limiter.MeterTokens:
		return add(input, output)
	case limiter.MeterInput, limiter.MeterCacheRead, limiter.MeterCacheCreation:
		return input
	case limiter.MeterOutput, limiter.MeterReasoning:
		return output
	}
	return 0
}

// book logs what a ticket books, once a counter, whichever of the rules over it
// asks for it.
func (m *Model) book(now limiter.Instant, s Step, all []held) {
	for _, i := range s.Rules {
		h := &all[slices.IndexFunc(all, func(h held) bool { return h.counter == m.of[i] })]
		if n := m.rules[i].books(s); n > 0 && h.booked == 0 {
			h.booked = n
			m.counters[h.counter].(*logged).book(now, s.Ticket, n)
		}
	}
}

// settle ends what one of a ticket's counters was charged.
func (m *Model) settle(now limiter.Instant, s Step, t ticket, h held) {
	c := m.counters[h.counter]
	switch {
	case h.booked > 0:
		m.correct(now, s, t, h)
	case s.Do != Cancel:
		c.release()
		if n := counted(s.Usage, h.meter); s.Do == Commit && n > 0 {
			c.charge(now, 0, n)
		}
	case !h.reset && !h.meter.CountsTokens() && h.meter != limiter.MeterCost:
		c.cancel(h.mark)
	}
}

// correct makes of a booking what was used: all of it where that is not known.
func (m *Model) correct(now limiter.Instant, s Step, t ticket, h held) {
	used := int64(0)
	if s.Do == Commit {
		used = max(0, counted(s.Usage, h.meter))
	}
	if s.Do == Commit && s.Usage.Unknown || s.Do == Release && t.keep {
		used = max(used, h.booked)
	}
	c := m.counters[h.counter].(*logged)
	switch {
	case !h.reset:
		c.correct(now, t.number, used)
	case used > 0:
		c.charge(now, 0, used)
	}
}

// reset begins a counter anew. What open tickets have charged it is gone.
func (m *Model) reset(rule int) {
	of := m.of[rule]
	if _, lease := m.counters[of].(*gauge); lease {
		return
	}
	m.counters[of] = newCounter(m.rules[rule].Name)
	for i, t := range m.open {
		m.open[i].held = slices.Clone(t.held)
		for j := range t.held {
			if t.held[j].counter == of {
				m.open[i].held[j].reset = true
			}
		}
	}
}

func (c *logged) book(now limiter.Instant, ticket int, n int64) {
	c.log = append(c.log, charge{place: c.place(now.V), n: n, open: true, ticket: ticket})
}

// correct leaves of a booking what was used, where it was booked, and logs now
// what is above it.
func (c *logged) correct(now limiter.Instant, ticket int, used int64) {
	at := slices.IndexFunc(c.log, func(e charge) bool { return e.open && e.ticket == ticket })
	booked := c.log[at]
	c.log = slices.Delete(c.log, at, at+1)
	if used > 0 {
		c.enter(booked.place, min(booked.n, used))
	}
	if used > booked.n {
		c.charge(now, 0, used-booked.n)
	}
}
