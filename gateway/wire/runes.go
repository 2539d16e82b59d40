package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// runes steps over a run of runes that are not ASCII, single spaces between
// them included, and refuses what is not valid UTF-8.
func runes(b []byte, i int) int {
	for len(b)-i >= 8 && areTwoOfThree(binary.LittleEndian.Uint64(b[i:])) {
		i += 6
	}
	for i+1 < len(b) {
		switch c := b[i]; {
		case c >= 0xc2 && c < 0xe0 && isTail(b[i+1]):
			i += 2
		case c >= utf8.RuneSelf:
			_, n := utf8.DecodeRune(b[i:])
			if n == 1 {
				return fault(whyEncoding, i)
			}
			i += n
		case c == ' ' && b[i+1] >= utf8.RuneSelf:
			i++
		default:
			return i
		}
	}
	if i < len(b) && b[i] >= utf8.RuneSelf {
		return fault(whyEncoding, i)
	}
	return i
}

// areTwoOfThree reports whether x begins with two runes of three bytes each,
// and of the common ones: with the first bytes e0 and ed not every second byte
// is valid.
func areTwoOfThree(x uint64) bool {
	first, second := x&0xf, x>>24&0xf
	return x&0xc0c0f0_c0c0f0 == 0x8080e0_8080e0 && first != 0 && first != 0xd && second != 0 && second != 0xd
}

func isTail(c byte) bool { return c&0xc0 == 0x80 }
