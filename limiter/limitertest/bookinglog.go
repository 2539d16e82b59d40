package limitertest

import "slices"

// bookings is a log of what tickets have booked and used under one rule.
type bookings struct {
	rule Rule
	log  []booked
}

// booked is one booking, or what was used besides.
type booked struct {
	ticket int
	v      int64 // when
	booked int64
	counts int64 // what was booked, and when the ticket has ended what was used of it
	open   bool  // the ticket has not ended
	reset  bool  // while it was open
	keep   bool
}

// within sums up the entries of the last so many sixtieths of a window, both
// ends included.
func (b *bookings) within(v, sixtieths int64) (n int64) {
	window := b.rule.Name.Window * 1e9
	for _, e := range b.log {
		if v-e.v <= span(window, sixtieths) {
			n += e.counts
		}
	}
	return n
}

// do ends what the ticket of a step has booked, or lets a reset of the rule
// take all away.
func (b *bookings) do(s Step, v int64, rule int) {
	switch s.Do {
	case Reset:
		if rule == s.Rule {
			b.reset()
		}
	case Commit, Release, Cancel:
		i := slices.IndexFunc(b.log, func(e booked) bool { return e.open && e.ticket == s.Ticket })
		if i >= 0 {
			b.end(&b.log[i], s, v)
		}
	}
}

func (b *bookings) reset() {
	for i := range b.log {
		e := &b.log[i]
		e.counts, e.reset = 0, e.open
	}
}

// end leaves what was used of a booking, and logs now what was used besides.
func (b *bookings) end(e *booked, s Step, v int64) {
	used, left := int64(0), e.booked
	if s.Do == Commit {
		used = max(0, counted(s.Usage, b.rule.Name.Meter))
	}
	if s.Do == Commit && s.Usage.Unknown || s.Do == Release && e.keep {
		used = max(used, e.booked)
	}
	if e.reset {
		left = 0
	}
	e.open, e.counts = false, min(used, left)
	b.log = append(b.log, booked{v: v, counts: used - min(used, left)})
}
