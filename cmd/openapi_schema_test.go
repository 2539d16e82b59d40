package cmd_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// schema checks a schema: the keywords of JSON Schema 2020-12 that the documents
// use, and none that only OpenAPI 3.0 knew.
func (d *apiDocument) schema(at string, value any) {
	if _, is := value.(bool); is {
		return
	}
	schema, is := value.(map[string]any)
	if !is {
		d.fault(at, "is no schema")
		return
	}
	for keyword, value := range schema {
		d.keyword(at, keyword, value)
	}
	properties := object(schema["properties"])
	for name, property := range properties {
		d.schema(at+"."+name, property)
	}
	for _, name := range list(schema["required"]) {
		if _, there := properties[fmt.Sprint(name)]; !there {
			d.fault(at, "requires %v, which is none of its properties", name)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner := schema[keyword]; inner != nil {
			d.schema(at+" "+keyword, inner)
		}
	}
	for i, inner := range list(schema["oneOf"]) {
		d.schema(fmt.Sprintf("%s oneOf[%d]", at, i), inner)
	}
}

func (d *apiDocument) keyword(at, keyword string, value any) {
	var is bool
	switch keyword {
	case "$ref":
		text, _ := value.(string)
		is = d.referred(text) != nil
	case "type":
		is = len(typesOf(value)) > 0
	case "properties":
		_, is = value.(map[string]any)
	case "required", "enum", "oneOf", "examples":
		is = len(list(value)) > 0
	case "items", "additionalProperties", "default":
		is = true
	case "description", "format", "contentMediaType", "patternDescription":
		_, is = value.(string)
	case "pattern":
		text, _ := value.(string)
		_, err := regexp.Compile(text)
		is = err == nil && text != ""
	case "minimum", "maximum":
		_, is = value.(float64)
	case "minLength", "maxLength", "minItems", "maxItems":
		n, _ := value.(float64)
		is = n >= 0 && n == math.Trunc(n)
	case "readOnly", "writeOnly", "deprecated":
		_, is = value.(bool)
	}
	if !is {
		d.fault(at, "keyword %s is not known or not right: %v", keyword, value)
	}
}

// typesOf are the types that a schema names; none when one is no type.
func typesOf(value any) []string {
	all := list(value)
	if all == nil {
		all = []any{value}
	}
	var types []string
	for _, one := range all {
		if !slices.Contains([]any{"string", "number", "integer", "boolean", "array", "object", "null"}, one) {
			return nil
		}
		types = append(types, one.(string))
	}
	return types
}

// referred is the schema that a reference leads to.
func (d *apiDocument) referred(ref string) map[string]any {
	name, is := strings.CutPrefix(ref, "#/components/schemas/")
	if !is {
		return nil
	}
	return object(member(d.root, "components", "schemas", name))
}

// fits reports what of an answer is not as its schema says. What is write-only
// must not be in it.
func (d *apiDocument) fits(at string, value, described any) (faults []string) {
	if described == true || described == nil {
		return nil
	}
	schema := object(described)
	if ref, _ := schema["$ref"].(string); ref != "" {
		return d.fits(at, value, d.referred(ref))
	}
	if types := typesOf(schema["type"]); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOf(value, t) }) {
		return []string{fmt.Sprintf("%s: %v is not %v", at, value, types)}
	}
	if enum := list(schema["enum"]); len(enum) > 0 && value != nil && !slices.Contains(enum, value) {
		return []string{fmt.Sprintf("%s: %v is none of %v", at, value, enum)}
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			faults = append(faults, d.fits(fmt.Sprintf("%s[%d]", at, i), item, schema["items"])...)
		}
	case map[string]any:
		faults = d.fitsObject(at, value, schema)
	}
	return faults
}

func (d *apiDocument) fitsObject(at string, value, schema map[string]any) (faults []string) {
	properties := object(schema["properties"])
	for _, name := range list(schema["required"]) {
		if _, there := value[name.(string)]; !there && object(properties[name.(string)])["writeOnly"] != true {
			faults = append(faults, fmt.Sprintf("%s: %v is missing", at, name))
		}
	}
	for name, inner := range value {
		property, known := properties[name]
		switch {
		case known && object(property)["writeOnly"] == true:
			faults = append(faults, fmt.Sprintf("%s: %s is write-only", at, name))
		case known:
			faults = append(faults, d.fits(at+"."+name, inner, property)...)
		case schema["additionalProperties"] == false:
			faults = append(faults, fmt.Sprintf("%s: %s is not described", at, name))
		default:
			faults = append(faults, d.fits(at+"."+name, inner, schema["additionalProperties"])...)
		}
	}
	return faults
}

func isOf(value any, kind string) bool {
	switch value := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && value == math.Trunc(value)
	case []any:
		return kind == "array"
	}
	return kind == "object"
}
