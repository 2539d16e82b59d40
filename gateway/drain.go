package gateway

import (
	"context"
	"errors"
	"sync"
	"time"
)

// mostDrains is how many answers are read on at once for callers that have
// gone.
const mostDrains = 64

var errDrained = errors.New("the caller has gone and the upstream has not ended in time")

// drain lets the answer to a caller that has gone be read on for a while, so
// that its usage becomes known. Hosts ask for it (drainOnDisconnect) whose
// answers cost the same whether anybody reads them.
type drain struct {
	all    *drains
	caller context.Context
	cancel func(cause error) // of the attempt
	most   time.Duration
	unhook func() bool // from the caller's context

	mu    sync.Mutex
	timer *time.Timer // running; nil: not begun
	over  bool
}

// life returns the context with which the attempt ends: its caller's, unless
// the host lets its answers be drained.
func (a *attempt) life() context.Context {
	caller, most := a.x.r.Context(), time.Duration(a.up.spec.DrainOnDisconnect)
	if most <= 0 || caller.Err() != nil {
		return caller
	}
	a.drain = &drain{all: &a.x.s.drains, caller: caller, cancel: a.cancel, most: most}
	a.drain.unhook = context.AfterFunc(caller, func() { a.drain.begin() })
	return context.WithoutCancel(caller)
}

// begin starts the drain, or ends the attempt where there can be none. It
// reports whether the answer is read on; a nil drain never is.
func (d *drain) begin() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.over:
		return false
	case d.timer != nil:
		return true
	case errors.Is(context.Cause(d.caller), ErrStopping) || !d.all.add(d):
		d.over = true
		d.cancel(errCallerGone)
		return false
	}
	d.timer = time.AfterFunc(d.most, func() { d.cancel(errDrained) })
	return true
}

// end gives the drain's place back, if it has one.
func (d *drain) end() {
	if d == nil {
		return
	}
	d.unhook()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.timer != nil {
		d.timer.Stop()
		d.all.remove(d)
	}
}

// drains are those of a server that run now.
type drains struct {
	mu      sync.Mutex
	running map[*drain]struct{}
	over    bool
}

func (s *drains) add(d *drain) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.running) >= mostDrains {
		return false
	}
	if s.running == nil {
		s.running = map[*drain]struct{}{}
	}
	s.running[d] = struct{}{}
	return true
}

func (s *drains) remove(d *drain) {
	s.mu.Lock()
	delete(s.running, d)
	s.mu.Unlock()
}

// cut ends all drains, for a server that stops: nobody waits for them.
func (s *drains) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for d := range s.running {
		d.cancel(ErrStopping)
	}
}
