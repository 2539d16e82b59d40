package wire

import "bytes"

// Bounds of the depth: objects and arrays within each other, the outermost
// included.
const (
	MaxDepth       = 128   // of a request
	MaxAnswerDepth = 1_000 // of an answer or event
)

// Walker reads a JSON document (RFC 8259) where it stands, in one pass, checks
// all of it, and copies nothing:
//
//	w := wire.Walk(document)
//	for more := w.Object(); more; more = w.Member() {
//		switch string(w.Name()) {
//		case "usage":
//			read(&w) // which may loop over its members in the same way
//		}
//	}
//	if !w.End() {
//		return // it is no JSON: forget what was read
//	}
//
// What is not read is stepped over, as is what turns out to be of another kind
// than was asked for. A loop must run to its end. After a fault everything
// answers false or nothing. Of two members with one name both are seen. A body
// that has passed Scan may be walked like an answer.
type Walker struct {
	doc    []byte
	at     int  // the next byte
	left   int  // how many objects and arrays may still be opened
	strict bool // see value
	unread bool // the value at at has been neither read nor stepped over
	fault  int  // the first fault; 0 while there is none
	named  Range

	room [longestName]byte // for names with escapes
}

// longestName bounds the names and words that Relay compares, in bytes.
const longestName = 32

// Walk returns a walker before the value of an answer or event. Its text may
// hold broken UTF-8 and halves of surrogate pairs, as streams that are cut
// anywhere do; whoever reads it puts U+FFFD in their place.
func Walk(document []byte) Walker {
	return Walker{doc: document, at: space(document, 0), left: MaxAnswerDepth, unread: true}
}

// Valid reports whether a document is JSON that Walk takes.
func Valid(document []byte) bool {
	w := Walk(document)
	return w.End()
}

// walkRequest returns a walker that refuses what parsers read differently.
func walkRequest(body []byte) Walker {
	return Walker{doc: body, at: space(body, 0), left: MaxDepth, strict: true, unread: true}
}

// WalkWithin returns a walker within an object whose beginning is gone, before
// the name of one of its members. Member, and then Element or Member for what
// surrounds the object, go on from there:
//
//	for more := w.Resume(); more; more = w.Member() {
func WalkWithin(document []byte, at int) Walker {
	return Walker{doc: document, at: at, left: MaxAnswerDepth}
}

// mostTries bounds how many places of a name are tried.
const mostTries = 8

// FromLast reads from the last place of a quoted name from which read leads to the
// end of the document, whose beginning is gone: that shows how deep the name lies.
// read may be called several times, and begins anew each time. It reports whether
// there was such a place.
func FromLast(tail []byte, quoted string, read func(*Walker)) bool {
	end := len(tail)
	for range mostTries {
		if end = bytes.LastIndex(tail[:end], []byte(quoted)); end <= 0 {
			break
		}
		w := WalkWithin(tail, end)
		if read(&w); tail[end-1] != '\\' && w.End() {
			return true
		}
	}
	return false
}

// OK reports whether all that has been read or stepped over was well formed.
func (w *Walker) OK() bool { return w.fault == 0 }

// End reports whether the whole document was one well-formed value. It steps
// over that if it has not been read.
func (w *Walker) End() bool {
	w.Skip()
	if w.OK() && space(w.doc, w.at) < len(w.doc) {
		w.fault = fault(whyTrailing, space(w.doc, w.at))
	}
	return w.OK()
}

// First returns the byte that the value begins with, which tells its kind: one
// of {["tfn, a digit or a minus; 0 when there is no value to be read.
func (w *Walker) First() byte {
	if !w.unread || w.at >= len(w.doc) {
		return 0
	}
	return w.doc[w.at]
}

// Object steps into an object, to its first member. It returns false when the
// value has none or is something else.
func (w *Walker) Object() bool { return w.open('{') && !w.close('}') && w.name() }

// Array steps into an array, to its first element. It returns false when the
// value has none or is something else.
func (w *Walker) Array() bool {
	w.unread = w.open('[') && !w.close(']')
	return w.unread
}

// Member steps to the next member of an object, false at the object's end.
func (w *Walker) Member() bool { return w.next('}') && w.name() }

// Resume steps to the member at which WalkWithin begins.
func (w *Walker) Resume() bool { return w.OK() && w.name() }

// Element steps to the next element of an array, false at the array's end.
func (w *Walker) Element() bool {
	w.unread = w.next(']')
	return w.unread
}

// Name returns the name of the current member with its escapes read. It is good
// until the next member, of this object or of one within it. A name of more than
// longestName bytes may come back as it is written.
func (w *Walker) Name() []byte {
	if w.named.End == 0 {
		return nil
	}
	name := w.doc[w.named.Start+1 : w.named.End-1]
	if bytes.IndexByte(name, '\\') < 0 {
		return name
	}
	return shortText(w.doc, w.named, w.room[:0])
}

// step takes the result of a step of the grammar.
func (w *Walker) step(to int) bool {
	if to < 0 {
		w.fault = to
		return false
	}
	w.at = to
	return true
}

// open steps into an object or array, to what stands first in it.
func (w *Walker) open(brace byte) bool {
	if w.First() != brace {
		w.Skip()
		return false
	}
	w.unread = false
	if w.left == 0 {
		return w.step(fault(whyDeep, w.at))
	}
	w.left--
	return w.step(space(w.doc, w.at+1))
}

// close steps out of an object or array that ends at the next byte.
func (w *Walker) close(brace byte) bool {
	if w.at >= len(w.doc) || w.doc[w.at] != brace {
		return false
	}
	w.at++
	w.left++
	return true
}

// next steps to what follows in an object or array. It returns false at the
// end of it.
func (w *Walker) next(brace byte) bool {
	w.Skip()
	if !w.OK() {
		return false
	}
	w.at = space(w.doc, w.at)
	switch {
	case w.at < len(w.doc) && w.doc[w.at] == ',':
		return w.step(space(w.doc, w.at+1))
	case w.close(brace):
		return false
	case brace == '}':
		return w.step(fault(whyBrace, w.at))
	}
	return w.step(fault(whyBracket, w.at))
}

// name steps over a member's name, to its value.
func (w *Walker) name() bool {
	start := w.at
	if !w.step(name(w.doc, start, w.strict)) {
		return false
	}
	w.named = Range{start, w.at}
	w.unread = w.step(colon(w.doc, w.at))
	return w.unread
}
