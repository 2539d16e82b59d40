package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// text steps over a string, from the byte behind its first quote. Names and
// most words end within the first eight bytes.
func text(b []byte, i int, strict bool) int {
	start := i - 1
	if len(b)-i >= 8 {
		if odd := oddBytes(binary.LittleEndian.Uint64(b[i:])); odd != 0 {
			i += bits.TrailingZeros64(odd) / 8
			if b[i] == '"' {
				return i + 1
			}
		} else {
			i += 8
		}
	}
	for i = plain(b, i); i < len(b); i = plain(b, i) {
		switch {
		case b[i] == '"':
			return i + 1
		case b[i] == '\\' && i+1 < len(b) && isShortEscape(b[i+1]):
			i += 2
		default:
			if i = oddText(b, i, strict); i < 0 {
				return i
			}
		}
	}
	return fault(whyEndless, start)
}

// Eight bytes are looked at as one number: bit 7 of each byte is its flag.
const ones, tops = 0x0101010101010101, 0x8080808080808080

// oddFlags flags the bytes of x that need a look: a quote, a backslash, a
// control character, or a part of a longer rune. The other bits mean nothing.
// A byte above a flagged one may be flagged without need, so that only the
// lowest flag is exact. Space and quote change places in the first term, so
// that what needs a look lies below what does not.
func oddFlags(x uint64) uint64 {
	return ((x ^ ones*('"'^' ')) - ones*('"'-1)) | ((x ^ ones*'\\') - ones) | x
}

func oddBytes(x uint64) uint64 { return oddFlags(x) & tops }

// plain returns the index of the first byte at or after i that needs a look.
func plain(b []byte, i int) int {
	if len(b)-i >= 8 {
		if odd := oddBytes(binary.LittleEndian.Uint64(b[i:])); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
		i += 8
	}
	for ; len(b)-i >= 32; i += 32 {
		c := b[i : i+32]
		odd := oddFlags(binary.LittleEndian.Uint64(c)) | oddFlags(binary.LittleEndian.Uint64(c[8:])) |
			oddFlags(binary.LittleEndian.Uint64(c[16:])) | oddFlags(binary.LittleEndian.Uint64(c[24:]))
		if odd&tops != 0 {
			break
		}
	}
	for ; len(b)-i >= 8; i += 8 {
		if odd := oddBytes(binary.LittleEndian.Uint64(b[i:])); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// oddText steps over what stands at i: no quote, but something that needs a
// look.
func oddText(b []byte, i int, strict bool) int {
	switch c := b[i]; {
	case c == '\\':
		return escape(b, i, strict)
	case c < ' ':
		return fault(whyControl, i)
	case strict:
		return runes(b, i)
	}
	for i < len(b) && b[i] >= utf8.RuneSelf {
		i++
	}
	return i
}
