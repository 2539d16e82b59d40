package wire

import "bytes"

// The memory of a Splitter: it grows with the events that it must hold.
const (
	firstBuffer = 4 << 10
	leastRead   = 512
	idleReads   = 32 // in a row that need no more than firstBuffer, before the rest is given back
)

// Reset makes the splitter ready for another stream. It keeps 4 KiB of memory,
// and as much for data of several lines.
func (s *Splitter) Reset() {
	kept := Splitter{buf: s.buf, block: block{joined: s.block.joined[:0]}}
	if len(kept.buf) > firstBuffer {
		kept.buf = nil
	}
	if cap(kept.block.joined) > firstBuffer {
		kept.block.joined = nil
	}
	*s = kept
}

// Space returns the free memory that the next read fills, at least one byte
// once Next has returned false.
func (s *Splitter) Space() []byte {
	s.compact()
	switch free := len(s.buf) - s.end; {
	case free < leastRead && len(s.buf) < s.most():
		s.resize(max(firstBuffer, min(2*len(s.buf), s.most())))
	case s.isIdle():
		s.resize(firstBuffer)
		s.block.joined = nil
	}
	return s.buf[s.end:]
}

// HoldWhole makes the splitter hold events of up to MaxEvent bytes and yield none
// in pieces, until Reset. It is for readers who need all that an event says.
func (s *Splitter) HoldWhole() { s.whole = true }

// most is how large the buffer may grow.
func (s *Splitter) most() int {
	if s.whole {
		return MaxEvent + leastRead
	}
	return MaxWhole
}

func (s *Splitter) resize(size int) {
	buf := make([]byte, size)
	copy(buf, s.buf[:s.end])
	s.buf, s.idle = buf, 0
}

// isIdle counts the reads for which the memory is too large, and reports
// whether there have been many.
func (s *Splitter) isIdle() bool {
	needed := s.end + leastRead
	if s.idle++; len(s.buf) <= firstBuffer || needed > firstBuffer || s.yielded > 0 || s.block.count > 1 {
		s.idle = 0
	}
	return s.idle >= idleReads
}

func (s *Splitter) compact() {
	if s.start == 0 {
		return
	}
	copy(s.buf, s.buf[s.start:s.end])
	s.block.shift(s.start)
	s.scan -= s.start
	s.line -= s.start
	s.end -= s.start
	s.start = 0
}

// Filled tells that the first n bytes of the space have been read.
func (s *Splitter) Filled(n int) {
	fresh := s.buf[s.end : s.end+n]
	s.end += n
	s.seenCR = s.seenCR || bytes.IndexByte(fresh, '\r') >= 0
}
