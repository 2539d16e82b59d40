package wire

import "bytes"

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
	PartLast       // Data is how the data ends, in TailWindow or more of the event's bytes
)

// Keep leaves out all but the first n bytes of the event, and tells which line
// breaks must follow them.
func (e *Event) Keep(n int, missing string) {
	e.At.End, e.Raw, e.Missing = e.At.Start+n, e.Raw[:n], missing
}

// CompleteCRLF adds the LF to an event of which only the CR of its last line end
// has come. It is for an event behind which nothing of the stream goes on.
func (e *Event) CompleteCRLF() {
	if bytes.HasSuffix(e.Raw, []byte("\r")) && bytes.Contains(e.Raw, []byte("\r\n")) {
		e.Missing = "\n"
	}
}

// DropCut leaves out an event that its stream broke off in, and reports whether
// it did so: the last one of a stream, when its data is no whole JSON document.
// Event streams say that such a rest is to be dropped, but many readers parse
// it and fail there, before they come to the error that follows.
func (e *Event) DropCut() bool {
	if e.Missing == "" || e.Part != PartWhole || !e.HasData || Valid(e.Data) {
		return false
	}
	e.Keep(0, "")
	return true
}

// unfinished deals with the bytes of an event whose end has not been read: it
// yields a piece of a long one, and at the end of the stream all there is.
func (s *Splitter) unfinished(e *Event) bool {
	held := s.end - s.start
	switch {
	case s.over && held+s.yielded > 0:
		return s.yieldRest(e)
	case s.whole && held >= MaxEvent:
		s.err = ErrEventTooLong
	case s.whole:
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
		s.readTail(at)
		e.Part = PartLast
	}
	s.block.fill(e, s.buf)
	s.start, s.yielded = s.scan, 0
	s.block.reset()
	return true
}

// readTail takes the end of a long event.
func (s *Splitter) readTail(at Range) {
	if s.framing == FramingArray {
		s.block.reset()
		s.block.addData(s.buf, at)
		return
	}
	s.block.readTail(s.buf, at)
}

// yieldRest yields what a stream ends with, its last line complete or not.
func (s *Splitter) yieldRest(e *Event) bool {
	missing := s.missing()
	if s.yielded == 0 && s.line < s.end {
		if line := s.content(Range{s.line, s.end}); line.Present() {
			s.block.read(s.buf, line)
		}
	}
	s.line, s.scan = s.end, s.end
	return s.yieldEvent(e, missing)
}
