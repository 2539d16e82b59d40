package limiter

import "context"

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
	now, refusal := m.judge(now, t)
	if !refusal.Refused() {
		l.charge(now, t)
	}
	return refusal, nil
}

// judge says what the ledger says, by counters that the registry knows. The
// ledger's mutex is held, and given up where one was forgotten.
func (m *Memory) judge(now Instant, t *Ticket) (Instant, Refusal) {
	l := &m.registry.ledger
	for {
		now = l.tick(now)
		refusal, stale := l.judge(now, t)
		if !stale {
			return now, refusal
		}
		l.mu.Unlock()
		m.registry.renew(t)
		l.mu.Lock()
	}
}

// Commit implements Limiter.
func (m *Memory) Commit(_ context.Context, now Instant, u Usage, caller, upstream *Ticket) uint64 {
	used := u.amounts()
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	now = l.tick(now)
	one := l.settle(now, caller, &used)
	if caller != nil {
		one = l.settle(now, caller.joined, &used) || one
	}
	other := l.settle(now, upstream, &used)
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
	l.settle(l.tick(now), t, &amounts{unknown: t.keeps()})
}

// Cancel implements Limiter.
func (m *Memory) Cancel(_ context.Context, now Instant, t *Ticket) {
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel(l.tick(now), t)
}

// Ready implements Limiter.
func (m *Memory) Ready(context.Context) error { return nil }
