package plan

import "slices"

// Walk is the way of one request through a route and its fallbacks. It comes to
// each model once, and to alias models only through what they stand for. The
// zero value is ready; one that is started again keeps its memory.
type Walk struct {
	stack []*Route // the next one last
	seen  []*Model
	at    *Route
}

// Start begins at the route.
func (w *Walk) Start(r *Route) {
	w.Clear()
	w.stack = append(w.stack, r)
}

// Clear lets go of everything but the memory.
func (w *Walk) Clear() {
	clear(w.stack)
	clear(w.seen)
	w.stack, w.seen, w.at = w.stack[:0], w.seen[:0], nil
}

// Next returns the next route with pools, or nil at the end. pick says which of
// an alias model's targets comes first; the others follow in their order.
func (w *Walk) Next(pick func([]Fallback) int) *Route {
	if w.at != nil {
		w.push(w.at.Next, 0)
		w.at = nil
	}
	for len(w.stack) > 0 && len(w.seen) < maxWalk {
		r := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if slices.Contains(w.seen, r.Model) {
			continue
		}
		w.seen = append(w.seen, r.Model)
		if !r.Model.Alias {
			w.at = r
			return r
		}
		w.push(r.Next, pick(r.Next))
	}
	return nil
}

// More reports whether a route to come has a candidate of which pick is true.
func (w *Walk) More(pick func(Candidate) bool) bool {
	if w.at != nil && slices.ContainsFunc(w.at.Next, func(f Fallback) bool { return f.Route.Any(pick) }) {
		return true
	}
	return slices.ContainsFunc(w.stack, func(r *Route) bool { return r.Any(pick) })
}

func (w *Walk) push(next []Fallback, first int) {
	for i := len(next) - 1; i >= 0; i-- {
		if i != first {
			w.stack = append(w.stack, next[i].Route)
		}
	}
	if len(next) > 0 {
		w.stack = append(w.stack, next[first].Route)
	}
}

// inOrder picks the first.
func inOrder([]Fallback) int { return 0 }

// each calls visit for the route and what it leads to, as a request in which
// nothing is left to chance walks, until visit returns true. It reports whether
// it did. A nil route has nothing to visit.
func (r *Route) each(visit func(*Route) bool) bool {
	if r == nil {
		return false
	}
	if !r.Model.Alias && visit(r) {
		return true // mostly
	}
	if len(r.Next) == 0 {
		return false
	}
	var w Walk
	w.Start(r)
	if !r.Model.Alias {
		w.Next(inOrder)
	}
	for at := w.Next(inOrder); at != nil; at = w.Next(inOrder) {
		if visit(at) {
			return true
		}
	}
	return false
}
