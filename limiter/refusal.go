package limiter

import (
	"cmp"
	"time"
)

// verdict gathers the limits that refuse into one Refusal.
type verdict struct {
	named Refusal       // Limit and Used of the limit to name
	wait  time.Duration // of the named limit
}

// add takes in one refusing limit.
func (v *verdict) add(l *Limit, used int64, wait time.Duration) {
	first := v.named.Limit == nil
	if first || longer(wait, v.named.Wait) {
		v.named.Wait = wait
	}
	if first || l.Source.before(v.named.Limit.Source) || l.Source == v.named.Limit.Source && longer(wait, v.wait) {
		v.named.Limit, v.named.Used, v.wait = l, used, wait
	}
}

func (v *verdict) refusal(t *Ticket) Refusal {
	if l := v.named.Limit; l != nil {
		v.named.ResetAt, v.named.Booking = l.Counter.resetAt(), l.booking(t)
	}
	return v.named
}

// longer compares waits, of which a negative one never ends: without its sign
// it is above all others.
func longer(a, b time.Duration) bool { return uint64(a) > uint64(b) }

// before reports whether the source is wider than the other.
func (s *Source) before(other *Source) bool {
	return cmp.Or(cmp.Compare(s.Rung, other.Rung), cmp.Compare(s.Order, other.Order)) < 0
}
