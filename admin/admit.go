package admin

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"

	"relay/gateway/plan"
	"relay/limiter"
)

// Admission is what the system's limit on the control API is counted with.
type Admission struct {
	Limiter limiter.Limiter
	Clock   *limiter.Clock
	// ClientAddr tells whom a request counts for. It is safe for concurrent
	// use; the zero address is told for who has none, and counted as one.
	ClientAddr func(*http.Request) netip.Addr
}

// admitted refuses client addresses that are over the system's limit on the
// control API, as the plan in use has it. The socket and calls within the
// process have no client address and are never refused, so that no
// administrator is locked out of the machine that Relay runs on.
func (s *server) admitted(next http.Handler) http.Handler {
	if s.Admission == nil || s.Plan == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trusted(r) {
			next.ServeHTTP(w, r)
			return
		}
		var ticket limiter.Ticket
		if p := s.reserve(w.Header(), r, &ticket); p != nil {
			writeProblem(w, p)
			return
		}
		defer s.leave(&ticket)
		next.ServeHTTP(w, r)
	})
}

const fromTheMachine = " The command line on the machine that Relay runs on is not under this limit: relay limit edit control-api changes it there."

// reserve counts a request and returns nil when it may go on.
func (s *server) reserve(header http.Header, r *http.Request, t *limiter.Ticket) *Problem {
	p := s.Plan()
	switch {
	case p == nil:
		return nil
	case p.ControlRefused != nil:
		return problem(http.StatusServiceUnavailable, "%s", p.ControlRefused.Message+fromTheMachine)
	case p.Control == nil:
		return nil
	}
	now := s.Admission.Clock.Now()
	t.Add(p.Control.Limits(now, s.clientOf(r)))
	refusal, err := s.Admission.Limiter.Reserve(r.Context(), now, t)
	if err != nil {
		return problem(http.StatusServiceUnavailable, "the limit on the control API cannot be checked now; try again shortly")
	}
	if refusal.Refused() {
		header.Set("Retry-After", strconv.FormatInt(refusal.RetryAfter(), 10))
		return problem(http.StatusTooManyRequests, "%s", plan.RefusalText(refusal)+fromTheMachine)
	}
	return nil
}

func (s *server) clientOf(r *http.Request) string {
	return s.Admission.ClientAddr(r).WithZone("").String()
}

// leave gives leases back. Nothing is committed: a commit stands for a usage
// event, and administration leaves none.
func (s *server) leave(t *limiter.Ticket) {
	s.Admission.Limiter.Release(context.Background(), s.Admission.Clock.Now(), t)
}
