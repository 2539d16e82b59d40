package wire

// Range is a span of bytes, End excluded. The zero Range is one that is absent.
type Range struct{ Start, End int }

// Present reports whether there is anything at the range.
func (r Range) Present() bool { return r.End > r.Start }

// Of returns the bytes of b in the range.
func (r Range) Of(b []byte) []byte { return b[r.Start:r.End] }

// Edit replaces the bytes of one range by raw JSON; where the range is empty
// it inserts at its start.
type Edit struct {
	At   Range
	Text string
}

// Splice appends body to dst with the edits done and every other byte kept.
// Their ranges must not overlap; their order is free, and Splice puts them
// into order where they are.
func Splice(dst, body []byte, edits ...Edit) []byte {
	sortEdits(edits)
	done := 0
	for _, e := range edits {
		dst = append(dst, body[done:e.At.Start]...)
		dst = append(dst, e.Text...)
		done = e.At.End
	}
	return append(dst, body[done:]...)
}

func sortEdits(edits []Edit) {
	for i := range edits {
		for j := i; j > 0 && edits[j].At.Start < edits[j-1].At.Start; j-- {
			edits[j], edits[j-1] = edits[j-1], edits[j]
		}
	}
}

// Member finds a member by its exact name in an object that has passed Scan,
// and returns where its value stands in the body. Of two with one name the
// last counts. empty reports an object without members.
func Member(body []byte, object Range, name string) (value Range, empty bool) {
	w := walkRequest(body[:object.End])
	w.at, empty = object.Start, true
	for more := w.Object(); more; more = w.Member() {
		empty = false
		if string(w.Name()) == name {
			value = w.Value()
		}
	}
	return value, empty
}
