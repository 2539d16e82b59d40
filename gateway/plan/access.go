package plan

import (
	"cmp"

	"relay/store"
)

// access folds what the rungs allow into routes. Ladders that say the same
// share one Access.
func (c *compiler) access(l *ladder) *Access {
	memo := l.accessKey()
	if a := c.accesses[memo]; a != nil {
		return a
	}
	f := fold{compiler: c, grants: c.grants(l), pools: c.pools(l)}
	a := &Access{routes: map[*Model]*Route{}, grants: f.grants, pools: f.pools, gates: c.gates(l)}
	f.routes(a)
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		if route := a.routes[m]; route != nil && f.lists(m, route) {
			a.list = append(a.list, m)
		}
	}
	c.accesses[memo] = a
	return a
}

func (c *compiler) grants(l *ladder) []grant {
	var grants []grant
	for _, r := range l.rungs {
		if r.policy != nil {
			grants = append(grants, c.grantOf(r.policy))
		}
	}
	if k := l.key; len(k.Spec.Models)+len(k.Spec.Deny) > 0 {
		grants = append(grants, c.newGrant(k.Spec.Models, k.Spec.Deny, true))
	}
	return grants
}

// fold is the making of one Access.
type fold struct {
	*compiler
	grants []grant
	pools  []poolKeys
}

// routes makes the routes of models with hosts, then those of alias models,
// which lead to them, and last ties both to their fallbacks.
func (f *fold) routes(a *Access) {
	var aliases []*Model
	var made []*Route
	for rec := range f.catalog.Models.All() {
		m := f.models[rec.Metadata.ID]
		if m.Alias {
			aliases = append(aliases, m)
		} else if route := f.route(m); route != nil {
			a.routes[m] = route
			made = append(made, route)
		}
	}
	for _, m := range aliases {
		route, more := f.aliasRoute(a, m)
		made = append(made, more...)
		if route != nil {
			a.routes[m] = route
		}
	}
	a.link(made)
}

// route returns the model's route under the ladder, or nil when some rung
// allows it on none of its hosts. A model without bindings has a route without
// candidates, so that the refusal can say what is missing.
func (f *fold) route(m *Model) *Route {
	bindings := allowedBindings(m, func(h *Host) bool { return f.allowed(m, h) })
	if len(bindings) == 0 && (len(m.Bindings) > 0 || !f.allowed(m, nowhere)) {
		return nil
	}
	return f.routeOn(m, bindings)
}

func allowedBindings(m *Model, allowed func(*Host) bool) []*Binding {
	bindings := make([]*Binding, 0, len(m.Bindings))
	for _, b := range m.Bindings {
		if allowed(b.Host) {
			bindings = append(bindings, b)
		}
	}
	return bindings
}

func (f *fold) routeOn(m *Model, bindings []*Binding) *Route {
	return newRoute(m, bindings, f.pools, func(p *poolKeys) int { return f.turn(p, m.ID) })
}

// newRoute makes the route over the bindings, with the pools that have a key for
// it. turn says which turn a pool takes.
func newRoute(m *Model, bindings []*Binding, pools []poolKeys, turn func(*poolKeys) int) *Route {
	route := &Route{Model: m, bindings: bindings}
	for i := range pools {
		pool := &pools[i]
		if candidates := route.candidates(pool.keys, bindings); len(candidates) > 0 {
			route.Pools = append(route.Pools, Pool{Name: pool.name, Selection: pool.selection, Turn: turn(pool), Candidates: candidates})
		}
	}
	return route
}

// nowhere is the host of a model that no host serves.
var nowhere = &Host{Record: &store.Host{}}

func (f *fold) allowed(m *Model, host *Host) bool {
	for i := range f.grants {
		if !f.grants[i].allows(m, host) {
			return false
		}
	}
	return true
}

func (f *fold) lists(m *Model, route *Route) bool {
	for i := range f.grants {
		if !f.grants[i].lists(m) {
			return false
		}
	}
	return !m.Disabled && route.each(func(r *Route) bool { return len(r.Pools) > 0 })
}

// candidates pairs keys with bindings: bindings by priority, and among those of
// one priority the order of the pool.
func (r *Route) candidates(keys []*HostKey, bindings []*Binding) []Candidate {
	var out []Candidate
	for len(bindings) > 0 {
		n := 1
		for n < len(bindings) && bindings[n].Priority == bindings[0].Priority {
			n++
		}
		for _, k := range keys {
			b := onHost(bindings[:n], k.Host)
			switch {
			case b == nil || !k.serves(r.Model):
			case k.refusedFor(r.Model) != nil:
				r.Dropped = k.refusedFor(r.Model)
			default:
				out = append(out, Candidate{Key: k, Binding: b})
			}
		}
		bindings = bindings[n:]
	}
	return out
}

func onHost(bindings []*Binding, h *Host) *Binding {
	for _, b := range bindings {
		if b.Host == h {
			return b
		}
	}
	return nil
}

// refusedFor returns why the key cannot be used for the model: a limit above it
// cannot be enforced.
func (k *HostKey) refusedFor(m *Model) *Refused {
	refused := k.refused
	for _, perModel := range k.PerModel {
		refused = cmp.Or(refused, perModel.Of(m).Refused)
	}
	return refused
}

func (k *HostKey) serves(m *Model) bool {
	for i := range k.grants {
		if !k.grants[i].allows(m, k.Host) {
			return false
		}
	}
	return true
}
