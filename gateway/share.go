package gateway

import (
	"sync"

	"relay/gateway/plan"
)

// share hands out units of what the process has a bounded amount of: requests
// in hand, bytes of bodies. No account gets more than half of them, save what
// one request of it needs, so that a caller who asks for everything leaves room
// for others. It never waits. Safe for concurrent use.
//
// The account is the lowest one that a credential runs in, the principal's:
// keys of one service account have one half together, those of a user have one
// in each project, and two service accounts of a team have a half each.
type share struct {
	most int64 // units; 0: no bound

	mu   sync.Mutex
	used int64
	by   map[account]int64 // of accounts that have any
}

// account names one by record ids.
type account struct{ principal, project string }

func accountOf(c *plan.Caller) account {
	return account{c.Tenancy.Principal.ID, c.Tenancy.Project}
}

// scarcity says why units are not handed out.
type scarcity uint8

const (
	plenty   scarcity = iota // they are
	usedUp                   // all are in use
	halfHeld                 // the account has its half
)

func newShare(most int64) *share { return &share{most: most, by: map[account]int64{}} }

// take hands out n units to a request that has own units already: all of them
// or none.
func (s *share) take(a account, n, own int64) scarcity {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.by[a]
	switch {
	case s.most == 0:
	case s.used+n > s.most:
		return usedUp
	case held > own && held+n > (s.most+1)/2:
		return halfHeld
	}
	s.used += n
	s.by[a] = held + n
	return plenty
}

// give takes n units back.
func (s *share) give(a account, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	if left := s.by[a] - n; left > 0 {
		s.by[a] = left
	} else {
		delete(s.by, a)
	}
}

// inUse returns how many units are handed out.
func (s *share) inUse() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
