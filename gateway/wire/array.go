package wire

// nest is how deep within a JSON document a Splitter has come.
type nest struct {
	depth   int
	root    int // the depth at which elements begin: 1 in an array
	text    bool
	escaped bool
}

// edge is what one byte is to the elements of an array.
type edge uint8

const (
	edgeNone  edge = iota
	edgeBegin      // the first byte of an element
	edgeEnd        // the last byte of an element
	edgeOver       // the bracket that ends the array
)

// step takes the next byte. Elements are objects and arrays; the document may
// also be one of them, without an array around it.
func (n *nest) step(c byte) edge {
	switch {
	case n.escaped:
		n.escaped = false
	case n.text:
		n.text, n.escaped = c != '"', c == '\\'
	case c == '"':
		n.text = true
	case c == '{' || c == '[':
		return n.open(c)
	case c == '}' || c == ']':
		return n.close()
	}
	return edgeNone
}

func (n *nest) open(c byte) edge {
	n.depth++
	switch {
	case n.depth == 1 && c == '[':
		n.root = 1
	case n.depth == n.root+1:
		return edgeBegin
	}
	return edgeNone
}

func (n *nest) close() edge {
	n.depth--
	switch {
	case n.depth == n.root:
		return edgeEnd
	case n.depth < n.root:
		return edgeOver
	}
	return edgeNone
}

// isOpen reports whether an array has begun and not ended.
func (n *nest) isOpen() bool { return n.root == 1 && n.depth > 0 }

// skip returns the index of the first byte at or after i that step must see: in
// a string that is what ends it, or escapes what follows.
func (n *nest) skip(b []byte, i int) int {
	if !n.text || n.escaped {
		return i
	}
	for i = plain(b, i); i < len(b) && b[i] != '"' && b[i] != '\\'; i = plain(b, i+1) {
		continue
	}
	return i
}

// nextElement yields the next element of an array with what stands before it:
// the opening bracket, commas, blanks. The closing bracket comes as an event
// without data. What a body ends with that is neither is left out, whether the
// body has ended cleanly or broken off: another element may then follow the last
// whole one.
func (s *Splitter) nextElement(e *Event) bool {
	for s.scan < s.end {
		switch s.stepWithin() {
		case edgeBegin:
			s.line = s.scan - 1
		case edgeEnd:
			if s.yielded == 0 {
				s.block.addData(s.buf, Range{s.line, s.scan})
			}
			s.line = s.scan
			return s.yieldEvent(e, "")
		case edgeOver:
			s.line = s.scan
			return s.yieldEvent(e, "")
		}
	}
	return !s.over && s.unfinished(e)
}

// stepWithin takes the next byte that may be an edge, and those before it.
func (s *Splitter) stepWithin() edge {
	at := s.nest.skip(s.buf[:s.end], s.scan)
	if s.scan = min(at+1, s.end); at == s.end {
		return edgeNone
	}
	return s.nest.step(s.buf[at])
}
