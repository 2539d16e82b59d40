package limiter

import (
	"sync"
	"time"
)

// ledger is the state of every counter under the one mutex of the hot path.
type ledger struct {
	mu      sync.Mutex
	v       int64      // the latest V seen
	stamp   uint64     // numbers reserves
	cut     uint64     // the last reserve that the last snapshot holds
	commits uint64     // numbers commits
	resets  uint32     // numbers resets of counters
	dirty   []*Counter // changed since the last snapshot, each once, oldest change first
}

// tick keeps V from going back when readers of the clock overtake each other
// on their way to the mutex.
func (l *ledger) tick(now Instant) Instant {
	now.V = max(now.V, l.v)
	l.v = now.V
	return now
}

// judge looks at every limit of the ticket and changes no count. The verdict
// is stale when the registry has forgotten a counter.
func (l *ledger) judge(now Instant, t *Ticket) (r Refusal, stale bool) {
	var v verdict
	t.stamp, t.warned = 0, nil
	charges, estimates := t.charges(), t.estimates()
	for i := range charges {
		limit := charges[i].limit
		stale = stale || limit.Counter.gone
		// What is stored is never below what the counter stands at, so most
		// limits are done here.
		if limit.Counter.used < limit.Amount && !estimates {
			continue
		}
		used, wait, full := limit.full(now, limit.booking(t))
		switch {
		case full && !limit.Warn:
			v.add(limit, used, wait)
		case full && t.warned == nil:
			t.warned = limit
		}
	}
	return v.refusal(t), stale
}

// full reports whether the limit has no room for a request that books so much,
// and then what it stands at and how long that lasts.
func (l *Limit) full(now Instant, booking int64) (used int64, wait time.Duration, full bool) {
	target := l.ceiling(booking)
	if l.Counter.used <= target {
		return 0, 0, false
	}
	used = l.Counter.standing(now, l.Amount)
	if used <= target {
		return 0, 0, false
	}
	return used, l.Counter.wait(now, target, l.Amount), true
}

// charge takes what the limits charge at reserve.
func (l *ledger) charge(now Instant, t *Ticket) {
	l.stamp++
	t.held, t.booked, t.kept, t.resets = true, false, false, l.resets
	charges := t.charges()
	for i := range charges {
		c := charges[i].limit.Counter
		if c.stamp == l.stamp {
			charges[i].mark = done
			continue
		}
		c.stamp = l.stamp
		c.refs++
		charges[i].mark = l.take(now, c, charges[i].limit.Amount)
		if c.meter != codeConcurrency {
			t.stamp = l.stamp
		}
	}
	if t.estimates() {
		l.book(now, t)
	}
}

// take charges one counter and returns the charge's mark. Tokens and cost come
// with the commit, but for what is booked.
func (l *ledger) take(now Instant, c *Counter, amount int64) (mark int64) {
	if c.meter > codeConcurrency {
		return 0
	}
	if c.meter == codeRequests {
		l.changed(c)
	}
	return c.take(now, amount)
}

// settle ends a ticket: leases go back, counts are added and bookings
// corrected. It reports whether the ticket was reserved.
func (l *ledger) settle(now Instant, t *Ticket, used *amounts) bool {
	if !t.end() {
		return false
	}
	if t.booked {
		l.correct(now, t, used)
	}
	charges := t.charges()
	for i := range charges {
		if charges[i].mark == done {
			continue
		}
		c := charges[i].limit.Counter
		c.refs--
		c.release()
		if n := used.by[c.meter]; n > 0 {
			c.add(now, n)
			l.changed(c)
		}
	}
	return true
}

// cancel ends a ticket whose request never reached an upstream.
func (l *ledger) cancel(now Instant, t *Ticket) {
	if !t.end() {
		return
	}
	if t.booked {
		l.correct(now, t, &amounts{})
	}
	charges := t.charges()
	for i := range charges {
		if charges[i].mark == done {
			continue
		}
		c := charges[i].limit.Counter
		c.refs--
		c.release()
		if !c.emptiedUnder(t) && c.giveBack(charges[i].mark) {
			l.changed(c)
		}
	}
}
