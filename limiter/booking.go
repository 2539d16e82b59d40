package limiter

// A limit with Reserve books at reserve what the ticket estimates for its
// meter, so that it holds before anything is used. What a request then used
// corrects the booking: what is too much leaves the slot or window in which it
// was booked, or nothing when that has aged out, and what is too little is
// added now.
//
// A charge of a token meter that is marked holds a booking. The mark is the V
// at which its slot or window ends; how much it is follows from the ticket.

// Books says which estimates the limits on the ticket need: of input tokens for
// tokens, tokens.input, tokens.cache_read and tokens.cache_creation, of output
// tokens for tokens, tokens.output and tokens.reasoning. Other meters book
// nothing. It takes no lock.
func (t *Ticket) Books() (input, output bool) {
	charges := t.charges()
	for i := range charges {
		if l := charges[i].limit; l.Reserve {
			in, out := l.Counter.meter.parts()
			input, output = input || in, output || out
		}
	}
	return input, output
}

// Estimate sets what the next Reserve books, in tokens: the estimated input and
// the output that was asked for. Negative counts 0. It stays until Reset, and
// panics on a reserved ticket, whose bookings are made.
func (t *Ticket) Estimate(input, output int64) {
	t.mustBeFree("Estimate")
	t.input, t.output = max(0, input), max(0, output)
}

// Oversized returns the first limit, in the order in which refusals name them,
// whose booking is above its amount, so that no wait helps, and that booking in
// tokens; nil when there is none. It takes no lock.
func (t *Ticket) Oversized() (l *Limit, booking int64) {
	charges := t.charges()
	for i := range charges {
		other := charges[i].limit
		n := other.booking(t)
		if n > other.Amount && (l == nil || other.Source.before(l.Source)) {
			l, booking = other, n
		}
	}
	return l, booking
}

// Keep makes a Release of the ticket, which is reserved, leave what it booked,
// as a Commit of nothing but Unknown usage does: for an attempt of which nobody
// knows what it used. Commit and Cancel correct the booking all the same. Not
// to be called while another goroutine may end the ticket.
func (t *Ticket) Keep() { t.kept = true }

func (t *Ticket) keeps() bool { return t != nil && t.kept }

// estimates reports whether there is anything to book.
func (t *Ticket) estimates() bool { return t.input|t.output != 0 }

// booking returns what a limit with Reserve books on the meter.
func (t *Ticket) booking(m meterCode) (n int64) {
	input, output := m.parts()
	if input {
		n = t.input
	}
	if output {
		n = addCapped(n, t.output)
	}
	return n
}

// booking returns what the limit books for the ticket, or 0.
func (l *Limit) booking(t *Ticket) int64 {
	if !l.Reserve {
		return 0
	}
	return t.booking(l.Counter.meter)
}

// parts says of which estimates a booking on the meter is made.
func (m meterCode) parts() (input, output bool) {
	switch m {
	case codeTokens:
		return true, true
	case codeInput, codeCacheRead, codeCacheCreation:
		return true, false
	case codeOutput, codeReasoning:
		return false, true
	}
	return false, false
}

// book charges the bookings of a ticket that was just charged. A counter is
// booked once, also where only a later one of the limits that reach it has
// Reserve: a limit that asks for a booking gets it.
func (l *ledger) book(now Instant, t *Ticket) {
	charges := t.charges()
	for i := range charges {
		n := charges[i].limit.booking(t)
		if n == 0 {
			continue
		}
		c, first := charges[i].limit.Counter, &charges[i]
		if first.mark == done {
			first = t.first(c)
		}
		if first.mark != 0 {
			continue
		}
		c.add(now, n)
		first.mark, t.booked = c.edge, true
		l.changed(c)
	}
}

// first returns the charge that holds the counter.
func (t *Ticket) first(c *Counter) *charge {
	charges := t.charges()
	i := 0
	for charges[i].limit.Counter != c {
		i++
	}
	return &charges[i]
}

// correct turns the bookings of a ticket into what was used, and is done with
// their charges.
func (l *ledger) correct(now Instant, t *Ticket, used *amounts) {
	charges := t.charges()
	for i := range charges {
		c, mark := charges[i].limit.Counter, charges[i].mark
		if mark == 0 || mark == done || !c.meter.countsTokens() {
			continue
		}
		charges[i].mark = done
		c.refs--
		n, booking := used.by[c.meter], t.booking(c.meter)
		if used.unknown {
			n = max(n, booking)
		}
		if c.emptiedUnder(t) {
			booking = 0
		}
		if c.move(now, mark, booking, n) {
			l.changed(c)
		}
	}
}

// move makes used of what was booked in the slot or window that ends at edge,
// and reports whether the counter changed.
func (c *Counter) move(now Instant, edge, booked, used int64) bool {
	if used > booked {
		c.add(now, used-booked)
		return true
	}
	return c.takeOut(now.V, edge, booked-used)
}

// takeOut takes n out of the slot or window that ends at edge, and reports
// whether the counter changed: it does not where that has aged out. It never
// takes more than is there.
func (c *Counter) takeOut(v, edge, n int64) bool {
	switch {
	case c.algo == algoRing:
		n = c.takeOutOfSlot(v, edge, n)
	case v < edge:
		n = min(n, c.used)
	default:
		n = 0
	}
	c.used -= n
	return n > 0
}

func (c *Counter) takeOutOfSlot(v, edge, n int64) int64 {
	age := slotAt(v, c.kind.window) - slotAt(edge-1, c.kind.window)
	if age >= ringSlots || c.slots == nil {
		return 0
	}
	c.roll(v)
	at := c.slots.ago(int(age))
	n = min(n, c.slots.get(at))
	c.slots.set(at, c.slots.get(at)-n)
	return n
}
