package limitertest

import (
	"time"

	"relay/limiter"
)

// verdict names, within the widest refusing limit, the rule with the longest
// wait, and waits for all refusing rules.
func (m *Model) verdict(now limiter.Instant, s Step) (o Outcome) {
	var named time.Duration
	for _, i := range s.Rules {
		r := m.rules[i]
		used, wait, full := m.full(now, i, r.books(s))
		switch {
		case !full:
			continue
		case r.Warn:
			if o.Warned == 0 {
				o.Warned = i + 1
			}
			continue
		}
		first := o.Refused == 0
		if first || longer(wait, o.Wait) {
			o.Wait = wait
		}
		if first || wider(r, m.rules[o.Refused-1]) || same(r, m.rules[o.Refused-1]) && longer(wait, named) {
			o.Refused, o.Used, named = i+1, used, wait
		}
	}
	if o.Refused > 0 {
		if b, is := m.counters[m.of[o.Refused-1]].(*budget); is {
			o.ResetAt = b.resets(now)
		}
	}
	return o
}

// full says whether a rule has no room. What is booked passes when the amount
// holds it too; tokens that are not pass up to the amount, unless they are
// refused at it; everything else passes below it.
func (m *Model) full(now limiter.Instant, rule int, books int64) (used int64, wait time.Duration, full bool) {
	r, c := m.rules[rule], m.counters[m.of[rule]]
	target := r.Amount - 1
	switch {
	case books > 0:
		target = r.Amount - books
	case r.Name.Meter.CountsTokens() && r.AtCap == limiter.AdmitAtCap:
		target = r.Amount
	}
	switch used = c.stands(now, r.Amount); {
	case used <= target:
		return used, 0, false
	case target < 0:
		return used, -1, true
	}
	return used, c.wait(now, target, r.Amount), true
}

func wider(a, b Rule) bool { return a.Rung < b.Rung || a.Rung == b.Rung && a.Order < b.Order }

func same(a, b Rule) bool { return a.Rung == b.Rung && a.Order == b.Order }

// longer compares waits, of which a negative one has no end.
func longer(a, b time.Duration) bool { return b >= 0 && (a < 0 || a > b) }
