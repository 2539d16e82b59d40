package plan

import (
	"slices"

	"relay/store"
)

// Gates is what the policies of a ladder ask of a request itself, beyond its model and
// what limits count. All rungs ask together, and the widest that minds is named. A nil
// *Gates asks nothing.
type Gates struct {
	// Params are the names that policies block. Blocked has the index of each under
	// every path at which a body may hold that parameter, in lower case and without
	// underscores; -1 is at what only leads to longer paths.
	Params  []Gate
	Blocked map[string]int

	denied   []Gate // capabilities
	maxInput Gate
	most     int64 // tokens of input; 0: any number
}

// Gate is one thing that a policy minds.
type Gate struct {
	Name   string // as the policy has it
	Policy string
}

// gates folds those of the rungs; nil where they ask nothing.
func (c *compiler) gates(l *ladder) *Gates {
	g := &Gates{}
	for _, r := range l.rungs {
		if r.policy != nil {
			g.add(r.policy)
		}
	}
	if len(g.Params)+len(g.denied) == 0 && g.most == 0 {
		return nil
	}
	return g
}

// gatesOf are those of one policy.
func gatesOf(p *store.Policy) *Gates {
	g := &Gates{}
	g.add(p)
	return g
}

// add narrows the gates by a policy.
func (g *Gates) add(p *store.Policy) {
	name := p.Metadata.Name
	for _, capability := range store.CapabilityNames() {
		if allowed, said := p.Spec.Capabilities[capability]; said && !allowed && g.gateOf(capability) == nil {
			g.denied = append(g.denied, Gate{capability, name})
		}
	}
	if most := p.Spec.MaxInputTokens; most != nil && (g.most == 0 || *most < g.most) {
		g.most, g.maxInput = *most, Gate{"maxInputTokens", name}
	}
	for _, param := range p.Spec.BlockedParams {
		g.block(Gate{param, name})
	}
}

// gateOf returns what denies the capability; nil: nothing.
func (g *Gates) gateOf(capability string) *Gate {
	if g == nil {
		return nil
	}
	if i := slices.IndexFunc(g.denied, func(d Gate) bool { return d.Name == capability }); i >= 0 {
		return &g.denied[i]
	}
	return nil
}

// block puts the parameter under every path that it may have. What an earlier policy
// blocks stays that one's.
func (g *Gates) block(param Gate) {
	index := len(g.Params)
	g.Params = append(g.Params, param)
	if g.Blocked == nil {
		g.Blocked = map[string]int{}
	}
	for _, path := range pathsOf(param.Name) {
		addPath(g.Blocked, path, index)
	}
}

// Asks reports whether the gates mind anything that only the body of a request tells.
func (g *Gates) Asks() bool { return g != nil && len(g.Params)+len(g.denied) > 0 }

// Weighs reports whether the number of tokens of input matters.
func (g *Gates) Weighs() bool { return g != nil && g.most > 0 }

// warnOfTiers warns of tier policies that ask what is asked of callers alone.
func (c *compiler) warnOfTiers() {
	for p := range c.catalog.Policies.All() {
		if p.Metadata.Owner == nil || p.Metadata.Owner.Kind != store.KindHost {
			continue
		}
		switch g := gatesOf(p); {
		case len(g.denied) > 0:
			c.warn(p, "spec.capabilities", "have no effect in a tier policy: bind a policy that has them to an account of callers")
		case g.most > 0:
			c.warn(p, "spec.maxInputTokens", "has no effect in a tier policy: bind a policy that has it to an account of callers")
		case len(g.Params) > 0:
			c.warn(p, "spec.blockedParams", "have no effect in a tier policy: bind a policy that has them to an account of callers, or refuse them in the params of bindings")
		}
	}
}
