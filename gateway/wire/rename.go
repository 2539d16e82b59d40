package wire

import "strings"

// Rename appends the body to dst with the members at the paths under other names: to
// holds, by index, the dotted path of each as it is to be, which differs from its own
// in the last name alone. A member whose new name stands in the object already, and is
// not renamed itself, is taken out instead; of several that become one the last stays.
// All other bytes stay as they are. The body must have passed Scan. See Inspect for the
// keys of the map.
func Rename(dst, body []byte, paths map[string]int, to []string) []byte {
	r := renamer{seam: seam{dst: dst, body: body}, paths: paths, to: to}
	for _, path := range to {
		r.target(path)
	}
	w := Walk(body)
	r.object(&w)
	return r.rest()
}

type renamer struct {
	seam
	paths map[string]int
	to    []string
	path  folded

	targets []string // by index, folded
	first   []int    // by index: the first of those that have the same target
	places  []place  // of the objects that are being renamed within
}

// place says what stands for a target in one object.
type place struct {
	taken bool
	last  int // where the last member begins that becomes it
}

// target notes what a path becomes.
func (r *renamer) target(path string) {
	var f folded
	for i, name := range strings.Split(path, ".") {
		if i > 0 {
			f.add('.')
		}
		f.fold([]byte(name))
	}
	target, first := string(f.bytes()), len(r.targets)
	for i, other := range r.targets {
		if other == target {
			first = r.first[i]
			break
		}
	}
	r.targets, r.first = append(r.targets, target), append(r.first, first)
}

func (r *renamer) object(w *Walker) {
	ahead, from := *w, len(r.places)
	r.places = append(r.places, make([]place, len(r.to))...)
	r.look(&ahead, r.places[from:])
	var t stitch
	for more := w.Object(); more; more = w.Member() {
		r.member(w, &t, from)
	}
	t.close(&r.seam)
	r.places = r.places[:from]
}

// look finds what stands in an object.
func (r *renamer) look(w *Walker, places []place) {
	for more := w.Object(); more; more = w.Member() {
		before := r.path.push(w)
		i, _ := r.path.index(r.paths)
		switch {
		case i >= 0 && !r.renamed(w, i):
			places[r.first[i]].last = w.named.Start
		default:
			r.take(places)
		}
		r.path.length = before
	}
}

// take notes that the present member has the name of targets.
func (r *renamer) take(places []place) {
	for i, target := range r.targets {
		if target == string(r.path.bytes()) {
			places[r.first[i]].taken = true
		}
	}
}

// renamed reports whether the walker's member has the name already that it is to have.
// The two may differ in nothing that folding leaves.
func (r *renamer) renamed(w *Walker, i int) bool {
	var room [longestPath]byte
	return string(shortText(w.doc, w.named, room[:0])) == lastName(r.to[i])
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func (r *renamer) member(w *Walker, t *stitch, from int) {
	named, before := w.named, r.path.push(w)
	i, further := r.path.index(r.paths)
	if i >= 0 && r.renamed(w, i) {
		i = none
	}
	if i >= 0 && r.out(named.Start, r.places[from+r.first[i]]) {
		w.Skip()
		t.cut(&r.seam, named.Start, w.at)
	} else {
		t.keep(&r.seam, named.Start)
		if i >= 0 {
			r.put(named, Quote(lastName(r.to[i])))
		}
		if further && w.First() == '{' {
			r.object(w)
		}
		w.Skip()
		t.end = w.at
	}
	r.path.length = before
}

// out reports whether the member that begins at start gives way to another.
func (r *renamer) out(start int, p place) bool { return p.taken || start != p.last }
