package limiter

import "sync"

// values is what a Split and its predecessors know of the values that callers
// chose: their limits by value, and the values in the order of their last use.
type values struct {
	registry   *Registry
	prefix     int    // bytes of Name.Per before the value
	generation uint64 // of the last plan that split by them; guarded by the registry's names

	mu    sync.Mutex // taken before the registry's names
	bound int
	known map[string]*value
	most  int  // values known at a time since known was made
	gone  bool // no plan splits by them any more: nothing is added
	ring  value
	next  *value // to be looked at when a place is needed; walks from the idle longest to the last used
}

// value is one of them, in a ring whose fixed element stands after the last
// used and before the idle longest.
type value struct {
	limits       []*Limit // whose counters are held; at least one
	of           *Split   // that made limits
	older, newer *value
}

func newValues(r *Registry, per string) *values {
	v := &values{registry: r, prefix: len(per) + len("="), known: map[string]*value{}}
	v.ring.older, v.ring.newer, v.next = &v.ring, &v.ring, &v.ring
	return v
}

func (v *values) limitTo(bound int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bound = bound; bound < 1 {
		v.bound = DefaultBound
	}
}

func (v *values) len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.known)
}

func (v *values) limits(now Instant, s *Split, text string) []*Limit {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.known[text]
	switch {
	case v.gone:
		return v.registry.bindValue(s.shared, text)
	case e == nil && !v.room(now):
		return s.shared
	case e == nil:
		e = v.add(s, text)
	case e.of != s:
		v.rebind(now, s, e)
	}
	v.use(e)
	return e.limits
}

// text returns the value itself: a part of its counters' name, so that what
// the caller cut it from is not kept in memory.
func (v *values) text(e *value) string { return e.limits[0].Counter.per[v.prefix:] }

func (v *values) add(s *Split, text string) *value {
	e := &value{of: s, limits: v.registry.hold(s.shared, text)}
	e.older, e.newer = e, e
	v.known[v.text(e)] = e
	v.most = max(v.most, len(v.known))
	return e
}

// rebind gives a value the limits of another plan.
func (v *values) rebind(now Instant, s *Split, e *value) {
	before := e.limits
	e.of, e.limits = s, v.registry.hold(s.shared, v.text(e))
	v.registry.letGo(now, before)
}

// use puts a value in front.
func (v *values) use(e *value) {
	v.takeOut(e)
	e.older, e.newer = v.ring.older, &v.ring
	e.older.newer, e.newer.older = e, e
}

func (v *values) takeOut(e *value) {
	if v.next == e {
		v.next = e.newer
	}
	e.older.newer, e.newer.older = e.newer, e.older
}
