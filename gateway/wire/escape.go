package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escape steps over the escape at i, which is no short one. A strict one of
// half a surrogate pair must be followed by the other half, over which it steps
// too.
func escape(b []byte, i int, strict bool) int {
	rest := b[i:]
	r, ok := hex4(rest)
	if !ok {
		return fault(whyEscape, i)
	}
	if !strict || !utf16.IsSurrogate(r) {
		return i + 6
	}
	if _, ok := surrogates(r, rest); !ok {
		return fault(whyEscape, i)
	}
	return i + 12
}

// isShortEscape reports whether a backslash and c are an escape.
func isShortEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// surrogates returns the rune of a pair of escapes whose first half is high.
func surrogates(high rune, b []byte) (rune, bool) {
	low, ok := hex4(b[6:])
	r := utf16.DecodeRune(high, low)
	return r, ok && r != utf8.RuneError
}

// hex4 reads the four digits of the escape \uXXXX that b begins with.
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
