package limiter

import (
	"maps"
	"slices"
	"time"
)

// sweepBatch is how many counters one hold of the mutexes looks at: some ten
// microseconds.
const sweepBatch = 256

// forgetTotal is how long a total budget outlives the last plan that referred
// to it, counted from its last charge.
const forgetTotal = MaxWindow * int64(1e9)

// Sweep drops the state of every counter that has been idle for two windows,
// and forgets the counters that in addition no open ticket holds and no plan
// of this generation or later uses. A counter whose state still counts stays,
// so switching a policy off and on again is no way around its limits; a total
// budget that no plan uses stays for 366 days after its last charge. Splits
// let go of the values that have nothing left to count.
//
// Call it now and then, at least as often as plans are swapped, with the
// generation of the plan that serves. It works in short batches beside
// requests.
func (r *Registry) Sweep(generation uint64, now Instant) {
	r.sweepSplits(generation, now)
	for end := r.Len(); end > 0; end -= sweepBatch {
		r.sweepBatch(generation, now.V, end)
	}
	r.shrink()
}

// sweepBatch looks at the counters before end, last one first: remove moves
// one that was looked at into the gap.
func (r *Registry) sweepBatch(generation uint64, v int64, end int) {
	r.names.Lock()
	defer r.names.Unlock()
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	end = min(end, len(r.all))
	for i := end - 1; i >= max(0, end-sweepBatch); i-- {
		c := r.all[i]
		unused := c.generation < generation && c.holds == 0
		r.ledger.drop(c, v, unused)
		if unused && c.refs == 0 && c.blank() {
			r.remove(c)
		}
	}
}

// shrink gives back what lists and maps took for counters that have gone: by
// themselves they only grow.
func (r *Registry) shrink() {
	r.names.Lock()
	defer r.names.Unlock()
	r.ledger.shrink(len(r.all))
	if cap(r.all) < sweepBatch || len(r.all) > cap(r.all)/4 {
		return
	}
	r.all = slices.Clone(r.all)
	byHash := make(map[uint64]*Counter, len(r.byHash))
	maps.Copy(byHash, r.byHash)
	r.byHash = byHash
	if len(r.all) == 0 {
		r.kinds, r.zones = map[Name]*kind{}, map[string]*time.Location{}
	}
}

func (l *ledger) shrink(counters int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cap(l.dirty) > 4*max(counters, sweepBatch) {
		l.dirty = slices.Clone(l.dirty)
	}
}

// drop empties a counter that has aged out.
func (l *ledger) drop(c *Counter, v int64, unused bool) {
	aged := c.aged(v) || unused && c.algo == algoBudget && v-c.last >= forgetTotal
	if aged {
		l.empty(c)
	}
}

// empty takes a counter's state away.
func (l *ledger) empty(c *Counter) {
	c.state = state{}
	if c.stored {
		l.changed(c)
	}
}

// changed puts the counter on the list for the next snapshot.
func (l *ledger) changed(c *Counter) {
	if !c.dirty {
		c.dirty = true
		l.dirty = append(l.dirty, c)
	}
}
