package gateway

import (
	"time"

	"relay/gateway/plan"
)

// Waits before a host is dialled again within one request.
var redialWaits = [...]time.Duration{100 * time.Millisecond, 200 * time.Millisecond}

// mayRedial reports whether an attempt is left for the host that could not be
// reached. The last one is for another, where there is one.
func (x *exchange) mayRedial(c candidate) bool {
	if x.attemptsLeft != 1 {
		return x.attemptsLeft > 0
	}
	elsewhere := func(other plan.Candidate) bool {
		return other.Key.Host != c.Key.Host && !x.picker.down.has(other.Key.Host.Index) && x.takes(other)
	}
	return !x.way.Has(elsewhere) && (x.noFallback() || !x.walk.More(elsewhere))
}

// pause waits, and returns false when the caller leaves meanwhile.
func (x *exchange) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.r.Context().Done():
		return false
	}
}
