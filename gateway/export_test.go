package gateway

import (
	"net/http"
	"time"
)

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

// RetryAfter reads how long an answer asks to wait.
func RetryAfter(h http.Header, now time.Time) time.Duration { return retryAfter(h, now) }

// RestFor is how long a key rests when so much is asked for.
func RestFor(asked time.Duration) time.Duration { return restFor(asked) }

// ToldRetryAfter is the Retry-After that goes on to the caller.
func ToldRetryAfter(asked string, wait time.Duration) string { return toldRetryAfter(asked, wait) }
