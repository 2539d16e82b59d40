package limiter

import "maps"

// A value without a place looks at the value that has been idle longest and at
// so many others, and Sweep at so many a hold of the mutex.
const (
	valuesLooked = 8
	valuesSwept  = 64
)

// room makes room for one more value, and reports false when it finds none.
func (v *values) room(now Instant) bool {
	for look := 0; len(v.known) >= v.bound; look++ {
		switch {
		case look == 0:
			v.leave(now, v.ring.newer)
		case look <= valuesLooked:
			v.leave(now, v.step())
		default:
			return false
		}
	}
	return true
}

// step returns the value to look at and moves on to the next.
func (v *values) step() *value {
	e := v.next
	if e == &v.ring {
		e = e.newer
	}
	v.next = e.newer
	return e
}

// leave lets a value go that has nothing left to count.
func (v *values) leave(now Instant, e *value) {
	if v.registry.counts(now, e.limits) {
		return
	}
	v.forget(now, e)
}

func (v *values) forget(now Instant, e *value) {
	v.takeOut(e)
	delete(v.known, v.text(e))
	v.registry.letGo(now, e.limits)
}

// sweep lets every value go that has nothing left to count.
func (v *values) sweep(now Instant) {
	for left := v.len(); left > 0; left -= valuesSwept {
		v.sweepBatch(now)
	}
	v.shrink()
}

func (v *values) sweepBatch(now Instant) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for range min(valuesSwept, len(v.known)) {
		v.leave(now, v.step())
	}
}

// dissolve lets every value go, whatever it has counted: from now on the
// registry alone says how long its counters stay.
func (v *values) dissolve(now Instant) {
	for more := true; more; {
		more = v.dissolveBatch(now)
	}
}

func (v *values) dissolveBatch(now Instant) (more bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = true
	for range min(valuesSwept, len(v.known)) {
		v.forget(now, v.ring.newer)
	}
	return len(v.known) > 0
}

// shrink gives back what the map took for values that have gone.
func (v *values) shrink() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.most < valuesSwept || len(v.known) > v.most/4 {
		return
	}
	known := make(map[string]*value, len(v.known))
	maps.Copy(known, v.known)
	v.known, v.most = known, len(known)
}
