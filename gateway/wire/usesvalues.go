package wire

// word reads a text, folded as names are; empty for anything else. It is good until
// the next one, or name, is read. Of a text of some length it may hold but the
// beginning.
func (i *inspector) word(w *Walker) []byte {
	var room [longestName]byte
	isText := w.First() == '"'
	text := shortText(w.doc, w.Value(), room[:0])
	i.path.length = 0
	if isText {
		i.path.fold(text[:min(len(text), longestName)])
	}
	return i.path.bytes()
}

// says steps over the value and reports whether it says something: not null, false, 0,
// an empty text, nor the word no.
func (w *Walker) says(no string) bool {
	value := w.Value()
	switch string(value.Of(w.doc)) {
	case "", "null", "false", "0", `"0"`, `""`:
		return false
	}
	var room [longestName]byte
	return w.doc[value.Start] != '"' || string(shortText(w.doc, value, room[:0])) != no
}

// holds steps over the value and reports whether there is anything in it: not null,
// false, nor an empty text, array or object.
func (w *Walker) holds() bool {
	switch w.First() {
	case '[':
		return w.HasElements()
	case '{':
		return w.Filled()
	}
	return w.says("")
}
