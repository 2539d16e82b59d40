package wire

import "strings"

// Frame tells how the stream that follows is cut. Without it, and after Reset,
// it is taken for server-sent events.
func (s *Splitter) Frame(f Framing) {
	s.framing = f
	s.block.plain = f == FramingLines || f == FramingArray
}

// Break is what must follow the pieces of an event that will not be whole, so
// that another event may be written. ok is false where nothing helps: the stream
// cannot be read on.
func (s *Splitter) Break() (end string, ok bool) {
	switch s.framing {
	case FramingArray, FramingBytes:
		return "", false
	case FramingLines:
		return "\n", true
	}
	return "\n\n", true
}

// Close is what must follow the last event of a stream that ends before its
// upstream ended it: the bracket of an array whose elements have gone on whole.
func (s *Splitter) Close() string {
	if s.framing == FramingArray && s.nest.isOpen() && !s.MidEvent() {
		return "\n]"
	}
	return ""
}

// LineEnds returns text whose lines end in LF with the line ends of the stream
// of events so far. Not all clients read a stream that mixes them.
func (s *Splitter) LineEnds(text string) string {
	if s.seenCR && s.framing == FramingEvents {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// missing is what must follow the last bytes of a stream.
func (s *Splitter) missing() string {
	open := s.line < s.end || s.afterCR
	switch s.framing {
	case FramingArray, FramingBytes:
		return ""
	case FramingLines:
		if open {
			return "\n"
		}
		return ""
	}
	if open {
		return s.LineEnds("\n\n")
	}
	return s.LineEnds("\n")
}

// nextRead yields all that has been read: it is the event's bytes and its data.
func (s *Splitter) nextRead(e *Event) bool {
	if s.start == s.end {
		return false
	}
	s.scan, s.line = s.end, s.end
	s.block.addData(s.buf, Range{s.start, s.end})
	return s.yieldEvent(e, "")
}
