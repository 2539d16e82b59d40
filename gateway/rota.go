package gateway

import (
	"sync"
	"time"

	"relay/gateway/plan"
)

// rota is whose turn it is in one pool for one model: a smooth weighted round
// robin, in which each key that could be chosen gains its weight and the chosen
// one pays the sum. It outlives plans.
type rota struct {
	mu    sync.Mutex
	ahead map[*keyState]int64
}

// A weighing says how often a candidate has its turn.
type weighing func(*plan.Candidate) int64

func evenly(*plan.Candidate) int64     { return 1 }
func byWeight(c *plan.Candidate) int64 { return int64(c.Binding.Weight) }

// next returns the index of the candidate whose turn it is, -1 when none is
// open.
func (r *rota) next(p *picker, among []plan.Candidate, now time.Time, weigh weighing) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	best, most, total := -1, int64(0), int64(0)
	for i := range among {
		if !p.open(&among[i], now) {
			continue
		}
		key, weight := p.x.gen.keys[among[i].Key.Index], weigh(&among[i])
		r.ahead[key] += weight
		total += weight
		if best < 0 || r.ahead[key] > most {
			best, most = i, r.ahead[key]
		}
	}
	if best >= 0 {
		r.ahead[p.x.gen.keys[among[best].Key.Index]] -= total
	}
	return best
}

// keep forgets the keys that are not among those that live.
func (r *rota) keep(live map[*keyState]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.ahead {
		if !live[key] {
			delete(r.ahead, key)
		}
	}
}

// rotas holds the rota of each turn that a plan has named.
type rotas struct {
	mu     sync.Mutex
	byName map[string]*rota
}

// of returns the rotas of the names, in their order, and forgets all others.
func (r *rotas) of(names []string, keys []*keyState) []*rota {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := make(map[*keyState]bool, len(keys))
	for _, k := range keys {
		live[k] = true
	}
	next := make(map[string]*rota, len(names))
	list := make([]*rota, len(names))
	for i, name := range names {
		list[i] = r.byName[name]
		if list[i] == nil {
			list[i] = &rota{ahead: map[*keyState]int64{}}
		}
		list[i].keep(live)
		next[name] = list[i]
	}
	r.byName = next
	return list
}
