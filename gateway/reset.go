package gateway

import "time"

// ResetKey closes the breaker of a host key and ends its rests, as if nothing
// had ever failed. It reports false for a key that the plan in use does not
// have. Keys of one value share a breaker.
func (s *Server) ResetKey(hostKeyID string) bool {
	gen := s.current.Load()
	for i, k := range gen.plan.HostKeys {
		if k.ID == hostKeyID {
			gen.keys[i].reset()
			return true
		}
	}
	return false
}

func (k *keyState) reset() {
	k.mu.Lock()
	k.failures, k.opened, k.until, k.probe, k.reason, k.rests = 0, 0, time.Time{}, 0, "", nil
	k.mu.Unlock()
}
