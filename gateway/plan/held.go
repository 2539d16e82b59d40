package plan

import (
	"slices"

	"relay/limiter"
)

// Held is what requests are held against: limits that count all of them alike,
// and those that ask of each request whether and where it counts.
type Held struct {
	Limits    []*limiter.Limit
	Selective []*Selective
}

// add puts what another holds behind, where it is not there yet: a counter
// reached over two rungs is charged once.
func (h *Held) add(more Held) {
	h.Limits = appendLimits(h.Limits, more.Limits)
	for _, s := range more.Selective {
		if !slices.Contains(h.Selective, s) {
			h.Selective = append(h.Selective, s)
		}
	}
}

// empty reports whether nothing is limited.
func (h *Held) empty() bool { return len(h.Limits)+len(h.Selective) == 0 }

// all returns the limits whatever a request is like. Those that are split stand
// for their values.
func (h *Held) all() []*limiter.Limit {
	all := slices.Clone(h.Limits)
	for _, s := range h.Selective {
		all = appendLimits(all, s.limits)
	}
	return all
}

// of returns the limits of one request.
func (h *Held) of(f *Facts) []*limiter.Limit {
	limits := slices.Clone(h.Limits)
	for _, s := range h.Selective {
		limits = appendLimits(limits, s.Limits(f))
	}
	return limits
}
