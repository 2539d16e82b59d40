package wire

import (
	"strings"
)

// boundaryOf returns the boundary that a Content-Type names: 1 to 70 characters
// of those that RFC 2046, section 5.1.1, allows, save the space. Beside it only
// a charset may stand.
func boundaryOf(contentType string) (string, error) {
	kind, rest, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "multipart/form-data") {
		return "", badContentType("it must be multipart/form-data")
	}
	boundary, found := "", false
	for rest != "" {
		name, value, after, ok := parameter(rest)
		switch {
		case !ok:
			return "", badContentType("a parameter is not well formed")
		case strings.EqualFold(name, "charset"):
		case !strings.EqualFold(name, "boundary"):
			return "", badContentType("it may have no parameter but the boundary")
		case found:
			return "", badContentType("the boundary stands twice")
		default:
			boundary, found = value, true
		}
		rest = after
	}
	if !isBoundary(boundary) {
		return "", badContentType("its boundary must be of 1 to 70 letters, digits and '()+_,-./:=?")
	}
	return boundary, nil
}

// parameter cuts the first parameter off a list of them: name=token or
// name="text" without escapes, blanks around it.
func parameter(list string) (name, value, after string, ok bool) {
	name, list, ok = strings.Cut(list, "=")
	name = strings.TrimLeft(name, " \t")
	if !ok || !isToken(name) {
		return "", "", "", false
	}
	if quoted, isQuoted := strings.CutPrefix(list, `"`); isQuoted {
		value, list, ok = strings.Cut(quoted, `"`)
		ok = ok && !strings.Contains(value, `\`)
	} else {
		value = list[:len(list)-len(strings.TrimLeftFunc(list, isTokenRune))]
		list, ok = list[len(value):], value != ""
	}
	list = strings.TrimLeft(list, " \t")
	if !ok || list == "" {
		return name, value, "", ok
	}
	list, ok = strings.CutPrefix(list, ";")
	return name, value, list, ok && list != ""
}

func isBoundary(text string) bool {
	if len(text) < 1 || len(text) > 70 {
		return false
	}
	for _, r := range text {
		if !isAlphanumeric(r) && !strings.ContainsRune("'()+_,-./:=?", r) {
			return false
		}
	}
	return true
}

func isToken(text string) bool {
	return text != "" && strings.TrimLeftFunc(text, isTokenRune) == ""
}

// isTokenRune knows the characters of a token (RFC 9110, section 5.6.2).
func isTokenRune(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("!#$%&'*+-.^_`|~", r) }

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func badContentType(why string) error {
	return NewError(CodeParseError, "The header Content-Type cannot be read: "+why+".")
}
