package admin

import (
	"encoding/json"
	"errors"
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
// either way, to whoever may watch.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	state, status := readiness{Ready: true, Warnings: []store.Problem{}}, http.StatusOK
	if s.mayWatch(r) {
		state.Warnings = s.warnings()
	}
	if err := s.unready(); err != nil {
		state.Ready, state.Reason, status = false, err.Error(), http.StatusServiceUnavailable
	}
	writeJSON(w, status, state)
}

var errDamaged = errors.New("the database is damaged and not touched any more")

// unready says why nothing should be sent here, or nil. Strangers may read it:
// warnings tell more.
func (s *server) unready() error {
	if err := s.Ready(); err != nil {
		return err
	}
	if s.DB.Damage() != nil {
		return errDamaged
	}
	return nil
}

// mayWatch reports whether the caller may see warnings and metrics: everybody on
// a listener that only this machine reaches, else who may read the status.
func (s *server) mayWatch(r *http.Request) bool {
	if !s.Public {
		return true
	}
	k := s.identify(r)
	return k != nil && k.access(s.DB.Catalog()).Allows(store.AreaStatus, store.VerbRead, store.System())
}

// watchers keeps everybody else out.
func (s *server) watchers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.mayWatch(r) {
			s.refuseSignIn(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// warnings are never null in JSON. A disk that takes no writes is one of them:
// requests go on while their usage fits into memory.
func (s *server) warnings() []store.Problem {
	all := append([]store.Problem{}, s.Warnings()...)
	if err := s.DB.Failure(); err != nil {
		all = append(all, store.Problem{Message: "the last write to the database failed: " + err.Error()})
	}
	return all
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller is gone when this fails
}
