package plan

import (
	"cmp"
	"fmt"
	"slices"

	"relay/store"
)

// access folds what the rungs allow into routes. Ladders that say the same
// share one Access.
func (c *compiler) access(l *ladder) *Access {
	memo := l.accessKey()
	if a := c.accesses[memo]; a != nil {
		return a
	}
	f := fold{compiler: c, ladder: l, grants: c.grants(l), pools: c.pools(l)}
	a := &Access{routes: map[*Model]*Route{}}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		route := f.route(m, rec.Spec.ProviderID)
		if route == nil {
			continue
		}
		a.routes[m] = route
		if f.lists(m, route) {
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
	ladder *ladder
	grants []grant
	pools  []poolKeys
}

// route returns the model's route under the ladder, or nil when some rung
// allows it on none of its hosts. A model without bindings has a route without
// candidates, so that the refusal can say what is missing.
func (f *fold) route(m *Model, providerID string) *Route {
	bindings := make([]*Binding, 0, len(m.Bindings))
	for _, b := range m.Bindings {
		if f.allowed(m, providerID, b.Host) {
			bindings = append(bindings, b)
		}
	}
	if len(bindings) == 0 && (len(m.Bindings) > 0 || !f.allowed(m, providerID, nowhere)) {
		return nil
	}
	route := &Route{Model: m}
	for _, pool := range f.pools {
		candidates := route.candidates(pool.keys, bindings, m, providerID)
		if len(candidates) > 0 {
			route.Pools = append(route.Pools, Pool{Index: f.plan.Pools, Name: pool.name, Selection: pool.selection, Candidates: candidates})
			f.plan.Pools++
		}
	}
	return route
}

// nowhere is the host of a model that no host serves.
var nowhere = &Host{Record: &store.Host{}}

func (f *fold) allowed(m *Model, providerID string, host *Host) bool {
	for i := range f.grants {
		if !f.grants[i].allows(m, providerID, host) {
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
	return !m.Disabled && len(route.Pools) > 0
}

// candidates pairs keys with bindings: bindings by priority, and among those of
// one priority the order of the pool.
func (r *Route) candidates(keys []*HostKey, bindings []*Binding, m *Model, providerID string) []Candidate {
	var out []Candidate
	for len(bindings) > 0 {
		n := 1
		for n < len(bindings) && bindings[n].Priority == bindings[0].Priority {
			n++
		}
		for _, k := range keys {
			b := onHost(bindings[:n], k.Host)
			switch {
			case b == nil || !k.serves(m, providerID):
			case k.refusedFor(m) != nil:
				r.Dropped = k.refusedFor(m)
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
		refused = cmp.Or(refused, perModel[m].Refused)
	}
	return refused
}

func (k *HostKey) serves(m *Model, providerID string) bool {
	for i := range k.grants {
		if !k.grants[i].allows(m, providerID, k.Host) {
			return false
		}
	}
	return true
}

// poolKeys is a pool before models are looked at.
type poolKeys struct {
	name, selection string
	keys            []*HostKey
}

// pools returns the pools of the lowest rung that defines any, each with only
// the keys that every higher rung that defines pools has too.
func (c *compiler) pools(l *ladder) []poolKeys {
	lowest := -1
	for i, r := range l.rungs {
		if r.policy != nil && len(r.policy.Spec.Pools) > 0 {
			lowest = i
		}
	}
	if lowest < 0 {
		return []poolKeys{{name: "all", selection: "prioritized", keys: c.plan.HostKeys}}
	}
	var out []poolKeys
	for _, spec := range l.rungs[lowest].policy.Spec.Pools {
		pool := poolKeys{name: spec.Name, selection: spec.Selection, keys: c.keysOf(spec)}
		for _, r := range l.rungs[:lowest] {
			pool.keys = c.keep(pool.keys, r.policy)
		}
		out = append(out, pool)
	}
	c.warnOfPools(l.rungs[lowest].policy, out)
	return out
}

func (c *compiler) keysOf(spec store.Pool) []*HostKey {
	if len(spec.HostKeyIDs) == 0 && len(spec.HostIDs) == 0 {
		return c.plan.HostKeys
	}
	var keys []*HostKey
	for _, id := range spec.HostKeyIDs {
		if k := c.keys[id]; k != nil {
			keys = append(keys, k)
		}
	}
	for _, id := range spec.HostIDs {
		if h := c.hosts[id]; h != nil {
			keys = append(keys, h.Keys...)
		}
	}
	return keys
}

func (c *compiler) keep(keys []*HostKey, p *store.Policy) []*HostKey {
	if p == nil || len(p.Spec.Pools) == 0 {
		return keys
	}
	var above []*HostKey
	for _, spec := range p.Spec.Pools {
		above = append(above, c.keysOf(spec)...)
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k *HostKey) bool { return !slices.Contains(above, k) })
}

func (c *compiler) warnOfPools(p *store.Policy, pools []poolKeys) {
	for i, pool := range pools {
		field := fmt.Sprintf("spec.pools[%d]", i)
		if len(pool.keys) == 0 {
			c.warn(p, field, "pool %s has no usable key: its keys are switched off, unreadable, or not in the pools of a higher rung", pool.name)
		}
		if pool.selection == "weighted" || pool.selection == "affinity" {
			c.warn(p, field+".selection", "%s has no effect in this version: keys are taken in order", pool.selection)
		}
	}
}
