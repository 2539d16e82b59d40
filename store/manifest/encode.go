package manifest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"relay/limiter"
	"relay/store"
)

// writeObject writes the members of a struct that manifests have, in the order
// of its fields and without those that are left at nothing.
func writeObject(v reflect.Value) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, m := range membersOf(v.Type()) {
		field := v.Field(m.index)
		if m.hidden != "" || m.omitZero && isNothing(field) {
			continue
		}
		node.Content = append(node.Content, textNode(m.name), writeMember(v, m, field))
	}
	return node
}

func writeMember(v reflect.Value, m member, field reflect.Value) *yaml.Node {
	if v.Type() == reflect.TypeFor[limiter.Rule]() && m.json == "window" {
		return textNode(store.FormatDuration(time.Duration(field.Int()) * time.Second))
	}
	return writeValue(field)
}

func isNothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	}
	return v.IsZero()
}

func writeValue(v reflect.Value) *yaml.Node {
	switch value := v.Interface().(type) {
	case store.Duration:
		return textNode(store.FormatDuration(time.Duration(value)))
	case store.Ref:
		return writeRef(value)
	case time.Time:
		return textNode(value.Format(time.RFC3339Nano))
	case json.RawMessage:
		return writeJSON(value)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return openNode(nil)
		}
		return writeValue(v.Elem())
	case reflect.Struct:
		return compact(writeObject(v))
	case reflect.Slice:
		return writeList(v)
	case reflect.Map:
		return writeTable(v)
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.Bool())}
	case reflect.Int, reflect.Int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v.Int(), 10)}
	case reflect.Float64:
		return numberNode(strconv.FormatFloat(v.Float(), 'f', -1, 64))
	}
	return textNode(v.String())
}

func writeRef(ref store.Ref) *yaml.Node {
	node := mapping("kind", textNode(string(ref.Kind)))
	if ref.ID != "" {
		node = mapping("kind", textNode(string(ref.Kind)), "name", textNode(ref.ID))
	}
	node.Style = yaml.FlowStyle
	return node
}

func writeList(v reflect.Value) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range v.Len() {
		node.Content = append(node.Content, writeValue(v.Index(i)))
	}
	return compact(node)
}

func writeTable(v reflect.Value) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		node.Content = append(node.Content, keyNode(key.String()), writeValue(v.MapIndex(key)))
	}
	return compact(node)
}

// compact puts a list or mapping of single values on one line.
func compact(node *yaml.Node) *yaml.Node {
	for _, child := range node.Content {
		if child.Kind != yaml.ScalarNode {
			return node
		}
	}
	if len(node.Content) <= 8 || node.Kind == yaml.MappingNode && len(node.Content) <= 14 {
		node.Style = yaml.FlowStyle
	}
	return node
}

// writeJSON writes a value of an open type. Numbers keep their digits.
func writeJSON(text json.RawMessage) *yaml.Node {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return textNode(string(text))
	}
	return openNode(value)
}

func openNode(value any) *yaml.Node {
	switch value := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
	case json.Number:
		return numberNode(value.String())
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, element := range value {
			node.Content = append(node.Content, openNode(element))
		}
		return node
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			node.Content = append(node.Content, keyNode(key), openNode(value[key]))
		}
		return node
	case string:
		return textNode(value)
	}
	return textNode("")
}

func numberNode(digits string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(digits, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: digits}
}

// textNode writes text so that it reads back as the same text.
func textNode(text string) *yaml.Node { return keyNode(protect(text)) }

// olderYAML finds text that readers of YAML 1.1 take for a number or a boolean.
var olderYAML = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$`)

// keyNode writes the key of a mapping, in which no variables are put.
func keyNode(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	unusual := func(r rune) bool { return !unicode.IsPrint(r) }
	if text == "" || strings.ContainsFunc(text, unusual) || olderYAML.MatchString(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}
