package gemini

import (
	"bytes"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// appendJSONSchema writes a Schema of Google's, which is one of OpenAPI 3.0
// (https://ai.google.dev/api/caching#Schema), as JSON Schema: types in lower
// case, nullable as a type, counts as numbers, what means nothing elsewhere left
// out. The order of all members stays. It takes two passes, however deep schemas
// lie within each other.
func appendJSONSchema(dst, schema []byte) []byte {
	s := schemas{dst: dst}
	w := wire.Walk(schema)
	s.note(&w)
	w = wire.Walk(schema)
	s.write(&w)
	return s.dst
}

// schemas writes a Schema and those within it.
type schemas struct {
	dst      []byte
	nullable []bool // of the schemas that have not been written yet, in order
}

// note notes which schemas are nullable: they may say so behind what is written
// otherwise then.
func (s *schemas) note(w *wire.Walker) {
	if w.First() != '{' {
		w.Skip()
		return
	}
	at := len(s.nullable)
	s.nullable = append(s.nullable, false)
	for more := w.Object(); more; more = w.Member() {
		var room nameRoom
		name := camel(w.Name(), &room)
		if string(name) != "nullable" {
			holds(name).each(w, s.note)
		} else if value := w.Raw(); !hub.IsNull(value) {
			s.nullable[at] = string(value) == "true"
		}
	}
}

func (s *schemas) write(w *wire.Walker) {
	if w.First() != '{' {
		s.dst = append(s.dst, w.Raw()...)
		return
	}
	nullable := s.nullable[0]
	s.nullable = s.nullable[1:]
	s.dst = append(s.dst, '{')
	for more := w.Object(); more; more = w.Member() {
		var room nameRoom
		s.member(string(camel(w.Name(), &room)), w, nullable)
	}
	s.dst = append(s.dst, '}')
}

// member writes a member, unless it says nothing.
func (s *schemas) member(name string, w *wire.Walker, nullable bool) {
	switch {
	case w.First() == 'n' && name != "default" && name != "example", name == "nullable", name == "propertyOrdering":
		return
	case name == "type", name == "format":
		if value := w.Raw(); !isUnsaid(value) {
			s.dst = appendWord(appendName(s.dst, name), name, value, nullable)
		}
		return
	}
	s.dst = appendName(s.dst, name)
	switch kind := holds([]byte(name)); {
	case kind == oneSchema:
		s.write(w)
	case kind == namedSchemas && w.First() == '{':
		s.writeNamed(w)
	case kind == listedSchemas && w.First() == '[':
		s.writeListed(w, nullable && name == "anyOf")
	case isCount(name):
		s.dst = append(s.dst, unquoted(w.Raw())...)
	default:
		s.dst = append(s.dst, w.Raw()...)
	}
}

func (s *schemas) writeNamed(w *wire.Walker) {
	s.dst = append(s.dst, '{')
	for more := w.Object(); more; more = w.Member() {
		s.dst = appendName(s.dst, string(w.Name()))
		s.write(w)
	}
	s.dst = append(s.dst, '}')
}

// writeListed writes an array of schemas, and null among them where that will do.
func (s *schemas) writeListed(w *wire.Walker, nullable bool) {
	s.dst = append(s.dst, '[')
	for more := w.Array(); more; more = w.Element() {
		s.write(w)
		s.dst = append(s.dst, ',')
	}
	if nullable {
		s.dst = append(s.dst, `{"type":"null"},`...)
	}
	s.dst = append(bytes.TrimSuffix(s.dst, []byte(",")), ']')
}

// holding is how a keyword holds schemas.
type holding uint8

const (
	noSchemas holding = iota
	oneSchema
	namedSchemas  // an object of them
	listedSchemas // an array of them
)

func holds(keyword []byte) holding {
	switch string(keyword) {
	case "items", "additionalProperties", "not":
		return oneSchema
	case "properties", "$defs", "defs", "definitions", "patternProperties":
		return namedSchemas
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return listedSchemas
	}
	return noSchemas
}

// each calls visit before each of the schemas.
func (h holding) each(w *wire.Walker, visit func(*wire.Walker)) {
	switch h {
	case oneSchema:
		visit(w)
	case namedSchemas:
		for more := w.Object(); more; more = w.Member() {
			visit(w)
		}
	case listedSchemas:
		for more := w.Array(); more; more = w.Element() {
			visit(w)
		}
	}
}

func isCount(keyword string) bool {
	switch keyword {
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		return true
	}
	return false
}

// appendWord writes the value of type or format.
func appendWord(dst []byte, name string, value []byte, nullable bool) []byte {
	switch {
	case name == "format":
		return append(dst, value...)
	case nullable && value[0] == '"':
		return append(append(append(dst, '['), bytes.ToLower(value)...), `,"null"]`...)
	}
	return append(dst, bytes.ToLower(value)...)
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
