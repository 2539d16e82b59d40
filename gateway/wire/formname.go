package wire

import (
	"bytes"
	"fmt"
	"strings"
)

// readDisposition reads the Content-Disposition of a part: form-data, its name
// and, of files, a file name in one or both of its forms (RFC 6266, section 4.3).
func (p *part) readDisposition(body []byte, text Range) error {
	if p.hasDisposition {
		return unreadable(text.Start, "a part has two Content-Dispositions")
	}
	p.hasDisposition = true
	rest, ok := bytes.CutPrefix(text.Of(body), []byte("form-data"))
	text.Start = text.End - len(rest)
	for ok && text.Present() {
		ok = p.readParameter(body, &text)
	}
	if !ok || !isFieldName(p.name.Of(body)) {
		return unreadable(text.Start, "the Content-Disposition of a part must be form-data with a name of ASCII characters, without escapes")
	}
	return nil
}

// readParameter reads the next parameter and reports whether it is one that may
// stand there.
func (p *part) readParameter(body []byte, text *Range) bool {
	name, value, ok := nextParameter(body, text)
	switch name {
	case "name":
		ok = ok && p.name == Range{}
		p.name = value
	case "filename":
		ok = ok && !p.hasFileName
		p.hasFileName, p.isFile = true, true
	case "filename*":
		ok = ok && !p.hasFileNameExt
		p.hasFileNameExt, p.isFile = true, true
	default:
		return false
	}
	return ok
}

// nextParameter cuts ;name=token or ;name="text" off, with blanks around the
// semicolon. A text may hold backslashes, but none at its end: some readers take
// it for an escape and read on.
func nextParameter(body []byte, text *Range) (name string, value Range, ok bool) {
	start := bytes.TrimLeft(text.Of(body), " \t")
	rest, ok := bytes.CutPrefix(start, []byte(";"))
	label, rest, found := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte("="))
	if !ok || !found {
		return "", Range{}, false
	}
	size := len(rest) - len(bytes.TrimLeftFunc(rest, isTokenRune))
	quotes := 0
	if bytes.HasPrefix(rest, []byte(`"`)) {
		rest, quotes = rest[1:], 1
		size = bytes.IndexByte(rest, '"')
	}
	if size < 0 || size == 0 && quotes == 0 || size > 0 && rest[size-1] == '\\' {
		return "", Range{}, false
	}
	at := text.End - len(rest)
	text.Start = at + size + quotes
	return string(label), Range{at, at + size}, true
}

// isFieldName reports whether every parser reads a name as it is written.
func isFieldName(name []byte) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7f || c == '\\' || c == '%' {
			return false
		}
	}
	return len(name) > 0
}

// refuseFieldName refuses the names that some parsers take for model or stream,
// and the one that tells them to read fields in another encoding (RFC 7578,
// section 4.6).
func refuseFieldName(name []byte, at Range) error {
	if strings.EqualFold(string(name), "_charset_") {
		return unreadable(at.Start, `the field "_charset_" is not supported; send UTF-8`)
	}
	base, _, indexed := bytes.Cut(name, []byte("["))
	for _, exact := range [...]string{"model", "stream"} {
		if strings.EqualFold(string(base), exact) && (indexed || string(base) != exact) {
			return unreadable(at.Start, fmt.Sprintf("the field %q must be written %q", string(name), exact))
		}
	}
	return nil
}
