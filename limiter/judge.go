package limiter

// Judge says what Reserve would say to a request under the limits now. It
// charges nothing: for administrators.
func (m *Memory) Judge(now Instant, limits []*Limit) Refusal {
	var t Ticket
	t.Add(limits)
	l := &m.registry.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	_, refusal := m.judge(now, &t)
	return refusal
}
