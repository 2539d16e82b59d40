package foreign

import (
	"math"
	"slices"
	"strings"
)

// placed is a deployment that is read, and the access groups that it is in.
type placed struct {
	deployment
	groups []string
}

// placeAll places the deployments once the weights of all are known.
func (l *litellm) placeAll() {
	groups := map[string][]int{}
	for i, d := range l.deployments {
		groups[strings.ToLower(d.model)] = append(groups[strings.ToLower(d.model)], i)
	}
	for i := range l.deployments {
		d := &l.deployments[i]
		d.weight = l.weight(groups[strings.ToLower(d.model)], d.shares)
		l.place(d.deployment)
		l.noteGroups(d.deployment, d.groups)
	}
}

// weight is the part of a deployment among those of its name, as LiteLLM's
// simple-shuffle has it: by weight where any has one, else by rpm, else by tpm. It
// is 0 where all are alike.
func (l *litellm) weight(group []int, shares [3]float64) int {
	for by, share := range shares {
		all := make([]float64, len(group))
		for i, at := range group {
			all[i] = l.deployments[at].shares[by]
		}
		most := slices.Max(all)
		switch {
		case most <= 0:
			continue
		case slices.Min(all) == most:
			return 0
		}
		return int(math.Round(max(1, min(share/unit(all), 1e6))))
	}
	return 0
}

// unit is what weights are counted in: the largest number that divides all, or a
// hundredth of the largest where they are no whole numbers.
func unit(all []float64) float64 {
	divisor := 0.0
	for _, n := range all {
		if n != math.Trunc(n) || n < 0 || n > 1e12 {
			return slices.Max(all) / 100
		}
		for a := n; a > 0; {
			divisor, a = a, math.Mod(divisor, a)
		}
	}
	return max(divisor, slices.Max(all)/1e6)
}

// noteGroups remembers which access groups the deployment is in.
func (l *litellm) noteGroups(d deployment, groups []string) {
	h := l.hostOf(d)
	prefix, wild := wildcard(d.model)
	ref := d.model
	if wild {
		ref = "@" + h.name
		l.patterns = append(l.patterns, pattern{prefix + "*", h.name})
	}
	for _, group := range groups {
		if !slices.Contains(l.groups[group], ref) {
			l.groups[group] = append(l.groups[group], ref)
		}
	}
}

// hostOf returns the host at which a deployment has just been placed.
func (l *litellm) hostOf(d deployment) *host {
	var found *host
	for _, h := range l.hosts {
		_, wild := wildcard(d.model)
		if h.endpoint.same(d.endpoint) && (h.bindings[strings.ToLower(d.model)] != nil || wild && h.wild && l.answers(h, d.model)) {
			found = h
		}
	}
	return found
}
