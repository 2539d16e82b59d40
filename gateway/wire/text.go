package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// longestName bounds the names that Relay compares, in bytes.
const longestName = 24

// text steps over a string, which begins at the next byte.
func (s *scanner) text() bool {
	start, b := s.at, s.body
	for i := start + 1; ; {
		i = skipPlain(b, i)
		if i >= len(b) {
			return s.fail("a string does not end", start)
		}
		c, n := b[i], 0
		if c == '"' {
			s.at = i + 1
			return true
		}
		switch {
		case c == '\\':
			n = escapeLen(b[i:])
		case c < ' ':
			return s.fail("a control character in a string must be escaped", i)
		default:
			n = runesLen(b[i:])
		}
		if n == 0 {
			return s.brokenText(i)
		}
		i += n
	}
}

func (s *scanner) brokenText(i int) bool {
	if s.body[i] == '\\' {
		return s.fail(`an escape in a string is not well formed, or half of a surrogate pair`, i)
	}
	return s.fail("it is not valid UTF-8", i)
}

// skipPlain returns the index of the first byte at or after i that needs a
// look: a quote, a backslash, a control character, or a part of a longer rune.
// It reads eight bytes at a time; in each mask the lowest flag is exact.
func skipPlain(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		found := (x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones) | x
		if found &= tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// runesLen returns the length of the run of multi-byte runes that b begins
// with, 0 when the first is not valid.
func runesLen(b []byte) int {
	i := 0
	for i < len(b) && b[i] >= utf8.RuneSelf {
		n := runeLen(b[i:])
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// runeLen knows the common ranges itself and leaves the rest to package utf8.
func runeLen(b []byte) int {
	c := b[0]
	switch {
	case c >= 0xc2 && c < 0xe0 && len(b) > 1 && isTail(b[1]):
		return 2
	case c > 0xe0 && c < 0xf0 && c != 0xed && len(b) > 2 && isTail(b[1]) && isTail(b[2]):
		return 3
	}
	if _, n := utf8.DecodeRune(b); n > 1 {
		return n
	}
	return 0
}

func isTail(c byte) bool { return c&0xc0 == 0x80 }

// escapeLen returns the length of the escape that b begins with, both halves
// of a surrogate pair, 0 when it is not well formed.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		_, n := unicodeEscape(b)
		return n
	}
	return 0
}

// unicodeEscape reads \uXXXX, or a pair of them.
func unicodeEscape(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(b[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 reads the four digits of the escape \uXXXX.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		r <<= 4
		switch lower := c | 0x20; {
		case isDigit(c):
			r |= rune(c - '0')
		case lower >= 'a' && lower <= 'f':
			r |= rune(lower-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}
