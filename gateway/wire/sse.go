package wire

import (
	"bytes"
	"errors"
)

// Bounds of a Splitter.
const (
	// MaxWhole is the longest event that is held in memory, in bytes. A longer
	// one is yielded in pieces.
	MaxWhole = 64 << 10
	// MaxEvent is the longest event at all: 16 MiB of content and 1 KiB for
	// field names and line ends.
	MaxEvent = 16<<20 + 1<<10
	// TailWindow is the least that the last piece of a long event holds, so
	// that what stands at the event's end can be read in one place.
	TailWindow = 4 << 10
)

// ErrEventTooLong ends a stream with an event of more than MaxEvent bytes.
var ErrEventTooLong = errors.New("read event stream: an event is longer than 16 MiB")

// Splitter cuts a stream of server-sent events (WHATWG HTML, section 9.2), or of
// what Frame says, into events and leaves their bytes as they are. Lines end in
// LF, CRLF or CR, those of NDJSON in LF or CRLF. The reader of the stream asks
// for Space, reads into it, tells how much it read with Filled, and calls Next
// until it returns false:
//
//	n, err := body.Read(s.Space())
//	s.Filled(n)
//	for s.Next(&event) {
//		…
//	}
//
// After an error Next stays false and Space runs out, so Err must be asked
// before more is read.
//
// Events that follow one another lie side by side in memory, so that several
// can be written at once: Bytes takes any range of offsets that the events of
// one read span. Space invalidates the offsets and the slices of earlier
// events. A Splitter holds at most MaxWhole bytes of the stream (see HoldWhole), and the data
// once more of an event that has several data lines; some time after a long
// event it is back at 4 KiB. In a steady state it does not allocate. The zero
// Splitter is ready.
type Splitter struct {
	buf              []byte
	start, scan, end int // in buf: the first byte not yielded, the first not searched, the first free
	idle             int // reads in a row for which less memory would have done

	line    int  // where the line begins that is being searched for its end; negative once yielded
	afterCR bool // a line ended in the CR before scan: an LF there belongs to it
	seenCR  bool // the stream has CRs, so lines are searched for them
	begun   bool // the first line of the stream has been read
	over    bool
	err     error

	yielded int // bytes of the current event that went out in pieces
	block   block

	framing Framing
	nest    nest // where the framing is an array
	whole   bool // events are not yielded in pieces
}

// End tells that the stream has ended cleanly: Next yields what is left of it
// as a last event, whose missing line breaks Event.Missing tells. A stream that
// broke off has no End, and its unfinished event is lost.
func (s *Splitter) End() { s.over = true }

// Bytes returns bytes of the stream by the offsets of events.
func (s *Splitter) Bytes(r Range) []byte { return s.buf[r.Start:r.End] }

// Err returns ErrEventTooLong after an event of more than MaxEvent bytes.
func (s *Splitter) Err() error { return s.err }

// MidEvent reports whether pieces of an event have been yielded whose end has
// not been reached. Whoever has written them must end the event's line and
// block before writing anything else.
func (s *Splitter) MidEvent() bool { return s.yielded > 0 }

// Next finds the next event, or piece of one, in what has been read. It
// returns false when more must be read, at the end, and after an error.
func (s *Splitter) Next(e *Event) bool {
	switch {
	case s.err != nil:
		return false
	case s.framing == FramingArray:
		return s.nextElement(e)
	case s.framing == FramingBytes:
		return s.nextRead(e)
	}
	return s.nextBlock(e)
}

// nextBlock yields an event that ends with a line: a blank one, or in NDJSON any.
func (s *Splitter) nextBlock(e *Event) bool {
	for {
		if s.lateLF() {
			return s.yieldEvent(e, "")
		}
		line, after := s.nextLine()
		if after == 0 {
			return s.unfinished(e)
		}
		line = s.content(line)
		s.line, s.scan = after, after
		switch {
		case !line.Present(), s.yielded > 0 && s.block.plain:
			return s.yieldEvent(e, "")
		case s.yielded == 0 && s.block.read(s.buf, line):
			return s.yieldEvent(e, "")
		}
	}
}

// lateLF steps over the LF of a CRLF whose CR came with an earlier read. It
// reports whether that CR ended an event: the LF is then yielded by itself, so
// that it goes the way of no other event.
func (s *Splitter) lateLF() bool {
	if !s.afterCR || s.scan == s.end {
		return false
	}
	s.afterCR = false
	if s.buf[s.scan] != '\n' {
		return false
	}
	s.scan++
	s.line = s.scan
	return s.start == s.scan-1 && s.yielded == 0
}

// afterMark leaves out the byte order mark that may begin a stream.
func (s *Splitter) afterMark(line Range) Range {
	if !s.begun && bytes.HasPrefix(line.Of(s.buf), []byte("\xef\xbb\xbf")) {
		line.Start += 3
	}
	s.begun = true
	return line
}

// content leaves out what does not belong to a line's content: the mark that may
// begin a stream, and the CR that may stand before the LF of a plain line.
func (s *Splitter) content(line Range) Range {
	line = s.afterMark(line)
	if s.block.plain && line.Present() && s.buf[line.End-1] == '\r' {
		line.End--
	}
	return line
}

// nextLine returns the current line without its end, and where the next line
// begins; 0 when the line's end has not been read. Plain lines end in LF alone:
// to JSON a CR is a blank.
func (s *Splitter) nextLine() (line Range, after int) {
	rest := s.buf[s.scan:s.end]
	stop := bytes.IndexByte(rest, '\n')
	width := 1
	if s.seenCR && !s.block.plain {
		stop, width = s.lineEndWithCR(rest, stop)
	}
	if stop < 0 {
		s.scan = s.end
		return Range{}, 0
	}
	stop += s.scan
	return Range{s.line, stop}, stop + width
}

// lineEndWithCR corrects a line end that was searched by LF alone.
func (s *Splitter) lineEndWithCR(rest []byte, lf int) (stop, width int) {
	before := rest
	if lf >= 0 {
		before = rest[:lf]
	}
	cr := bytes.IndexByte(before, '\r')
	switch {
	case cr < 0:
		return lf, 1
	case cr+1 == lf:
		return cr, 2
	}
	s.afterCR = cr+1 == len(rest)
	return cr, 1
}
