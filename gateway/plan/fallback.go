package plan

import (
	"slices"

	"relay/store"
)

// maxWalk is how many models one request looks at. What is behind them is never
// reached; six attempts end the way sooner.
const maxWalk = 32

// fallback is a model that another goes on with, before any ladder.
type fallback struct {
	model  *Model
	weight int // 0: none is given
}

// linkFallbacks ties the model to those that it goes on with. A model that no
// binding names, if only one that is switched off, stands for them: to switch a
// binding off must not widen what a policy grants.
func (c *compiler) linkFallbacks(m *Model, rec *store.Model) {
	for _, to := range rec.Spec.Fallbacks {
		next := fallback{model: c.models[to.ModelID]}
		if next.model == nil {
			continue
		}
		if to.Weight != nil {
			next.weight = *to.Weight
		}
		m.fallbacks = append(m.fallbacks, next)
	}
	m.Alias = !m.bound && len(m.fallbacks) > 0
}

func (m *Model) weighted() bool {
	return slices.ContainsFunc(m.fallbacks, func(f fallback) bool { return f.weight > 0 })
}

// leadsSomewhere reports whether the model has an enabled binding, or stands for
// one that has.
func (m *Model) leadsSomewhere() bool {
	left := maxWalk
	return len(m.pairs(nil, &left)) > 0
}

// link fills in what the routes of models with hosts go on with: what the
// ladder grants by itself.
func (a *Access) link(routes []*Route) {
	for _, r := range routes {
		for _, to := range r.Model.fallbacks {
			if next := a.routes[to.model]; next != nil && !to.model.Disabled {
				r.Next = append(r.Next, Fallback{next, to.weight})
			}
		}
	}
}

// aliasFold is the making of the route of one alias model.
type aliasFold struct {
	*fold
	access    *Access
	made      []*Route // routes of models with hosts that are to be linked
	left      int      // models that it may still lead to
	forbidden bool     // a host was there that the ladder does not allow
}

// aliasRoute returns the route of the alias model, or nil when the ladder allows
// nothing of what it leads to.
func (f *fold) aliasRoute(a *Access, m *Model) (r *Route, made []*Route) {
	af := &aliasFold{fold: f, access: a, left: maxWalk}
	r = af.route([]*Model{m})
	if len(r.Next) == 0 && (af.forbidden || !f.allowedThrough([]*Model{m}, nowhere)) {
		return nil, nil
	}
	return r, af.made
}

// route follows the last of a chain of alias models.
func (f *aliasFold) route(chain []*Model) *Route {
	m := chain[len(chain)-1]
	r := &Route{Model: m}
	for _, to := range m.fallbacks {
		if to.model.Disabled || f.left == 0 || slices.Contains(chain, to.model) {
			continue
		}
		f.left--
		if next := f.step(append(slices.Clip(chain), to.model)); next != nil {
			r.Next = append(r.Next, Fallback{next, to.weight})
		}
	}
	return r
}

// step returns the route of the last of a chain, or nil when it leads nowhere.
func (f *aliasFold) step(chain []*Model) *Route {
	m := chain[len(chain)-1]
	if m.Alias {
		if r := f.route(chain); len(r.Next) > 0 {
			return r
		}
		return nil
	}
	bindings := allowedBindings(m, func(h *Host) bool { return f.allowedThrough(chain, h) })
	if len(bindings) == 0 {
		f.forbidden = f.forbidden || len(m.Bindings) > 0
		return nil
	}
	if own := f.access.routes[m]; own != nil && slices.Equal(own.bindings, bindings) {
		return own
	}
	r := f.routeOn(m, bindings)
	f.made = append(f.made, r)
	return r
}

func (f *fold) allowedThrough(chain []*Model, host *Host) bool {
	for i := range f.grants {
		if !f.grants[i].allowsThrough(chain, host) {
			return false
		}
	}
	return true
}
