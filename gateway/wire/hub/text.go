package hub

import (
	"bytes"
	"iter"

	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// Text is what stands between the quotes of a JSON string (RFC 8259, section 7),
// escapes and all. Texts of two shapes differ in nothing, so most go from one
// document into another without being read, and pieces are joined by appending
// one to the other. A text of an answer may hold halves of a surrogate pair at
// its ends and bytes that are no UTF-8, as its upstream wrote them.
type Text []byte

// Quote returns the text that says s.
func Quote(s string) Text {
	quoted := gjson.AppendJSONString(nil, s)
	return Text(quoted[1 : len(quoted)-1])
}

// TextOf returns the text of a JSON string, which ok says the value is. What is
// appended to it does not go into the document.
func TextOf(value []byte) (t Text, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	return Text(value[1 : len(value)-1 : len(value)-1]), true
}

// Append writes the text as a JSON string, quotes included.
func (t Text) Append(dst []byte) []byte {
	return append(append(append(dst, '"'), t...), '"')
}

// AppendAfter writes JSON that ends before a value, and the text as that value.
func (t Text) AppendAfter(dst []byte, before string) []byte {
	return t.Append(append(dst, before...))
}

// Plain returns what the text says: the text itself where it has no escapes.
func (t Text) Plain() []byte {
	if bytes.IndexByte(t, '\\') < 0 {
		return t
	}
	literal := t.Append(make([]byte, 0, len(t)+2))
	plain, _ := wire.Text(literal, wire.Range{Start: 0, End: len(literal)}, make([]byte, 0, len(t)))
	return plain
}

// String returns what the text says.
func (t Text) String() string { return string(t.Plain()) }

// Is reports whether the text says s.
func (t Text) Is(s string) bool { return string(t.Plain()) == s }

// Blank reports whether the text is empty or white space.
func (t Text) Blank() bool {
	if len(t) > 0 && t[0] != '\\' && t[0] > ' ' && t[0] < 0x80 {
		return false
	}
	return len(bytes.TrimSpace(t.Plain())) == 0
}

// Members yields the members of a JSON object, names with their escapes read and
// values as they are written. Anything else yields nothing. Names are good until
// the next one; of two with one name both are yielded.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		w := wire.Walk(object)
		for more := w.Object(); more; more = w.Member() {
			name := w.Name()
			if value := w.Raw(); value != nil && !yield(name, value) {
				return
			}
		}
	}
}

// Elements yields the elements of a JSON array. Anything else yields nothing.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		w := wire.Walk(array)
		for more := w.Array(); more; more = w.Element() {
			if value := w.Raw(); value != nil && !yield(value) {
				return
			}
		}
	}
}

// MemberOf returns the value of one member of an object; nil when it has none.
// Of several with the name it is the last.
func MemberOf(object []byte, name string) []byte {
	var found []byte
	for n, value := range Members(object) {
		if string(n) == name {
			found = value
		}
	}
	return found
}

// IsNull reports whether a value is absent or null.
func IsNull(value []byte) bool { return len(value) == 0 || value[0] == 'n' }
