package wire

import "bytes"

// What an outline does within texts, the names of members among them.

// plainUntil returns how many bytes of a text stand before its end or its next
// escape. It looks no further than a window, or texts of escapes alone would be
// searched over and over.
func plainUntil(b []byte) int {
	b = b[:min(len(b), 256)]
	if end := bytes.IndexByte(b, '"'); end >= 0 {
		b = b[:end]
	}
	if escape := bytes.IndexByte(b, '\\'); escape >= 0 {
		return escape
	}
	return len(b)
}

// takeText takes a byte of a text, the quote that ends it included.
func (o *outline) takeText(c byte) {
	ends := false
	switch {
	case o.escaped > 0:
		if o.escaped--; c == 'u' && o.escaped == 0 {
			o.escaped = 4
		}
	case c == '\\':
		o.cut()
		o.escaped = 1
	case c == '"':
		ends = true
	default:
		o.cut()
	}
	if o.skipped == 0 && (ends || !o.cutting) {
		o.kept = append(o.kept, c)
	}
	if ends {
		o.endText()
	}
}

// cut leaves out the rest of a text that is long, from a byte on that begins a
// character or an escape.
func (o *outline) cut() {
	o.cutting = o.cutting || o.skipped == 0 && len(o.kept)-o.textAt > mostKeptText
}

func (o *outline) beginText() {
	o.text, o.cutting, o.textAt = true, false, len(o.kept)
}

func (o *outline) endText() {
	o.text = false
	if o.member && o.skipped == 0 {
		o.member = false
		o.named(Range{o.textAt, len(o.kept) - 1})
	}
}

// named takes the name of a member.
func (o *outline) named(name Range) {
	switch o.depth {
	case 1:
		o.within = name
		o.drop = !o.keeps(nil, name.Of(o.kept))
	case 2:
		o.drop = !o.keeps(o.within.Of(o.kept), name.Of(o.kept))
	}
}
