package gateway

import (
	"time"

	"relay/gateway/plan"
)

// fromPool returns the pool's choice among the keys not yet passed: bindings by
// priority, and within one priority by the pool's selection.
func (p *picker) fromPool(pool *plan.Pool, now time.Time) (candidate, bool) {
	for rest := pool.Candidates; len(rest) > 0; {
		n := sameRank(rest)
		if c, ok := p.choose(pool, rest[:n], now); ok {
			return c, true
		}
		rest = rest[n:]
	}
	return candidate{}, false
}

// sameRank returns how many of the first candidates have bindings of one
// priority.
func sameRank(all []plan.Candidate) int {
	n := 1
	for n < len(all) && all[n].Binding.Priority == all[0].Binding.Priority {
		n++
	}
	return n
}

// choose takes the best key that turns out to be free: a probe of it may just
// have gone to another request.
func (p *picker) choose(pool *plan.Pool, among []plan.Candidate, now time.Time) (candidate, bool) {
	for {
		best := p.best(pool, among, now)
		if best < 0 {
			return candidate{}, false
		}
		c := among[best]
		if t, ok := p.x.gen.keys[c.Key.Index].admits(p.x.model.ID, now); ok {
			return candidate{c, t}, true
		}
		p.passed.add(c.Key.Index)
	}
}

// best returns the index of the selection's first choice, -1 when no key is
// left.
func (p *picker) best(pool *plan.Pool, among []plan.Candidate, now time.Time) int {
	switch pool.Selection {
	case plan.RoundRobin:
		return p.x.gen.turns[pool.Turn].next(p, among, now, evenly)
	case plan.Weighted:
		return p.x.gen.turns[pool.Turn].next(p, among, now, byWeight)
	case plan.LeastRecentlyUsed:
		return p.leastUsed(among, now)
	case plan.Affinity:
		return p.nearest(among, now)
	}
	return p.first(among, now)
}

// first is the first key of a host that takes the request as it is, else of one for
// which it is translated.
func (p *picker) first(among []plan.Candidate, now time.Time) int {
	other := -1
	for i := range among {
		if !p.open(&among[i], now) {
			continue
		}
		if among[i].Binding.Speaks(p.x.call.shape) {
			return i
		}
		if other < 0 {
			other = i
		}
	}
	return other
}

// open reports whether the key takes the request, has not been passed and is
// healthy.
func (p *picker) open(c *plan.Candidate, now time.Time) bool {
	if p.passed.has(c.Key.Index) || !p.x.takes(*c) || p.down.has(c.Key.Host.Index) {
		return false
	}
	return p.x.gen.keys[c.Key.Index].ready(p.x.model.ID, now)
}

func (p *picker) leastUsed(among []plan.Candidate, now time.Time) int {
	best, at := -1, int64(0)
	for i := range among {
		if !p.open(&among[i], now) {
			continue
		}
		if used := p.x.gen.keys[among[i].Key.Index].used(); best < 0 || used < at {
			best, at = i, used
		}
	}
	return best
}

// nearest is a rendezvous: of the accounts with a healthy key the one whose
// number, mixed with the conversation's, is largest, and of its keys likewise.
// A conversation moves only when its key rests, and goes back afterwards; the
// others stay where they are.
func (p *picker) nearest(among []plan.Candidate, now time.Time) int {
	conversation := p.x.conversation()
	best := -1
	var account, key uint64
	for i := range among {
		if !p.open(&among[i], now) {
			continue
		}
		k := among[i].Key
		a, b := mixed(conversation^k.AccountSeed), mixed(conversation^k.Seed)
		if best < 0 || a > account || a == account && b > key {
			best, account, key = i, a, b
		}
	}
	return best
}

// mixed spreads a number over all 64 bits (the finalizer of SplitMix64, Steele,
// Lea, Flood 2014).
func mixed(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
