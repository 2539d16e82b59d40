package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// anything reads a value whose type the record leaves open.
func (b *builder) anything(node *yaml.Node, path string) (any, bool) {
	switch node.Kind {
	case yaml.SequenceNode:
		return b.anyList(node, path)
	case yaml.MappingNode:
		return b.anyTable(node, path)
	}
	text, tag, ok := b.scalar(node, path)
	if !ok {
		return nil, false
	}
	switch tag {
	case "!!bool":
		return strings.EqualFold(text, "true"), true
	case "!!int", "!!float":
		return b.number(node, text, path)
	case "!!null":
		return nil, true
	}
	return text, true
}

func (b *builder) anyList(node *yaml.Node, path string) (any, bool) {
	out := make([]any, 0, len(node.Content))
	for i, child := range node.Content {
		value, ok := b.open(child, fmt.Sprintf("%s[%d]", path, i))
		if !ok {
			return nil, false
		}
		out = append(out, value)
	}
	return out, true
}

func (b *builder) anyTable(node *yaml.Node, path string) (any, bool) {
	out := map[string]any{}
	for _, p := range b.pairs(node, path) {
		value, ok := b.open(p.value, path+"."+p.name)
		if !ok {
			return nil, false
		}
		out[p.name] = value
	}
	return out, true
}

// open reads a value inside another of an open type, where null is a value.
func (b *builder) open(node *yaml.Node, path string) (any, bool) {
	if !b.enter(node, path) {
		return nil, false
	}
	defer b.leave(node)
	return b.anything(b.target(node), path)
}

// number keeps the digits of a number as they are written, where JSON can.
func (b *builder) number(node *yaml.Node, text, path string) (any, bool) {
	if json.Valid([]byte(text)) {
		return json.Number(text), true
	}
	var whole int64
	if b.target(node).ShortTag() == "!!int" && b.target(node).Decode(&whole) == nil {
		return whole, true
	}
	var value float64
	if b.target(node).Decode(&value) != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		b.fault(node, path, "must be a number that JSON can hold")
		return nil, false
	}
	return value, true
}
