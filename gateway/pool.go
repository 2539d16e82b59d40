package gateway

import (
	"time"

	"relay/gateway/plan"
)

// candidate is a key to try, and the leave to do so.
type candidate struct {
	plan.Candidate
	trial trial
}

const maxKeys = 3 // distinct keys a model

// picker chooses the keys of one request, pools in order, each key once.
type picker struct {
	x       *exchange
	passed  bitset        // by HostKey.Index: tried or passed over
	down    bitset        // by Host.Index: could not be reached
	tried   int           // keys an attempt was made with
	soonest time.Duration // shortest wait of keys over their own limit
	full    int           // keys over their own limit
}

// reset readies the picker for a request.
func (p *picker) reset(x *exchange) {
	p.passed.clear()
	p.down.clear()
	*p = picker{x: x, passed: p.passed, down: p.down}
}

// turn readies the picker for another model of the request. Hosts that could not
// be reached stay so.
func (p *picker) turn() {
	p.passed.clear()
	*p = picker{x: p.x, passed: p.passed, down: p.down}
}

// next returns a key that is healthy, takes the request and has room. The
// upstream ticket holds its reservation.
func (p *picker) next(now time.Time) (candidate, bool) {
	if p.tried >= maxKeys {
		return candidate{}, false
	}
	for i := range p.x.way.Pools {
		pool := &p.x.way.Pools[i]
		for {
			c, ok := p.fromPool(pool, now)
			if !ok {
				break
			}
			p.passed.add(c.Key.Index)
			refusal, ok := p.x.reserveUpstream(c)
			if ok {
				p.tried++
				c.trial.key.use(p.x.s.picks.Add(1))
				return c, true
			}
			c.trial.withdraw()
			if refusal.Refused() {
				p.overLimit(refusal.Wait)
			}
		}
	}
	return candidate{}, false
}

func (p *picker) overLimit(wait time.Duration) {
	if p.full == 0 || wait < p.soonest {
		p.soonest = wait
	}
	p.full++
}

// bitset is a set of small numbers that keeps its memory from request to
// request.
type bitset []uint64

func (b *bitset) clear() { clear(*b) }

func (b *bitset) add(i int) {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bitset) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

func (k *keyState) use(pick int64) {
	k.mu.Lock()
	k.lastUsed = pick
	k.mu.Unlock()
}

func (k *keyState) used() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lastUsed
}
