package gateway

import (
	"net/http"
	"time"
)

// live and ready tell nothing but that they answer, and so do it to probes that
// call the gateway by any name.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	s.plainText(w, r, http.StatusOK, "ok\n")
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.opt.Draining != nil && s.opt.Draining() {
		s.plainText(w, r, http.StatusServiceUnavailable, "draining\n")
		return
	}
	if s.opt.DB.Damage() != nil {
		s.plainText(w, r, http.StatusServiceUnavailable, "the database is damaged\n")
		return
	}
	if s.limiter.Ready(r.Context()) != nil {
		s.plainText(w, r, http.StatusServiceUnavailable, "limits cannot be checked\n")
		return
	}
	s.plainText(w, r, http.StatusOK, "ok\n")
}

// root answers what agents and clients ask before anything else.
func (s *Server) root(w http.ResponseWriter, r *http.Request) {
	if s.door.refuse(r) != nil {
		s.notFound(w, r)
		return
	}
	s.plainText(w, r, http.StatusOK, "Relay is running. The API begins at /v1.\n")
}

// plainText answers outside of any exchange: it is neither counted nor logged.
func (s *Server) plainText(w http.ResponseWriter, r *http.Request, status int, text string) {
	s.plain(w, r, status, "text/plain; charset=utf-8", []byte(text))
}

func (s *Server) plain(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	if s.connections != nil && isSurplus(r.Context()) {
		w.Header()["Connection"] = []string{"close"}
	}
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opt.BodyIdleTimeout))
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
