package gateway

// Resting returns how many connections of callers are idle.
func (s *Server) Resting() int {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	return s.connections.idle.Len()
}
