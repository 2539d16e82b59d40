package wire

import "strconv"

// The grammar of JSON (RFC 8259), one function for each of its parts. Each
// steps over one part and returns the index behind it, or a fault. left is how
// many objects and arrays may still be opened. Strict is for requests: it
// refuses what parsers read in different ways, which is broken UTF-8, half of a
// surrogate pair, and numbers that no float64 holds.

// value steps over the value that begins at i.
func value(b []byte, i, left int, strict bool) int {
	if i >= len(b) {
		return fault(whyValue, i)
	}
	switch b[i] {
	case '"':
		return text(b, i+1, strict)
	case '{':
		return object(b, i, left, strict)
	case '[':
		return array(b, i, left, strict)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	}
	return number(b, i, strict)
}

func object(b []byte, i, left int, strict bool) int {
	if left == 0 {
		return fault(whyDeep, i)
	}
	if i = space(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = name(b, i, strict); i < 0 {
			return i
		}
		if i = colon(b, i); i < 0 {
			return i
		}
		if i = value(b, i, left-1, strict); i < 0 {
			return i
		}
		switch i = space(b, i); {
		case i < len(b) && b[i] == ',':
			i = space(b, i+1)
		case i < len(b) && b[i] == '}':
			return i + 1
		default:
			return fault(whyBrace, i)
		}
	}
}

func array(b []byte, i, left int, strict bool) int {
	if left == 0 {
		return fault(whyDeep, i)
	}
	if i = space(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = value(b, i, left-1, strict); i < 0 {
			return i
		}
		switch i = space(b, i); {
		case i < len(b) && b[i] == ',':
			i = space(b, i+1)
		case i < len(b) && b[i] == ']':
			return i + 1
		default:
			return fault(whyBracket, i)
		}
	}
}

func name(b []byte, i int, strict bool) int {
	if i >= len(b) || b[i] != '"' {
		return fault(whyName, i)
	}
	return text(b, i+1, strict)
}

// colon steps over what stands between a name and its value.
func colon(b []byte, i int) int {
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return fault(whyColon, i)
	}
	return space(b, i+1)
}

func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func literal(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return fault(whyValue, i)
}

func number(b []byte, i int, strict bool) int {
	start := i
	if b[i] == '-' {
		i++
	} else if !isDigit(b[i]) {
		return fault(whyValue, i)
	}
	whole := i
	if i = digits(b, i); i == whole || b[whole] == '0' && i > whole+1 {
		return fault(whyNumber, start)
	}
	if i < len(b) && b[i] == '.' {
		point := i
		if i = digits(b, i+1); i == point+1 {
			return fault(whyNumber, start)
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		return exponent(b, start, i+1, strict)
	}
	if strict && i-start > longestSmall {
		return bounded(b, start, i)
	}
	return i
}

// exponent steps over the end of a number, behind its e.
func exponent(b []byte, start, i int, strict bool) int {
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	from := i
	if i = digits(b, i); i == from {
		return fault(whyNumber, start)
	}
	if strict {
		return bounded(b, start, i)
	}
	return i
}

// longestSmall is the length up to which a number without an exponent is no
// larger than a float64.
const longestSmall = 300

// bounded refuses a number that no float64 can hold.
func bounded(b []byte, start, end int) int {
	if _, err := strconv.ParseFloat(string(b[start:end]), 64); err != nil {
		return fault(whyLarge, start)
	}
	return end
}

func digits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }
