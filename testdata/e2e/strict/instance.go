package strict

import (
	"maps"
	"strings"
)

// Schema is what tests ask PlayStructure for.
func Schema() map[string]any {
	text := object{"type": "string"}
	return object{
		"type": "object", "required": []any{"zebra", "age", "colour", "tags"}, "additionalProperties": false,
		"properties": object{
			"zebra": text, "age": object{"type": "integer"}, "colour": object{"type": "string", "enum": []any{"red", "green"}},
			"tags": object{"type": "array", "items": text},
		},
	}
}

// Instance is the answer by a schema: the first of every enumeration, the same
// text and number everywhere else. It knows the types of JSON Schema and, in
// capitals, Google's.
func Instance(schema map[string]any) any {
	if choices := listOf(schema["enum"]); len(choices) > 0 {
		return choices[0]
	}
	switch strings.ToLower(textOf(schema["type"])) {
	case "object":
		o := object{}
		for name := range maps.Keys(objectOf(schema["properties"])) {
			o[name] = Instance(objectOf(objectOf(schema["properties"])[name]))
		}
		return o
	case "array":
		return []any{Instance(objectOf(schema["items"]))}
	case "integer":
		return 7
	}
	return "striped 雨"
}
