package gateway

import (
	"net/http"
	"time"
)

// Recognises reports whether the header lines hold one credential of a caller.
func (s *Server) Recognises(h http.Header) bool {
	c, err := s.current.Load().callerOf(h, time.Now())
	return err == nil && c != nil
}
