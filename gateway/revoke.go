package gateway

import (
	"errors"
	"sync"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// liveStreams are the streams that are being passed on. Those of a credential end
// with it, since a stream may last for hours.
type liveStreams struct {
	mu      sync.Mutex
	running map[*attempt]*plan.Caller
}

// add takes a stream in, and cuts it at once when its credential has ended since
// the request began.
func (s *liveStreams) add(a *attempt) {
	s.mu.Lock()
	if s.running == nil {
		s.running = map[*attempt]*plan.Caller{}
	}
	s.running[a] = a.x.caller
	s.mu.Unlock()
	server, caller := a.x.s, a.x.caller
	if now := server.current.Load(); now != a.x.gen {
		a.cutRevoked(now.plan.RefuseEnded(caller))
	}
	if caller.Token != nil && server.opt.DB.TokenRevoked(caller.Token.ID) {
		a.cutRevoked(caller.RefuseRevoked())
	}
}

func (s *liveStreams) remove(a *attempt) {
	s.mu.Lock()
	delete(s.running, a)
	s.mu.Unlock()
}

// review cuts the streams of credentials that are none by the plan.
func (s *liveStreams) review(p *plan.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, caller := range s.running {
		a.cutRevoked(p.RefuseEnded(caller))
	}
}

// cutToken cuts the streams of the inference token with the id.
func (s *liveStreams) cutToken(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, caller := range s.running {
		if caller.Token != nil && caller.Token.ID == id {
			a.cutRevoked(caller.RefuseRevoked())
		}
	}
}

// cutRevoked ends the stream of a credential that is refused from now on; nil
// lets it go on.
func (a *attempt) cutRevoked(refused *plan.Refused) {
	if refused != nil {
		a.cancel(&revokedError{refused})
	}
}

// revokedError is the cause with which the stream of an ended credential is cut.
type revokedError struct{ refused *plan.Refused }

func (e *revokedError) Error() string { return e.refused.Message }

// revoked is what the caller is told when its credential has ended, or nil.
func (a *attempt) revoked() *wire.Error {
	var e *revokedError
	if !errors.As(a.cause(), &e) {
		return nil
	}
	told := wire.NewError(e.refused.Code, e.refused.Message)
	told.RefusedBy = "key"
	return told
}
