package wire

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Event is one event of a stream, or a piece of one that is longer than
// MaxWhole. Lines of comment and blank lines between events come as events
// without data.
type Event struct {
	At      Range  // where its bytes stand in the Splitter, blank line included
	Raw     []byte // its bytes as they came
	Part    Part   // whether it is the whole event
	HasData bool   // there is a data field; it may be empty
	Type    []byte // the event field; empty means message
	Data    []byte // the data lines, joined by LF; see Part for pieces
	Missing string // line breaks that must follow its bytes: at the end of a stream, and after Keep
}

// Part says which piece of an event an Event is.
type Part uint8

const (
	PartWhole Part = iota
	PartFirst      // Type is known if it stood before the data; Data is how the data begins
	PartNext       // neither Type nor Data
	PartLast       // Data is the end of the event's bytes, TailWindow or more, field names included
)

// Keep leaves out all but the first n bytes of the event, and tells which line
// breaks must follow them.
func (e *Event) Keep(n int, missing string) {
	e.At.End, e.Raw, e.Missing = e.At.Start+n, e.Raw[:n], missing
}

// DropCut leaves out an event that its stream broke off in, and reports whether
// it did so: the last one of a stream, when its data is no whole JSON document.
// Event streams say that such a rest is to be dropped, but many readers parse
// it and fail there, before they come to the error that follows.
func (e *Event) DropCut() bool {
	if e.Missing == "" || e.Part != PartWhole || !e.HasData || gjson.ValidBytes(e.Data) {
		return false
	}
	e.Keep(0, "")
	return true
}

// block is what the lines of the current event have said so far.
type block struct {
	lines  int // that are complete
	typ    Range
	data   Range  // the first data line
	count  int    // of data lines
	joined []byte // all data lines, from the second on
}

func (b *block) reset() { *b = block{joined: b.joined[:0]} }

func (b *block) shift(by int) {
	for _, r := range [...]*Range{&b.typ, &b.data} {
		r.Start, r.End = max(r.Start-by, 0), max(r.End-by, 0)
	}
}

// read takes one line that is not blank. It returns true for a comment before
// any field, which goes on without waiting for a block to end.
func (b *block) read(buf []byte, line Range) (alone bool) {
	b.lines++
	text := line.Of(buf)
	switch {
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

// unfinished deals with the bytes of an event whose end has not been read: it
// yields a piece of a long one, and at the end of the stream all there is.
func (s *Splitter) unfinished(e *Event) bool {
	held := s.end - s.start
	switch {
	case s.over && held+s.yielded > 0:
		return s.yieldRest(e)
	case s.yielded == 0 && held >= MaxWhole, s.yielded > 0 && held >= 2*TailWindow:
		return s.yieldPiece(e)
	}
	return false
}

func (s *Splitter) yieldPiece(e *Event) bool {
	at := Range{s.start, s.end - TailWindow}
	*e = Event{Part: PartNext, At: at, Raw: s.Bytes(at)}
	if s.yielded == 0 {
		e.Part = PartFirst
		s.fillHead(e)
	}
	s.yielded += e.At.End - e.At.Start
	s.start = e.At.End
	s.block.reset()
	if s.yielded+TailWindow > MaxEvent {
		s.err = ErrEventTooLong
		return false
	}
	return true
}

// fillHead tells how a long event begins, from its complete lines and from the
// line that is still being read.
func (s *Splitter) fillHead(e *Event) {
	open := Range{s.line, e.At.End}
	if s.block.count == 0 && open.Present() {
		s.block.read(s.buf, s.afterMark(open))
	}
	s.block.fill(e, s.buf)
}

// yieldEvent yields the event that ends before the current line.
func (s *Splitter) yieldEvent(e *Event, missing string) bool {
	at := Range{s.start, s.scan}
	*e = Event{At: at, Raw: s.Bytes(at), Missing: missing}
	if s.yielded+s.scan-s.start > MaxEvent {
		s.err = ErrEventTooLong
		return false
	}
	if s.yielded > 0 {
		e.Part, e.HasData = PartLast, true
		e.Data = bytes.TrimRight(e.Raw, "\r\n")
	} else {
		s.block.fill(e, s.buf)
	}
	s.start, s.yielded = s.scan, 0
	s.block.reset()
	return true
}

// yieldRest yields what a stream ends with, its last line complete or not.
func (s *Splitter) yieldRest(e *Event) bool {
	missing := "\n"
	if s.line < s.end || s.afterCR {
		missing = "\n\n"
	}
	if s.yielded == 0 && s.line < s.end {
		s.block.read(s.buf, s.afterMark(Range{s.line, s.end}))
	}
	if s.yielded == 0 && s.block.lines == 0 {
		missing = "" // nothing but the LF of a CRLF
	}
	s.line, s.scan = s.end, s.end
	return s.yieldEvent(e, missing)
}
