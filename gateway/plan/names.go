package plan

import (
	"cmp"
	"slices"
	"strings"

	"relay/store"
)

// indexNames makes the name index. Real names win over aliases, aliases over
// provider/model.
func (c *compiler) indexNames() nameIndex {
	index := nameIndex{exact: map[string]*Model{}, hosts: map[string]*Host{}}
	for _, h := range c.plan.Hosts {
		index.hosts[h.Name()] = h
	}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		index.exact[m.Name], index.exact[strings.ToLower(m.Name)] = m, m
		index.sorted = append(index.sorted, m.Name)
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
	slices.SortStableFunc(index.patterns, func(a, b pattern) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	return index
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
