package wire

import "unicode/utf8"

// meter measures a text of JSON as it is written: escapes cost what they stand for.
type meter struct {
	cost   int64 // in hundredths of a token
	before byte  // ASCII, or a stand-in
	far    int   // ideographs since the last one that every text has
}

// costOfText returns what a text costs, in hundredths of a token. It is the inside of
// a JSON string, or JSON, and well formed.
func costOfText(text []byte) int64 {
	m := meter{before: begins}
	for i := m.plain(text); i < len(text); i += m.plain(text[i:]) {
		r, n := runeOf(text[i:])
		m.take(r)
		i += n
	}
	return m.cost
}

// plain takes ASCII without escapes, and returns how much there is of it.
func (m *meter) plain(text []byte) int {
	cost, before := 0, uint(m.before)
	for i, c := range text {
		if c >= utf8.RuneSelf || c == '\\' {
			text = text[:i]
			break
		}
		cost += int(costs[before&127<<7|uint(c)&127])
		before = uint(c)
	}
	m.cost += int64(cost)
	m.before = byte(before)
	return len(text)
}

// runeOf reads the rune or escape that a text begins with.
func runeOf(text []byte) (r rune, n int) {
	switch {
	case text[0] != '\\':
		return utf8.DecodeRune(text)
	case text[1] != 'u':
		return rune(unescape(text[1])), 2
	}
	return unicodeEscape(text)
}

// take takes any rune.
func (m *meter) take(r rune) {
	next := byte(wide)
	switch {
	case r < utf8.RuneSelf:
		next = plainByte(byte(r))
	case isLatin(r):
		next = accent
		m.cost += int64(wideCosts[r>>4])
	case isIdeograph(r):
		m.cost += m.ideograph(r)
	case r < 1<<16:
		m.cost += int64(wideCosts[r>>4])
	case isEmoji(r):
		m.cost += costOfEmoji
	default:
		m.cost += costOfFourBytes
	}
	m.cost += int64(costs[uint(m.before)<<7|uint(next)])
	m.before = next
}

func plainByte(c byte) byte {
	if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
		return control
	}
	return c
}

// ideograph tells common ones from others by the company they keep: lists of names
// and texts of old cost more than prose.
func (m *meter) ideograph(r rune) int64 {
	if m.far++; isEveryday(r) {
		m.far = 0
	}
	if m.far > farIdeographs {
		return costOfRare
	}
	return costOfIdeograph
}
