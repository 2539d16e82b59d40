package wire

// Cut appends the body to dst without the members at the paths, wherever one of them
// stands; all other bytes stay as they are. held has the bit of each path, by its index
// up to 63, that held something other than null. The body must have passed Scan. See
// Inspect for the keys of the map.
func Cut(dst, body []byte, paths map[string]int) (cut []byte, held uint64) {
	c := cutter{seam: seam{dst: dst, body: body}, paths: paths}
	w := Walk(body)
	c.object(&w)
	return c.rest(), c.held
}

type cutter struct {
	seam
	paths map[string]int
	path  folded
	held  uint64
}

func (c *cutter) object(w *Walker) {
	var t stitch
	for more := w.Object(); more; more = w.Member() {
		start, before := w.named.Start, c.path.push(w)
		i, further := c.path.index(c.paths)
		if i >= 0 {
			if w.First() != 'n' {
				c.held |= 1 << i
			}
			w.Skip()
			t.cut(&c.seam, start, w.at)
		} else {
			t.keep(&c.seam, start)
			if further && w.First() == '{' {
				c.object(w)
			}
			w.Skip()
			t.end = w.at
		}
		c.path.length = before
	}
	t.close(&c.seam)
}

// Take returns the value of the last member at a folded path that leads through
// objects, and nil where there is none, or null. The body must have passed Scan.
func Take(body []byte, path string) []byte {
	taker := taker{wanted: path}
	w := Walk(body)
	if taker.object(&w); !taker.found.Present() {
		return nil
	}
	return taker.found.Of(body)
}

type taker struct {
	wanted string
	path   folded
	found  Range
}

func (t *taker) object(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		before := t.path.push(w)
		switch {
		case string(t.path.bytes()) == t.wanted:
			t.found = Range{}
			if w.First() != 'n' {
				t.found = w.Value()
			}
		case t.path.leadsTo(t.wanted) && w.First() == '{':
			t.object(w)
		}
		t.path.length = before
	}
}
