// Package schema_test holds what Relay writes for OpenAI's callers, when it
// translates, against the JSON Schemas that OpenAI publishes. RELAY_SCHEMAS is the
// path of a file with them: an OpenAPI document, or the part of one that answers
// refer to. They are no part of this repository, so this is not among the tests of
// `make test`; .ci/run runs it where the file is at hand.
package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is where the compiler finds the file.
const document = "file:///openai.json"

// schemas are OpenAI's.
type schemas struct {
	compiler *jsonschema.Compiler
	all      map[string]any // by name
	compiled map[string]*jsonschema.Schema
}

// readSchemas reads the file.
func readSchemas(t *testing.T) *schemas {
	t.Helper()
	path := os.Getenv("RELAY_SCHEMAS")
	if path == "" {
		t.Fatal("RELAY_SCHEMAS must be the path of OpenAI's schemas")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	doc = mended(doc)
	s := &schemas{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	if err := s.compiler.AddResource(document, doc); err != nil {
		t.Fatal(err)
	}
	components, _ := doc.(map[string]any)["components"].(map[string]any)
	if s.all, _ = components["schemas"].(map[string]any); len(s.all) == 0 {
		t.Fatalf("%s has no schemas", path)
	}
	return s
}

// mended returns a value of the document in which nullable, which is OpenAPI 3.0's,
// is said in JSON Schema, and without the recursive anchors of an older draft.
func mended(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = mended(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = mended(v[name])
		}
		delete(v, "$recursiveAnchor")
		delete(v, "$recursiveRef")
		if nullable, _ := v["nullable"].(bool); nullable {
			delete(v, "nullable")
			return map[string]any{"anyOf": []any{v, map[string]any{"type": "null"}}}
		}
	}
	return v
}

// check says what is wrong with JSON by the schema of a name.
func (s *schemas) check(name string, text []byte) error {
	if s.compiled[name] == nil {
		schema, err := s.compiler.Compile(document + "#/components/schemas/" + name)
		if err != nil {
			return err
		}
		s.compiled[name] = schema
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	return s.compiled[name].Validate(value)
}

// event says what is wrong with an event of Responses, by the schema of its type.
func (s *schemas) event(text []byte) error {
	var event struct{ Type string }
	if err := json.Unmarshal(text, &event); err != nil {
		return err
	}
	alternatives, _ := s.all["ResponseStreamEvent"].(map[string]any)["anyOf"].([]any)
	for _, alternative := range alternatives {
		ref, _ := alternative.(map[string]any)["$ref"].(string)
		name := ref[strings.LastIndex(ref, "/")+1:]
		if s.isOf(name, event.Type) {
			return s.check(name, text)
		}
	}
	return fmt.Errorf("there is no event of the type %q", event.Type)
}

// isOf reports whether a schema is of objects with a type.
func (s *schemas) isOf(name, kind string) bool {
	schema, _ := s.all[name].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	is, _ := properties["type"].(map[string]any)
	kinds, _ := is["enum"].([]any)
	return slices.Contains(kinds, any(kind)) || is["const"] == kind
}
