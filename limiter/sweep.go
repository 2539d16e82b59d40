package limiter

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
// budget that no plan uses stays for 366 days after its last charge.
//
// Call it now and then, at least as often as plans are swapped, with the
// generation of the plan that serves. It works in short batches beside
// requests.
func (r *Registry) Sweep(generation uint64, now Instant) {
	for end := r.Len(); end > 0; end -= sweepBatch {
		r.sweepBatch(generation, now.V, end)
	}
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
		unused := c.generation < generation
		r.ledger.drop(c, v, unused)
		if unused && c.refs == 0 && c.blank() {
			r.remove(i)
		}
	}
}

// drop empties a counter that has aged out.
func (l *ledger) drop(c *Counter, v int64, unused bool) {
	aged := c.aged(v) || unused && c.algo == algoBudget && v-c.last >= forgetTotal
	if !aged || c.state == (state{}) {
		return
	}
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
