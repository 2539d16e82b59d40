package plan

import (
	"strings"

	"relay/store"
)

// grant is the set of (model, host) pairs that one rung allows.
type grant struct {
	all               bool // no models named: everything
	includeDeprecated bool
	models, deny      []store.ModelRefParts
}

func (c *compiler) grantOf(p *store.Policy) grant {
	if !store.Enabled(p.Spec.Enabled) {
		return grant{}
	}
	return c.newGrant(p.Spec.Models, p.Spec.Deny, p.Spec.IncludeDeprecated)
}

func (c *compiler) newGrant(models, deny []store.ModelRef, includeDeprecated bool) grant {
	return grant{
		all: len(models) == 0, includeDeprecated: includeDeprecated,
		models: readable(models), deny: everyRef(deny),
	}
}

// readable takes stored references apart. One that cannot be read grants
// nothing.
func readable(refs []store.ModelRef) []store.ModelRefParts {
	var out []store.ModelRefParts
	for _, ref := range refs {
		if parts, err := store.ParseModelRef(ref); err == nil {
			out = append(out, parts)
		}
	}
	return out
}

// everyRef is readable for references that deny: one that cannot be read has
// no parts and so denies everything.
func everyRef(refs []store.ModelRef) []store.ModelRefParts {
	out := make([]store.ModelRefParts, len(refs))
	for i, ref := range refs {
		if parts, err := store.ParseModelRef(ref); err == nil {
			out[i] = parts
		}
	}
	return out
}

func matches(r store.ModelRefParts, m *Model, host *Host) bool {
	return (r.Provider == "" || r.Provider == m.makerID) &&
		(r.Model == "" || m.is(r.Model)) &&
		(r.Host == "" || r.Host == host.Record.Metadata.ID)
}

// is reports whether a reference's model part is the model: its id, or the name
// of one that the catalog does not know.
func (m *Model) is(part string) bool {
	return part == m.ID || m.Unknown && strings.EqualFold(part, m.ID)
}

func matchesAny(refs []store.ModelRefParts, m *Model, host *Host) bool {
	for _, r := range refs {
		if matches(r, m, host) {
			return true
		}
	}
	return false
}

func (g *grant) allows(m *Model, host *Host) bool {
	if matchesAny(g.deny, m, host) {
		return false
	}
	return g.all || matchesAny(g.models, m, host)
}

// allowsThrough is allows for the last of a chain of models, of which the
// others are alias models, each standing for the next. Whoever names an alias
// model grants what it leads to, on that way only; what is denied of any of
// them is denied.
func (g *grant) allowsThrough(chain []*Model, host *Host) bool {
	open := g.all
	for _, m := range chain {
		if matchesAny(g.deny, m, host) {
			return false
		}
		open = open || g.names(m, host)
		if !open && !matchesAny(g.models, m, host) {
			return false
		}
	}
	return true
}

// names reports whether the grant names the model itself.
func (g *grant) names(m *Model, host *Host) bool {
	for _, r := range g.models {
		if r.Model != "" && matches(r, m, host) {
			return true
		}
	}
	return false
}

// lists reports whether the grant shows the model in lists: a deprecated model
// is callable but shown only where it is named or asked for.
func (g *grant) lists(m *Model) bool {
	if !m.Deprecated || g.includeDeprecated {
		return true
	}
	for _, r := range g.models {
		if r.Model == m.ID {
			return true
		}
	}
	return false
}
