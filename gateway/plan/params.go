package plan

import (
	"maps"
	"slices"
	"strings"

	"relay/store"
)

// Params is how a request is adapted to what the host of a binding takes, in the shape
// that goes up to it. First nothing of Refuse may be there; then Drop is taken out,
// what Rename has gets other names, and what Fill has is added where it lacks. Keys are
// dotted paths in lower case and without underscores, with the index of each; -1 is at
// what only leads to longer paths.
type Params struct {
	Refuse, Drop, Rename map[string]int

	Refused, Dropped []string // by index: as the binding has them
	Renamed          []string // by index: the path as it is to be, in the same object
	Moves            []Move   // to other objects
	Filled, Values   []string // by index: paths as they are to be written, and JSON
}

// Move takes a member to another object, unless it is there already.
type Move struct {
	From string         // folded
	Path map[string]int // to it, as of Drop
	To   string         // as it is to be written
}

// params compiles what a binding says of members; nil where it says nothing that can
// be done.
func (c *compiler) params(rec *store.HostBinding) *Params {
	said := rec.Spec.Params
	if said == nil {
		return nil
	}
	p := &Params{Refuse: map[string]int{}, Drop: map[string]int{}, Rename: map[string]int{}}
	unfit := func(list, path string) bool { return c.isUnfit(rec, list, path) }
	p.Refused = indexed(p.Refuse, "refuse", said.Refuse, unfit)
	p.Dropped = indexed(p.Drop, "drop", said.Drop, unfit)
	for _, from := range slices.Sorted(maps.Keys(said.Rename)) {
		if to := said.Rename[from]; !unfit("rename", from) && !unfit("rename", to) {
			p.rename(from, to)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(said.Defaults)) {
		if !unfit("defaults", path) {
			p.Filled, p.Values = append(p.Filled, path), append(p.Values, string(said.Defaults[path]))
		}
	}
	if len(p.Refused)+len(p.Dropped)+len(p.Rename)+len(p.Moves)+len(p.Filled) == 0 {
		return nil
	}
	return p
}

// isUnfit reports whether a path cannot be one of a member that may be changed, and
// warns of it: Relay writes some members itself, however they are spelled.
func (c *compiler) isUnfit(rec *store.HostBinding, list, path string) bool {
	name := folded(path)
	why := ""
	switch {
	case name == "model", name == "stream":
		why = "Relay needs that member itself"
	case strings.Contains("."+name+".", ".."):
		why = "a name in it is empty"
	default:
		return false
	}
	c.warn(rec, "spec.params."+list, "%s has no effect: %s", path, why)
	return true
}

// indexed puts paths into a map and returns them by their indexes.
func indexed(into map[string]int, list string, paths []string, unfit func(list, path string) bool) []string {
	var kept []string
	for _, path := range paths {
		if !unfit(list, path) {
			addPath(into, folded(path), len(kept))
			kept = append(kept, path)
		}
	}
	return kept
}

// rename keeps a new name. One in another object is a move.
func (p *Params) rename(from, to string) {
	if parentOf(folded(from)) != parentOf(folded(to)) {
		p.Moves = append(p.Moves, Move{folded(from), PathTo(from), to})
		return
	}
	addPath(p.Rename, folded(from), len(p.Renamed))
	p.Renamed = append(p.Renamed, to)
}

func parentOf(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

// PathTo is the map of one path.
func PathTo(path string) map[string]int {
	paths := map[string]int{}
	addPath(paths, folded(path), 0)
	return paths
}
