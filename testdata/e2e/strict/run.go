package strict

import (
	"net/http"
	"time"

	"relay/testdata/e2e/reply"
)

// Closed is closed once the connection of an endless answer has been.
func (s *Server) Closed(cell string) <-chan struct{} { return s.signal(s.closed, cell) }

// Release lets an answer of PlayDie go on to its error.
func (s *Server) Release(cell string) { s.raise(s.free, cell) }

func (s *Server) released(cell string) <-chan struct{} { return s.signal(s.free, cell) }

func (s *Server) signal(of map[string]chan struct{}, cell string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of[cell] == nil {
		of[cell] = make(chan struct{})
	}
	return of[cell]
}

// raise closes a signal, unless it is closed.
func (s *Server) raise(of map[string]chan struct{}, cell string) {
	signal := s.signal(of, cell)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-signal:
	default:
		close(signal)
	}
}

// run plays what has nothing to do with the shape, and leaves the rest to it.
func (s *Server) run(w http.ResponseWriter, sh shape, r *request, t turn) {
	switch r.script {
	case PlayRefuse:
		refuse(w, sh, http.StatusBadRequest, invalidAt(Refusal))
	case PlayLimit:
		w.Header().Set("Retry-After", "1")
		refuse(w, sh, http.StatusTooManyRequests, invalidAt(Limit))
	case PlayOverload:
		w.Header().Set("Retry-After", "1")
		refuse(w, sh, http.StatusServiceUnavailable, invalidAt(Overload))
	case PlayDie:
		_, die := sh.begin(reply.NewStream(w, sh.contentType()), r)
		select {
		case <-s.released(r.cell):
			die()
		case <-r.Context().Done():
		}
	case PlayEndless:
		s.endless(w, sh, r)
	default:
		s.mu.Lock()
		s.given[r.model]++
		s.mu.Unlock()
		sh.answer(w, r, t)
	}
}

// endless answers until the connection is closed.
func (s *Server) endless(w http.ResponseWriter, sh shape, r *request) {
	defer s.raise(s.closed, r.cell)
	if !r.stream {
		<-r.Context().Done()
		return
	}
	stream := reply.NewStream(w, sh.contentType())
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	more, _ := sh.begin(stream, r)
	for {
		select {
		case <-tick.C:
			more()
		case <-r.Context().Done():
			return
		}
	}
}

func refuse(w http.ResponseWriter, sh shape, status int, f *fault) {
	status, body := sh.refuse(status, f)
	reply.JSON(w, status, body)
}
