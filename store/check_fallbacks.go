package store

import (
	"slices"
	"strings"
)

// fallbackCycles reports every model whose fallbacks lead back to it.
func (k *check) fallbackCycles() {
	for m := range k.catalog.Models.All() {
		if cycle := k.cycleFrom(m); cycle != nil {
			k.add(m, "spec.fallbacks", "lead back to the model itself: %s", strings.Join(cycle, " -> "))
		}
	}
}

// cycleFrom returns the names along a shortest way from m back to m, or nil.
func (k *check) cycleFrom(m *Model) []string {
	from := map[*Model]*Model{}
	for queue := []*Model{m}; len(queue) > 0; queue = queue[1:] {
		for _, to := range queue[0].Spec.Fallbacks {
			next := k.catalog.Models.Get(to.ModelID)
			if next == m {
				return wayTo(queue[0], from, m)
			}
			if next != nil && from[next] == nil {
				from[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func wayTo(last *Model, from map[*Model]*Model, m *Model) []string {
	names := []string{m.Metadata.Name}
	for at := last; at != m; at = from[at] {
		names = append(names, at.Metadata.Name)
	}
	names = append(names, m.Metadata.Name)
	slices.Reverse(names)
	return names
}
