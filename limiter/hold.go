package limiter

// hold binds the limits of a split to the counters of one value, and keeps the
// registry from forgetting these until they are let go.
func (r *Registry) hold(shared []*Limit, value string) []*Limit {
	r.names.Lock()
	defer r.names.Unlock()
	limits := r.bind(shared, value)
	for _, l := range limits {
		l.Counter.holds++
	}
	return limits
}

// bindValue is hold for a split that is not there to let go.
func (r *Registry) bindValue(shared []*Limit, value string) []*Limit {
	r.names.Lock()
	defer r.names.Unlock()
	return r.bind(shared, value)
}

func (r *Registry) bind(shared []*Limit, value string) []*Limit {
	limits := make([]Limit, len(shared))
	list := make([]*Limit, len(shared))
	per := shared[0].Counter.per + "=" + value
	for i, of := range shared {
		name := of.Counter.Name()
		name.Per = per
		c := r.findOrMake(name, of.Counter.zone)
		r.setZone(c, of.Counter.zone)
		limits[i] = *of
		limits[i].Counter = c
		list[i] = &limits[i]
	}
	return list
}

// letGo gives held counters back. Those that nothing uses and that have
// nothing left to count are forgotten at once, so that values cannot pile up
// between two sweeps.
func (r *Registry) letGo(now Instant, limits []*Limit) {
	r.names.Lock()
	defer r.names.Unlock()
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	now = r.ledger.tick(now)
	for _, l := range limits {
		c := l.Counter
		c.holds--
		if c.holds == 0 && c.generation == 0 && !c.live(now, l.Amount) {
			r.ledger.empty(c)
			r.remove(c)
		}
	}
}

// counts reports whether one of the limits could still refuse somebody, or is
// held by an open ticket.
func (r *Registry) counts(now Instant, limits []*Limit) bool {
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	now = r.ledger.tick(now)
	for _, l := range limits {
		if l.Counter.live(now, l.Amount) {
			return true
		}
	}
	return false
}

// sweepSplits lets the values go that have nothing left to count, and all of
// them where no plan of this generation or later splits.
func (r *Registry) sweepSplits(generation uint64, now Instant) {
	used, unused := r.partSplits(generation)
	for _, v := range used {
		v.sweep(now)
	}
	for _, v := range unused {
		v.dissolve(now)
	}
}

func (r *Registry) partSplits(generation uint64) (used, unused []*values) {
	r.names.Lock()
	defer r.names.Unlock()
	for base, v := range r.splits {
		if v.generation >= generation {
			used = append(used, v)
			continue
		}
		unused = append(unused, v)
		delete(r.splits, base)
	}
	return used, unused
}
