package wire

import "bytes"

// Keeps tells which members are read of an event that is too long to be held:
// those of the outermost object, where within is empty, and those of the objects
// that are its members, where within is their name. All that lies deeper in a
// kept member is kept. Names with escapes are not known.
type Keeps func(within, name []byte) bool

// Bounds of what is kept of one long event, in bytes.
const (
	mostKept     = 16 << 10
	mostKeptText = 512 // of one text; the rest of it is left out
	deepestKept  = 32
)

// Gather returns the data of an event once it can be read: at once where it is
// whole. The pieces of a long event it takes together, whole being false until
// the last of them, and returns then an outline of the event: members that are
// not kept are null, and long texts shortened. The event's type is known again
// on its last piece. The outline is empty where it would be too large or the
// event is broken.
func (t *Tap) Gather(e *Event, keeps Keeps) (data []byte, whole bool) {
	switch e.Part {
	case PartWhole:
		return e.Data, true
	case PartFirst:
		t.outline = &outline{keeps: keeps, name: bytes.Clone(e.Type)}
	}
	o := t.outline
	if o == nil {
		return nil, e.Part == PartLast
	}
	o.add(e.Raw)
	if e.Part != PartLast {
		return nil, false
	}
	t.outline = nil
	if len(e.Type) == 0 {
		e.Type = o.name
	}
	return o.document(), true
}

// outline keeps of an event what Keeps names. It reads the raw bytes of the
// pieces: what stands before the event's object is passed over, and so are the
// field names of further data lines, since no line ends within a text.
type outline struct {
	keeps Keeps
	name  []byte // the event's type
	kept  []byte

	depth   int
	within  Range  // the name of the member of depth 1, in kept
	objects uint64 // the containers that are objects, a bit each depth
	skipped int    // the depth of the member whose value is passed over; 0: none
	member  bool   // a text that begins is the name of a member
	drop    bool   // the value behind the next colon is to be passed over
	field   bool   // within the field name of a line
	broken  bool

	text    bool // within a text
	textAt  int  // where it begins in kept
	escaped int  // how many bytes of an escape are to come
	cutting bool // the rest of the text is left out
}

// document returns the outline of an event that has ended.
func (o *outline) document() []byte {
	if o.broken || o.depth != 0 {
		return nil
	}
	return o.kept
}

func (o *outline) add(piece []byte) {
	for i := 0; i < len(piece) && !o.broken; i++ {
		if o.text && o.skipped > 0 && o.escaped == 0 {
			i += plainUntil(piece[i:])
			if i == len(piece) {
				return
			}
		}
		o.take(piece[i])
	}
	o.broken = o.broken || len(o.kept) > mostKept
}

func (o *outline) take(c byte) {
	switch {
	case o.text:
		o.takeText(c)
	case o.field:
		o.field = c != ':'
	case c == '\n' || c == '\r':
		o.field = o.depth > 0
	case o.depth == 0 && c != '{':
		o.broken = c == '}'
	case o.skipped > 0:
		o.pass(c)
	default:
		o.keep(c)
	}
}

// pass takes a byte of a value that is passed over, outside of texts.
func (o *outline) pass(c byte) {
	switch c {
	case '"':
		o.text = true
	case '{', '[':
		o.depth++
	case ',', '}', ']':
		if o.depth == o.skipped {
			o.skipped = 0
			o.keep(c)
			return
		}
		if c != ',' {
			o.depth--
		}
	}
}

// keep takes a byte that is kept, outside of texts.
func (o *outline) keep(c byte) {
	o.kept = append(o.kept, c)
	switch c {
	case '"':
		o.beginText()
	case '{', '[':
		o.open(c == '{')
	case '}', ']':
		o.depth--
		o.member = false
	case ',':
		o.member = o.isObject()
	case ':':
		if o.drop {
			o.drop, o.skipped = false, o.depth
			o.kept = append(o.kept, "null"...)
		}
	}
}

func (o *outline) isObject() bool { return o.objects>>o.depth&1 == 1 }

func (o *outline) open(object bool) {
	o.depth++
	o.broken = o.broken || o.depth > deepestKept
	o.objects &^= 1 << o.depth
	if o.member = object; object {
		o.objects |= 1 << o.depth
	}
}
