package limiter

import (
	"context"
	"time"
)

// Memory is the limiter inside one process. One mutex guards all counters; it
// is held for arithmetic alone. Contexts are ignored and errors always nil.
type Memory struct{ registry *Registry }

var _ Limiter = (*Memory)(nil)

// NewMemory returns a limiter over the counters of r. Two limiters over one
// registry count as one.
func NewMemory(r *Registry) *Memory { return &Memory{registry: r} }

// Reserve implements Limiter. A ticket that is reserved already is admitted
// without a further charge; one that was refused or has ended may be reserved
// again.
func (m *Memory) Reserve(_ context.Context, now Instant, t *Ticket) (Refusal, error) {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.held {
		return Refusal{}, nil
	}
	now = l.tick(now)
	refusal, stale := l.judge(now, t)
	for stale {
		l.mu.Unlock()
		m.registry.renew(t)
		l.mu.Lock()
		now = l.tick(now)
		refusal, stale = l.judge(now, t)
	}
	if !refusal.Refused() {
		l.charge(now, t)
	}
	return refusal, nil
}

// Commit implements Limiter.
func (m *Memory) Commit(_ context.Context, now Instant, u Usage, caller, upstream *Ticket) uint64 {
	counts := u.counts()
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	now = l.tick(now)
	one := l.settle(now, caller, &counts)
	other := l.settle(now, upstream, &counts)
	if !one && !other {
		return 0
	}
	l.commits++
	return l.commits
}

// Release implements Limiter.
func (m *Memory) Release(_ context.Context, now Instant, t *Ticket) {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle(l.tick(now), t, &[meterCodes]int64{})
}

// Cancel implements Limiter.
func (m *Memory) Cancel(_ context.Context, now Instant, t *Ticket) {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick(now)
	if !t.end() {
		return
	}
	charges := t.charges()
	for i := range charges {
		if charges[i].mark == reachedBefore {
			continue
		}
		c := charges[i].limit.Counter
		c.refs--
		if c.giveBack(charges[i].mark) && c.algo != algoGauge {
			l.changed(c)
		}
	}
}

// tick keeps V from going back when readers of the clock overtake each other
// on their way to the mutex.
func (l *ledger) tick(now Instant) Instant {
	if now.V < l.v {
		now.V = l.v
	}
	l.v = now.V
	return now
}

// judge looks at every limit of the ticket and changes no count. The verdict
// is stale when the registry has forgotten a counter.
func (l *ledger) judge(now Instant, t *Ticket) (r Refusal, stale bool) {
	var v verdict
	t.stamp, t.warned = 0, nil
	charges := t.charges()
	for i := range charges {
		limit := charges[i].limit
		stale = stale || limit.Counter.gone
		// What is stored is never below what the counter stands at, so most
		// limits are done here.
		if limit.Counter.used < limit.Amount {
			continue
		}
		used, wait, full := limit.full(now)
		switch {
		case full && !limit.Warn:
			v.add(limit, used, wait)
		case full && t.warned == nil:
			t.warned = limit
		}
	}
	return v.refusal(), stale
}

// full reports whether the limit has no room, what it stands at and how long
// that lasts.
func (l *Limit) full(now Instant) (used int64, wait time.Duration, full bool) {
	target := l.ceiling()
	used = l.Counter.standing(now, l.Amount)
	if used <= target {
		return used, 0, false
	}
	return used, l.Counter.wait(now, target, l.Amount), true
}

// charge takes what the limits charge at reserve.
func (l *ledger) charge(now Instant, t *Ticket) {
	l.stamp++
	t.held = true
	charges := t.charges()
	for i := range charges {
		c := charges[i].limit.Counter
		if c.stamp == l.stamp {
			charges[i].mark = reachedBefore
			continue
		}
		c.stamp = l.stamp
		c.refs++
		charges[i].mark = l.take(now, c, charges[i].limit.Amount)
		if c.meter != codeConcurrency {
			t.stamp = l.stamp
		}
	}
}

// take charges one counter and returns the charge's mark. Tokens and cost come
// with the commit.
func (l *ledger) take(now Instant, c *Counter, amount int64) (mark int64) {
	if c.meter > codeConcurrency {
		return 0
	}
	if c.meter == codeRequests {
		l.changed(c)
	}
	return c.take(now, amount)
}

// settle ends a ticket: leases go back and counts are added. It reports
// whether the ticket was reserved.
func (l *ledger) settle(now Instant, t *Ticket, counts *[meterCodes]int64) bool {
	if !t.end() {
		return false
	}
	charges := t.charges()
	for i := range charges {
		if charges[i].mark == reachedBefore {
			continue
		}
		c := charges[i].limit.Counter
		c.refs--
		c.release()
		if n := counts[c.meter]; n > 0 {
			c.add(now, n)
			l.changed(c)
		}
	}
	return true
}

// end reports whether the ticket was reserved, and is the last to find it so.
func (t *Ticket) end() bool {
	if t == nil || !t.held {
		return false
	}
	t.held = false
	return true
}
