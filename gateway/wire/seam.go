package wire

// seam copies a body while members are taken out of its objects. Every other byte
// stays as it is.
type seam struct {
	dst, body []byte
	done      int // what has been copied, or left out
}

// skip leaves a range out.
func (s *seam) skip(start, end int) {
	s.dst = append(s.dst, s.body[s.done:start]...)
	s.done = end
}

// put writes a text in place of a range.
func (s *seam) put(at Range, text string) {
	s.skip(at.Start, at.End)
	s.dst = append(s.dst, text...)
}

// rest copies what is left.
func (s *seam) rest() []byte { return append(s.dst, s.body[s.done:]...) }

// stitch tells which members of one object stay, and takes the commas of the others
// out with them: the one before, or that behind where none before them stays.
type stitch struct {
	kept  bool // one stays
	open  bool // the first have been taken out, from start on, to where the next begins
	start int
	end   int // of the last member
}

// cut takes out a member, from its name to the end of its value.
func (t *stitch) cut(s *seam, start, end int) {
	switch {
	case t.kept:
		s.skip(t.end, end)
	case !t.open:
		t.open, t.start = true, start
	}
	t.end = end
}

// keep leaves a member that begins at start where it is.
func (t *stitch) keep(s *seam, start int) {
	if t.open {
		s.skip(t.start, start)
	}
	t.open, t.kept = false, true
}

// close ends the object.
func (t *stitch) close(s *seam) {
	if t.open {
		s.skip(t.start, t.end)
	}
}
