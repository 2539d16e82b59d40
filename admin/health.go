package admin

import (
	"encoding/json"
	"net/http"

	"relay/store"
)

// readiness is what /readyz answers.
type readiness struct {
	Ready    bool            `json:"ready"`
	Reason   string          `json:"reason,omitempty"`
	Warnings []store.Problem `json:"warnings"`
}

// livez answers while the process does.
func (s *server) livez(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

// readyz answers 503 while the process takes no traffic. Warnings are told
// either way.
func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	state, status := readiness{Ready: true, Warnings: s.warnings()}, http.StatusOK
	if err := s.Ready(); err != nil {
		state.Ready, state.Reason, status = false, err.Error(), http.StatusServiceUnavailable
	}
	writeJSON(w, status, state)
}

// warnings are never null in JSON.
func (s *server) warnings() []store.Problem {
	return append([]store.Problem{}, s.Warnings()...)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller is gone when this fails
}
