package wire

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Text returns what the JSON string at r says: a part of the body where it has
// no escapes, else built in room. The body must have passed Scan. It returns
// false when there is no string at r.
func Text(body []byte, r Range, room []byte) ([]byte, bool) {
	literal := r.Of(body)
	if len(literal) < 2 || literal[0] != '"' {
		return nil, false
	}
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	return appendUnescaped(room[:0], inner), true
}

// shortText is Text for names and words that are compared with short ones. One
// too long for that comes back as it is written.
func shortText(doc []byte, r Range, room []byte) []byte {
	if literal := r.Of(doc); len(literal)-2 > 6*longestName {
		return literal[1 : len(literal)-1]
	}
	text, _ := Text(doc, r, room)
	return text
}

// ModelName returns the name of the model that the body asks for, without
// allocating where it has no escapes. The error is an *Error with
// CodeMissingModel: the member is absent or not a string, or its name is
// empty, longer than MaxModelName characters or holds control characters.
func (m *Members) ModelName(body, room []byte) ([]byte, error) {
	name, ok := Text(body, m.Model, room)
	switch {
	case !m.Model.Present():
		return nil, NewError(CodeMissingModel, `The request has no "model"; `+modelHint)
	case !ok:
		return nil, NewError(CodeMissingModel, `The member "model" must be a string; `+modelHint)
	}
	if err := CheckModelName(name); err != nil {
		return nil, err
	}
	return name, nil
}

// CheckModelName refuses what no model is called: an empty name, one of more
// than MaxModelName characters or with control characters. The error is an *Error
// with CodeMissingModel.
func CheckModelName(name []byte) error {
	switch {
	case len(name) == 0:
		return NewError(CodeMissingModel, `The model's name is empty; `+modelHint)
	case utf8.RuneCount(name) > MaxModelName:
		return NewError(CodeMissingModel, `The model's name has 300 characters or more; `+modelHint)
	case bytes.IndexFunc(name, unicode.IsControl) >= 0:
		return NewError(CodeMissingModel, `The model's name holds control characters; `+modelHint)
	}
	return nil
}

const modelHint = "name one of the models this key may use (GET /v1/models)."

// Choices returns how many choices the body asks for: its n, or 1 where that is
// absent or no whole number from 1 to 64.
func (m *Members) Choices(body []byte) int {
	n, err := strconv.Atoi(string(m.N.Of(body)))
	if err != nil || n < 1 || n > 64 {
		return 1
	}
	return n
}

// Quote returns text as a JSON string, ready for an Edit.
func Quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// appendUnescaped reads the escapes of a string's inside, which is well formed.
// Half of a surrogate pair, which answers may hold, becomes U+FFFD.
func appendUnescaped(dst, inner []byte) []byte {
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return append(dst, inner...)
		}
		dst = append(dst, inner[:i]...)
		inner = inner[i:]
		r, n := rune(unescape(inner[1])), 2
		if inner[1] == 'u' {
			r, n = unicodeEscape(inner)
		}
		dst = utf8.AppendRune(dst, r)
		inner = inner[n:]
	}
}

// unicodeEscape reads \uXXXX, or a pair of them.
func unicodeEscape(b []byte) (r rune, n int) {
	r, _ = hex4(b)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if pair, ok := surrogates(r, b); ok {
		return pair, 12
	}
	return utf8.RuneError, 6
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
