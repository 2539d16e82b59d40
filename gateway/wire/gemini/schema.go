package gemini

import (
	"bytes"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// appendJSONSchema writes a Schema of Google's, which is one of OpenAPI 3.0
// (https://ai.google.dev/api/caching#Schema), as JSON Schema: types in lower
// case, nullable as a type, counts as numbers, what means nothing elsewhere left
// out. The order of all members stays.
func appendJSONSchema(dst, schema []byte) []byte {
	if schema[0] != '{' {
		return append(dst, schema...)
	}
	nullable := string(memberOf(schema, "nullable")) == "true"
	dst = append(dst, '{')
	for said, value := range hub.Members(schema) {
		var room nameRoom
		dst = appendKeyword(dst, string(camel(said, &room)), value, nullable)
	}
	return append(dst, '}')
}

func appendKeyword(dst []byte, name string, value []byte, nullable bool) []byte {
	switch {
	case hub.IsNull(value) && name != "default" && name != "example" || name == "nullable" || name == "propertyOrdering":
		return dst
	case (name == "type" || name == "format") && isUnsaid(value):
		return dst
	}
	dst = appendName(dst, name)
	switch name {
	case "type":
		return appendType(dst, value, nullable)
	case "properties", "$defs", "defs", "definitions", "patternProperties":
		return appendSchemas(dst, value)
	case "items", "additionalProperties", "not":
		return appendJSONSchema(dst, value)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return appendEach(dst, value, nullable && name == "anyOf")
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		return append(dst, unquoted(value)...)
	}
	return append(dst, value...)
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

func appendType(dst, value []byte, nullable bool) []byte {
	if nullable && value[0] == '"' {
		return append(append(append(dst, '['), bytes.ToLower(value)...), `,"null"]`...)
	}
	return append(dst, bytes.ToLower(value)...)
}

// appendSchemas writes an object of schemas.
func appendSchemas(dst, object []byte) []byte {
	if object[0] != '{' {
		return append(dst, object...)
	}
	dst = append(dst, '{')
	for name, schema := range hub.Members(object) {
		dst = appendJSONSchema(appendName(dst, string(name)), schema)
	}
	return append(dst, '}')
}

// appendEach writes an array of schemas, and null among them where that will do.
func appendEach(dst, array []byte, nullable bool) []byte {
	if array[0] != '[' {
		return append(dst, array...)
	}
	dst = append(dst, '[')
	for schema := range hub.Elements(array) {
		dst = append(appendJSONSchema(dst, schema), ',')
	}
	if nullable {
		dst = append(dst, `{"type":"null"},`...)
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
}
