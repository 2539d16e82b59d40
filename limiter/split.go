package limiter

// DefaultBound is how many values a Split tells apart when it is not told.
const DefaultBound = 65_536

// Split gives every value of something that callers choose, an end user's name
// or a client's address, counters of its own: those of the limits it was made
// of, with "=" and the value added to Name.Per.
//
// At most so many values are told apart at a time. A further one takes the
// place of a value that has nothing left to count and that no open ticket
// holds, the idle longest first; when it finds none among that and eight
// more, others each time, it shares the counters of the limits themselves. So
// no value gets rid of what it was counted for by being pushed out, and callers
// who make values up take a bounded amount of memory, besides what a restart
// brought back. A value that shared may later find a place, and then starts its
// own count.
//
// A Split belongs to one plan. What is known of the values outlives it in the
// registry, so that the Split of the same limits in the next plan goes on with
// the same counters. Safe for concurrent use.
type Split struct {
	registry *Registry
	shared   []*Limit
	values   *values
}

// Split splits limits that differ in meter, strategy, window or period alone,
// such as the rules of one rate limit, and that Use has stamped with the
// generation of the plan being compiled. A bound below 1 means DefaultBound;
// the last one given counts.
func (r *Registry) Split(limits []*Limit, bound int) *Split {
	s := &Split{registry: r, shared: limits}
	if len(limits) > 0 {
		s.values = r.valuesOf(limits[0].Counter)
		s.values.limitTo(bound)
	}
	return s
}

// valuesOf finds or makes what is known of the values of a split limit.
func (r *Registry) valuesOf(c *Counter) *values {
	base := Name{Owner: c.owner, Limit: c.limit, Subject: c.subject, Model: c.model, Per: c.per}
	r.names.Lock()
	defer r.names.Unlock()
	v := r.splits[base]
	if v == nil {
		v = newValues(r, base.Per)
		r.splits[base] = v
	}
	v.generation = max(v.generation, c.generation)
	return v
}

// Limits returns the limits that count a value, in the order of those that the
// Split was made of; they are not to be changed. It allocates nothing for a
// value that is known. Values are any text, also an empty one; how long they
// may be is the caller's business.
func (s *Split) Limits(now Instant, value string) []*Limit {
	if s.values == nil {
		return nil
	}
	return s.values.limits(now, s, value)
}

// Len returns how many values are told apart now.
func (s *Split) Len() int {
	if s.values == nil {
		return 0
	}
	return s.values.len()
}
