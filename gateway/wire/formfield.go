package wire

import (
	"bytes"
	"strings"
)

// FormField is one part of a form.
type FormField struct {
	Whole   Range // from the boundary before it to the one behind
	Name    Range // without brackets behind it, by which some fields are lists
	Content Range
}

// FormFields returns the parts of a body that has passed ScanForm, in order, and where
// the last boundary begins.
func FormFields(contentType string, body []byte) (fields []FormField, end int) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return nil, len(body)
	}
	delimiter := []byte("--" + boundary)
	at := max(bytes.Index(body, delimiter), 0)
	for {
		start := at + len(delimiter) + len("\r\n")
		if start > len(body) {
			return fields, at
		}
		length := bytes.Index(body[start:], delimiter)
		if length < 0 {
			return fields, at
		}
		next := start + length
		var p part
		content, err := p.readHeader(body, Range{start, next - len("\r\n")})
		if err != nil {
			return fields, at
		}
		name, _, _ := bytes.Cut(p.name.Of(body), []byte("["))
		p.name.End = p.name.Start + len(name)
		fields = append(fields, FormField{Whole: Range{at, next}, Name: p.name, Content: Range{content, next - len("\r\n")}})
		at = next
	}
}

// Index returns the index of the field in a map of paths, or -1. See Inspect for the
// keys.
func (f FormField) Index(body []byte, paths map[string]int) int {
	var path folded
	path.fold(f.Name.Of(body))
	i, _ := path.index(paths)
	return i
}

// AppendFormField appends a field for a form whose Content-Type is given: a value in
// JSON, of which a text stands there as it reads. It appends nothing where the value
// holds the boundary.
func AppendFormField(dst []byte, contentType, name, value string) []byte {
	boundary, err := boundaryOf(contentType)
	if text, isText := Text([]byte(value), Range{End: len(value)}, nil); isText {
		value = string(text)
	}
	if err != nil || strings.Contains(value, "--"+boundary) {
		return dst
	}
	dst = append(append(append(dst, "--"...), boundary...), "\r\nContent-Disposition: form-data; name=\""...)
	dst = append(append(dst, name...), "\"\r\n\r\n"...)
	return append(append(dst, value...), "\r\n"...)
}
