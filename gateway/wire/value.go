package wire

import (
	"fmt"
	"strconv"
)

// scanner walks one JSON document and stops at its first fault.
type scanner struct {
	body  []byte
	at    int // the next byte
	depth int // objects and arrays that are open

	why   string // the first fault; empty while there is none
	where int    // its byte
}

func (s *scanner) ok() bool { return s.why == "" }

// fail notes the first fault and returns false.
func (s *scanner) fail(why string, where int) bool {
	if s.why == "" {
		s.why, s.where = why, where
	}
	return false
}

// fault is fail with a text that is made only when it is needed.
func (s *scanner) fault(where int, format string, args ...any) bool {
	return s.fail(fmt.Sprintf(format, args...), where)
}

// peek returns the next byte, 0 at the end of the body.
func (s *scanner) peek() byte {
	if s.at < len(s.body) {
		return s.body[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.body) && s.body[s.at] <= ' ' && isSpace(s.body[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// value steps over one value, which must begin at the next byte.
func (s *scanner) value() bool {
	switch c := s.peek(); c {
	case '"':
		return s.text()
	case '{':
		return s.object()
	case '[':
		return s.array()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		if c == '-' || isDigit(c) {
			return s.number()
		}
		return s.fail("a value is expected", s.at)
	}
}

func (s *scanner) object() bool {
	for more := s.enter('}'); more; more = s.next('}') {
		if _, ok := s.name(); !ok || !s.value() {
			return false
		}
	}
	return s.ok()
}

func (s *scanner) array() bool {
	for more := s.enter(']'); more; more = s.next(']') {
		if !s.value() {
			return false
		}
	}
	return s.ok()
}

// enter steps into an object or array. It returns false when there is nothing
// in it, or when it lies too deep.
func (s *scanner) enter(closer byte) bool {
	if s.depth++; s.depth > MaxDepth {
		return s.fail("it nests deeper than "+strconv.Itoa(MaxDepth)+" levels", s.at)
	}
	s.at++
	s.space()
	if s.peek() != closer {
		return true
	}
	s.leave()
	return false
}

// next steps to what follows in an object or array. It returns false at the
// end of it.
func (s *scanner) next(closer byte) bool {
	s.space()
	switch c := s.peek(); {
	case !s.ok():
		return false
	case c == ',':
		s.at++
		s.space()
		return true
	case c == closer:
		s.leave()
		return false
	}
	return s.fail("a comma or "+string(closer)+" is expected", s.at)
}

func (s *scanner) leave() {
	s.at++
	s.depth--
}

// name steps over a member's name and colon and returns where the name stands,
// quotes included.
func (s *scanner) name() (Range, bool) {
	start := s.at
	if s.peek() != '"' {
		return Range{}, s.fail("a member name in double quotes is expected", s.at)
	}
	if !s.text() {
		return Range{}, false
	}
	end := s.at
	s.space()
	if s.peek() != ':' {
		return Range{}, s.fail("a colon is expected", s.at)
	}
	s.at++
	s.space()
	return Range{start, end}, true
}

func (s *scanner) literal(word string) bool {
	if end := s.at + len(word); end <= len(s.body) && string(s.body[s.at:end]) == word {
		s.at = end
		return true
	}
	return s.fail("a value is expected", s.at)
}

func (s *scanner) number() bool {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	whole := s.at
	ok := s.digits() && (s.body[whole] != '0' || s.at == whole+1)
	if ok && s.peek() == '.' {
		s.at++
		ok = s.digits()
	}
	exponent := ok && s.peek()|0x20 == 'e'
	if exponent {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		ok = s.digits()
	}
	if !ok {
		return s.fail("a number is not well formed", start)
	}
	if exponent || s.at-start > 300 {
		return s.bounded(start)
	}
	return true
}

// bounded refuses a number that no float64 can hold.
func (s *scanner) bounded(start int) bool {
	if _, err := strconv.ParseFloat(string(s.body[start:s.at]), 64); err != nil {
		return s.fail("a number is too large", start)
	}
	return true
}

// digits steps over at least one digit.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.body) && isDigit(s.body[s.at]) {
		s.at++
	}
	return s.at > start
}

func isDigit(c byte) bool { return c-'0' <= 9 }
