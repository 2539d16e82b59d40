package gateway

import (
	"errors"
	"sync"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// liveStreams are the streams that are being passed on. Those of a relay key
// end with it, since a stream may last for hours.
type liveStreams struct {
	mu      sync.Mutex
	running map[*attempt]*plan.Caller
}

// add takes a stream in, and cuts it at once when its key has ended since the
// request began.
func (s *liveStreams) add(a *attempt) {
	s.mu.Lock()
	if s.running == nil {
		s.running = map[*attempt]*plan.Caller{}
	}
	s.running[a] = a.x.caller
	s.mu.Unlock()
	if now := a.x.s.current.Load(); now != a.x.gen {
		cutRevoked(now.plan, a, a.x.caller)
	}
}

func (s *liveStreams) remove(a *attempt) {
	s.mu.Lock()
	delete(s.running, a)
	s.mu.Unlock()
}

// review cuts the streams of keys that the plan knows to be revoked.
func (s *liveStreams) review(p *plan.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, caller := range s.running {
		cutRevoked(p, a, caller)
	}
}

// cutRevoked ends the stream of a key that is revoked or gone. One that is
// switched off or has expired takes no more requests, which is all that is meant
// by that; one whose secret has been rotated is still the same key.
func cutRevoked(p *plan.Plan, a *attempt, c *plan.Caller) {
	if p.Has(c) {
		return
	}
	now := plan.Caller{KeyName: c.KeyName, RevokedAt: time.Now()}
	a.cancel(&revokedError{now.RefuseOver(time.Time{})})
}

// revokedError is the cause with which the stream of an ended key is cut.
type revokedError struct{ refused *plan.Refused }

func (e *revokedError) Error() string { return e.refused.Message }

// revoked is what the caller is told when its key has ended, or nil.
func (a *attempt) revoked() *wire.Error {
	var e *revokedError
	if !errors.As(a.cause(), &e) {
		return nil
	}
	told := wire.NewError(e.refused.Code, e.refused.Message)
	told.RefusedBy = "key"
	return told
}
