package plan

import (
	"cmp"
	"slices"
	"strings"

	"relay/store"
)

// nameIndex finds models by what callers write.
type nameIndex struct {
	exact    map[string]*Model // as written, and in lower case
	patterns []pattern         // longest prefix first
	hosts    map[string]*Host
}

type pattern struct {
	prefix string
	model  *Model
}

// indexNames makes the name index. Real names win over aliases, aliases over
// provider/model, and all of these over the spellings of Ollama.
func (c *compiler) indexNames() nameIndex {
	index := nameIndex{exact: map[string]*Model{}, hosts: map[string]*Host{}}
	for _, h := range c.plan.Hosts {
		index.hosts[h.Name()] = h
	}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		index.exact[m.Name], index.exact[strings.ToLower(m.Name)] = m, m
	}
	for rec := range c.catalog.Models.All() {
		for _, alias := range rec.Spec.Aliases {
			index.addAlias(strings.ToLower(alias), c.models[rec.Metadata.ID])
		}
	}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		if m.Provider != "" {
			index.addExact(strings.ToLower(m.Provider+"/"+m.Name), m)
		}
	}
	for rec := range c.catalog.Models.All() {
		if m := c.models[rec.Metadata.ID]; m.onOllama() {
			index.addExact(otherTag(strings.ToLower(m.Name)), m)
		}
	}
	slices.SortStableFunc(index.patterns, func(a, b pattern) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	return index
}

func (m *Model) onOllama() bool {
	return slices.ContainsFunc(m.Bindings, func(b *Binding) bool { return b.Speaks(store.ShapeOllama) })
}

// otherTag returns the other spelling of a name whose tag may be left out, as
// Ollama's clients do: x of x:latest, x:latest of x. A name with another tag
// comes back as it is.
func otherTag(name string) string {
	const latest = ":latest"
	if bare, tagged := strings.CutSuffix(name, latest); tagged {
		return bare
	}
	if strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		return name
	}
	return name + latest
}

func (n *nameIndex) addAlias(alias string, m *Model) {
	if prefix, wild := strings.CutSuffix(alias, "*"); wild {
		n.patterns = append(n.patterns, pattern{prefix, m})
		return
	}
	n.addExact(alias, m)
}

func (n *nameIndex) addExact(name string, m *Model) {
	if _, taken := n.exact[name]; !taken {
		n.exact[name] = m
	}
}

// Find resolves a model name of a request: a name, an alias, provider/model,
// any of these as NAME@host or host/NAME, or in these two what the host itself
// calls the model. host is nil when none is named; ok is false when the model
// or the host is not known.
func (p *Plan) Find(name string) (m *Model, host *Host, ok bool) {
	if m := p.names.model(name); m != nil {
		return m, nil, true
	}
	bare, host := p.pinned(name)
	if host == nil {
		return nil, nil, false
	}
	if m = p.at(host, bare); m == nil {
		if rest, twice := strings.CutPrefix(bare, host.Name()+"/"); twice {
			m = p.at(host, rest)
		}
	}
	return m, host, m != nil
}

// at returns the model of the name, or that which the host calls so.
func (p *Plan) at(host *Host, name string) *Model {
	if m := p.names.model(name); m != nil {
		return m
	}
	return host.calls(name)
}

// Host returns the enabled host of the name, in any case, or nil.
func (p *Plan) Host(name string) *Host { return p.names.hosts[strings.ToLower(name)] }

// pinned takes NAME@host or host/NAME apart. host is nil when it is neither.
func (p *Plan) pinned(name string) (bare string, host *Host) {
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		if host := p.Host(name[at+1:]); host != nil {
			return name[:at], host
		}
	}
	head, rest, _ := strings.Cut(name, "/")
	return rest, p.Host(head)
}

func (n *nameIndex) model(name string) *Model {
	if m := n.exact[name]; m != nil {
		return m
	}
	lower := strings.ToLower(name)
	if m := n.exact[lower]; m != nil {
		return m
	}
	for _, p := range n.patterns {
		if strings.HasPrefix(lower, p.prefix) {
			return p.model
		}
	}
	return nil
}

// Near returns up to three names that the access lists and that resemble the
// name asked for; with no resemblance, the first three it lists.
func (a *Access) Near(name string) []string {
	type scored struct {
		name string
		far  int
	}
	var found []scored
	for _, m := range a.list {
		found = append(found, scored{m.Name, store.EditDistance(strings.ToLower(name), strings.ToLower(m.Name))})
	}
	slices.SortStableFunc(found, func(x, y scored) int { return cmp.Compare(x.far, y.far) })
	var names []string
	for _, s := range found[:min(3, len(found))] {
		names = append(names, s.name)
	}
	return names
}
