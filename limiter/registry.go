package limiter

import (
	"hash/maphash"
	"sync"
	"time"
)

// Registry finds counters by name. It outlives plans: a recompile finds the
// counters of the plan before. Safe for concurrent use.
type Registry struct {
	ledger ledger

	// names guards all below, and is taken before the ledger's mutex. Requests
	// never take it.
	names  sync.Mutex
	hash   func(Name) uint64
	byHash map[uint64]*Counter
	all    []*Counter
	kinds  map[Name]*kind
	zones  map[string]*time.Location
	splits map[Name]*values

	kept kept
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	seed := maphash.MakeSeed()
	return &Registry{
		hash:   func(n Name) uint64 { return maphash.Comparable(seed, n) },
		byHash: map[uint64]*Counter{},
		kinds:  map[Name]*kind{},
		zones:  map[string]*time.Location{},
		splits: map[Name]*values{},
		kept:   kept{wanted: make(chan struct{}, 1)},
	}
}

// Use finds the counter or makes it, and stamps it with the generation of the
// plan that is being compiled. It never fails: callers refuse what Name.Check
// refuses; without that an unknown strategy counts as a ring, an unknown
// period as total and an unknown time zone as UTC.
func (r *Registry) Use(generation uint64, name Name) *Counter {
	r.names.Lock()
	defer r.names.Unlock()
	zone := r.zoneOf(name.Timezone)
	c := r.findOrMake(name.identity(), zone)
	c.generation = max(c.generation, generation)
	r.setZone(c, zone)
	return c
}

// Find returns the counter of that name, or nil.
func (r *Registry) Find(name Name) *Counter {
	r.names.Lock()
	defer r.names.Unlock()
	c, _ := r.find(name.identity())
	return c
}

// Len returns how many counters there are.
func (r *Registry) Len() int {
	r.names.Lock()
	defer r.names.Unlock()
	return len(r.all)
}

// restored finds or makes a counter for a state at rest. Its generation stays
// unknown until a plan uses it.
func (r *Registry) restored(name Name) *Counter {
	r.names.Lock()
	defer r.names.Unlock()
	return r.findOrMake(name.identity(), time.UTC)
}

// renew binds those limits of a ticket anew whose counters the registry has
// forgotten, so that a request under an old plan counts with everybody else.
func (r *Registry) renew(t *Ticket) {
	r.names.Lock()
	defer r.names.Unlock()
	charges := t.charges()
	for i := range charges {
		if old := charges[i].limit; old.Counter.gone {
			limit := *old
			limit.Counter = r.findOrMake(old.Counter.Name(), old.Counter.zone)
			charges[i].limit = &limit
		}
	}
}

func (r *Registry) findOrMake(n Name, zone *time.Location) *Counter {
	c, hash := r.find(n)
	if c != nil {
		return c
	}
	c = newCounter(n, r.kindOf(n), zone)
	c.next = r.byHash[hash]
	r.byHash[hash] = c
	c.place = int32(len(r.all))
	r.all = append(r.all, c)
	return c
}

func (r *Registry) find(n Name) (*Counter, uint64) {
	hash := r.hash(n)
	for c := r.byHash[hash]; c != nil; c = c.next {
		if c.Name() == n {
			return c, hash
		}
	}
	return nil, hash
}

func (r *Registry) kindOf(n Name) *kind {
	shared := Name{Meter: n.Meter, Strategy: n.Strategy, Window: n.Window, Period: n.Period}
	k := r.kinds[shared]
	if k == nil {
		k = newKind(shared)
		r.kinds[shared] = k
	}
	return k
}

// setZone changes where a budget's next period ends. Other counters have no
// use for a zone.
func (r *Registry) setZone(c *Counter, zone *time.Location) {
	if c.zone == zone {
		return
	}
	r.ledger.mu.Lock()
	c.zone = zone
	r.ledger.mu.Unlock()
}

func (r *Registry) zoneOf(timezone string) *time.Location {
	zone := r.zones[timezone]
	if zone == nil {
		var err error
		if zone, err = time.LoadLocation(timezone); err != nil {
			zone = time.UTC
		}
		r.zones[timezone] = zone
	}
	return zone
}

// remove forgets a counter that holds nothing. The ledger's mutex is held too.
func (r *Registry) remove(c *Counter) {
	end := len(r.all) - 1
	last := r.all[end]
	r.all[c.place], last.place = last, c.place
	r.all[end] = nil
	r.all = r.all[:end]
	r.unlink(c)
	c.gone = true
	if c.stored {
		r.ledger.changed(c)
	}
}

func (r *Registry) unlink(c *Counter) {
	hash := r.hash(c.Name())
	switch head := r.byHash[hash]; {
	case head != c:
		for head.next != c {
			head = head.next
		}
		head.next = c.next
	case c.next != nil:
		r.byHash[hash] = c.next
	default:
		delete(r.byHash, hash)
	}
}
