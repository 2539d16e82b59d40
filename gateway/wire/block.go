package wire

import "bytes"

// block is what the lines of the current event have said so far.
type block struct {
	lines  int // that are complete
	typ    Range
	data   Range  // the first data line
	count  int    // of data lines
	joined []byte // all data lines, from the second on
	plain  bool   // lines are data, without field names
}

func (b *block) reset() { *b = block{joined: b.joined[:0], plain: b.plain} }

func (b *block) shift(by int) {
	for _, r := range [...]*Range{&b.typ, &b.data} {
		r.Start, r.End = max(r.Start-by, 0), max(r.End-by, 0)
	}
}

// read takes one line that is not blank. It returns true for a line that goes on
// without waiting for a block to end: a comment before any field, and plain data.
func (b *block) read(buf []byte, line Range) (alone bool) {
	b.lines++
	text := line.Of(buf)
	switch {
	case b.plain:
		b.addData(buf, line)
		return true
	case len(text) == 0:
	case text[0] == ':':
		return b.lines == 1
	case isField(text, "data"):
		b.addData(buf, valueOf(text, "data", line))
	case isField(text, "event"):
		b.typ = valueOf(text, "event", line)
	}
	return false
}

func (b *block) addData(buf []byte, value Range) {
	b.count++
	switch b.count {
	case 1:
		b.data = value
		return
	case 2:
		b.joined = append(b.joined[:0], b.data.Of(buf)...)
	}
	b.joined = append(b.joined, '\n')
	b.joined = append(b.joined, value.Of(buf)...)
}

// readTail takes the lines that stand at the end of a long event. The first,
// whose beginning has gone, is taken for data.
func (b *block) readTail(buf []byte, at Range) {
	for b.reset(); at.Present(); b.lines++ {
		line, after := at, at.End
		if i := bytes.IndexAny(at.Of(buf), "\r\n"); i >= 0 {
			line.End, after = at.Start+i, at.Start+i+1
		}
		if b.lines == 0 {
			b.addData(buf, line)
		} else if line.Present() {
			b.read(buf, line)
		}
		at.Start = after
	}
}

func (b *block) fill(e *Event, buf []byte) {
	e.HasData, e.Type, e.Data = b.count > 0, b.typ.Of(buf), b.data.Of(buf)
	if b.count > 1 {
		e.Data = b.joined
	}
}

// isField reports whether a line has the name alone or before a colon.
func isField(line []byte, name string) bool {
	return len(line) >= len(name) && string(line[:len(name)]) == name &&
		(len(line) == len(name) || line[len(name)] == ':')
}

// valueOf returns where the value of a field stands: behind the colon and one
// space.
func valueOf(text []byte, name string, line Range) Range {
	from := min(len(name)+1, len(text))
	if from < len(text) && text[from] == ' ' {
		from++
	}
	return Range{line.Start + from, line.End}
}
