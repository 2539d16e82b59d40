package wire

// Skip steps over the value.
func (w *Walker) Skip() {
	if w.unread {
		w.unread = false
		w.step(value(w.doc, w.at, w.left, w.strict))
	}
}

// Value steps over the value and returns where it stands; the zero Range when
// there is none.
func (w *Walker) Value() Range {
	start := w.at
	if !w.unread {
		return Range{}
	}
	if w.Skip(); !w.OK() {
		return Range{}
	}
	return Range{start, w.at}
}

// Text reads a string, in room where it has escapes. It returns false when the
// value is something else, and has then stepped over it.
func (w *Walker) Text(room []byte) ([]byte, bool) { return Text(w.doc, w.Value(), room) }

// Is reports whether the value is a string that says word, and steps over it.
// word must not be empty, or longer than longestName bytes.
func (w *Walker) Is(word string) bool {
	var room [longestName]byte
	return string(shortText(w.doc, w.Value(), room[:0])) == word
}

// Index reads a whole number of up to nine digits, 0 for anything else.
func (w *Walker) Index() int64 {
	n, _ := small(w.Value().Of(w.doc))
	return n
}

// Count reads a number of a usage report, see Usage.Count.
func (w *Walker) Count(u *Usage) int64 { return u.Count(w.Value().Of(w.doc)) }

// Reason reads why an answer ended; empty when the value is no string.
func (w *Walker) Reason() string {
	var room [maxReason]byte
	reason, _ := w.Text(room[:0])
	return internReason(string(reason))
}

// Filled reports whether the value is an object or text that is not empty, as
// the error of a failure is, and steps over it.
func (w *Walker) Filled() bool { return tells(w.Value().Of(w.doc)) }

// tells reports whether JSON is an object or text that is not empty.
func tells(json []byte) bool {
	w := Walk(json)
	switch w.First() {
	case '"':
		return len(json) > len(`""`)
	case '{':
		return w.Object()
	}
	return false
}

// HasElements steps over the value and reports whether it is an array that is not
// empty.
func (w *Walker) HasElements() bool {
	found := false
	for more := w.Array(); more; more = w.Element() {
		found = true
	}
	return found
}

// Raw steps over the value and returns it as it is written; nil when there is
// none. It is part of the document.
func (w *Walker) Raw() []byte { return w.Value().Of(w.doc) }
