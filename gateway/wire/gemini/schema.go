package gemini

import (
	"bytes"
	"slices"

	"relay/gateway/wire"
)

// appendJSONSchema writes a Schema of Google's, which is one of OpenAPI 3.0
// (https://ai.google.dev/api/caching#Schema), as JSON Schema: types in lower
// case, nullable as a type, counts as numbers, what means nothing elsewhere left
// out. The order of all members stays. It takes one pass, however deep schemas lie
// within each other.
func appendJSONSchema(dst, schema []byte) []byte {
	w := wire.Walk(schema)
	return appendSchema(dst, &w)
}

// schema is a Schema that is being written. Where it may be null is known at its end.
type schema struct {
	nullable bool
	typed    wire.Range // where its type has been written, if that is one; zero: it has none
	anyOf    int        // where its anyOf ends, before the bracket; 0: it has none
}

func appendSchema(dst []byte, w *wire.Walker) []byte {
	if w.First() != '{' {
		return append(dst, w.Raw()...)
	}
	var s schema
	dst = append(dst, '{')
	for more := w.Object(); more; more = w.Member() {
		var room nameRoom
		dst = s.member(dst, string(camel(w.Name(), &room)), w)
	}
	if s.nullable {
		dst = s.appendNull(dst)
	}
	return append(dst, '}')
}

// member writes a member, unless it says nothing.
func (s *schema) member(dst []byte, name string, w *wire.Walker) []byte {
	switch {
	case w.First() == 'n' && name != "default" && name != "example" || name == "propertyOrdering":
		return dst
	case name == "nullable":
		s.nullable = string(w.Raw()) == "true"
		return dst
	case name != "type" && name != "format":
		return s.keyword(appendName(dst, name), name, w)
	}
	value := w.Raw()
	switch {
	case isUnsaid(value):
		return dst
	case name == "format":
		return append(appendName(dst, name), value...)
	}
	dst = append(appendName(dst, name), bytes.ToLower(value)...)
	if value[0] == '"' {
		s.typed = wire.Range{Start: len(dst) - len(value), End: len(dst)}
	}
	return dst
}

// keyword writes the value of a member.
func (s *schema) keyword(dst []byte, name string, w *wire.Walker) []byte {
	switch name {
	case "properties", "$defs", "defs", "definitions", "patternProperties":
		return appendSchemas(dst, w)
	case "items", "additionalProperties", "not":
		return appendSchema(dst, w)
	case "anyOf":
		isArray := w.First() == '['
		if dst = appendEach(dst, w); isArray {
			s.anyOf = len(dst) - 1
		}
		return dst
	case "oneOf", "allOf", "prefixItems":
		return appendEach(dst, w)
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		return append(dst, unquoted(w.Raw())...)
	}
	return append(dst, w.Raw()...)
}

// appendNull writes that null will do into what has been written.
func (s *schema) appendNull(dst []byte) []byte {
	atType := func() {
		if s.typed.Present() {
			dst = slices.Insert(slices.Insert(dst, s.typed.End, []byte(`,"null"]`)...), s.typed.Start, '[')
		}
	}
	atAnyOf := func() {
		if s.anyOf == 0 {
			return
		}
		null := `,{"type":"null"}`
		if dst[s.anyOf-1] == '[' {
			null = null[1:]
		}
		dst = slices.Insert(dst, s.anyOf, []byte(null)...)
	}
	if s.anyOf > s.typed.Start { // the later one first: it moves what follows
		atAnyOf()
		atType()
		return dst
	}
	atType()
	atAnyOf()
	return dst
}

// isUnsaid reports whether a type or format says nothing outside OpenAPI.
func isUnsaid(value []byte) bool {
	return string(value) == `"TYPE_UNSPECIFIED"` || string(value) == `"enum"`
}

// unquoted returns a count, which Google's JSON may quote, as a number.
func unquoted(value []byte) []byte {
	if inner := bytes.Trim(value, `"`); len(inner) > 0 && len(bytes.Trim(inner, "0123456789")) == 0 {
		return inner
	}
	return value
}

// appendName writes the name of a member of an object that has been begun.
func appendName(dst []byte, name string) []byte {
	before := ","
	if dst[len(dst)-1] == '{' {
		before = ""
	}
	return append(wire.AppendText(dst, before, name), ':')
}

// appendSchemas writes an object of schemas.
func appendSchemas(dst []byte, w *wire.Walker) []byte {
	if w.First() != '{' {
		return append(dst, w.Raw()...)
	}
	dst = append(dst, '{')
	for more := w.Object(); more; more = w.Member() {
		dst = appendSchema(appendName(dst, string(w.Name())), w)
	}
	return append(dst, '}')
}

// appendEach writes an array of schemas.
func appendEach(dst []byte, w *wire.Walker) []byte {
	if w.First() != '[' {
		return append(dst, w.Raw()...)
	}
	dst = append(dst, '[')
	for more := w.Array(); more; more = w.Element() {
		dst = append(appendSchema(dst, w), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
}
