package http1

import (
	"encoding/binary"
	"strings"
)

// Bytes of field names (RFC 9110, section 5.6.2) in their canonical form: within
// a word and at the beginning of one. 0 are those that no name may hold.
var inWord, atStart = nameBytes()

func nameBytes() (within, first [256]byte) {
	for c := range 128 {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		switch {
		case letter:
			within[c], first[c] = byte(c)|0x20, byte(c)&^0x20
		case '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", byte(c)) >= 0:
			within[c], first[c] = byte(c), byte(c)
		}
	}
	return within, first
}

// canonicalize puts a field name in place into the form that http.Header uses,
// and reports whether it is one.
func canonicalize(name []byte) bool {
	table := &atStart
	for i, c := range name {
		c = table[c]
		if c == 0 {
			return false
		}
		name[i] = c
		table = &inWord
		if c == '-' {
			table = &atStart
		}
	}
	return len(name) > 0
}

func isToken(name string) bool {
	for i := range len(name) {
		if inWord[name[i]] == 0 {
			return false
		}
	}
	return name != ""
}

// isValue reports whether the bytes may stand in a field value: no controls
// save the tab (RFC 9110, section 5.5).
func isValue(v []byte) bool {
	for len(v) >= 8 {
		if mayHoldControl(binary.LittleEndian.Uint64(v)) && !isPlain(v[:8]) {
			return false
		}
		v = v[8:]
	}
	return isPlain(v)
}

// mayHoldControl looks at eight bytes at once. It may be wrong where they hold a
// byte above 0x7e.
func mayHoldControl(word uint64) bool {
	const each = 0x0101010101010101
	below := word - 0x20*each        // borrows from bytes below 0x20
	above := word + (0x80-0x7f)*each // carries into the top bit from 0x7f
	return (below|above|word)&(0x80*each) != 0
}

func isPlain[T string | []byte](v T) bool {
	for i := range len(v) {
		if c := v[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// trim takes blanks from both ends.
func trim(value string) string {
	for value != "" && isBlank(value[0]) {
		value = value[1:]
	}
	for value != "" && isBlank(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	return value
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// hasToken looks for a token, in any case, in the comma-separated lists of a
// field.
func hasToken(lines []string, token string) bool {
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(trim(element), token) {
				return true
			}
		}
	}
	return false
}
