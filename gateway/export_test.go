package gateway

import "time"

// SetPatience replaces the times that no setting changes: of one write to a
// caller, and of the body of a refused answer. It comes before the first
// request.
func (s *Server) SetPatience(write, refusal time.Duration) {
	s.writeTimeout, s.refusalTimeout = write, refusal
}

// Drains is how many answers are read on now for callers that have gone.
func (s *Server) Drains() int {
	s.drains.mu.Lock()
	defer s.drains.mu.Unlock()
	return len(s.drains.running)
}
