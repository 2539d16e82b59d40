package manifest

import (
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

// scalar returns a scalar's text with variables put in, and its YAML tag; what
// came out of a variable is text, whatever it looks like.
func (b *builder) scalar(node *yaml.Node, path string) (text, tag string, ok bool) {
	node = b.target(node)
	if node.Kind != yaml.ScalarNode {
		b.fault(node, path, "must be a single value")
		return "", "", false
	}
	if !strings.Contains(node.Value, "$") {
		return node.Value, node.ShortTag(), true
	}
	text, err := expand(node.Value, b.options.LookupEnv)
	if err != nil {
		b.fault(node, path, "%s", err)
		return "", "", false
	}
	if text == node.Value {
		return text, node.ShortTag(), true
	}
	return text, expandedTag, true
}

// expandedTag marks text that came out of a variable and fits any type that its
// words fit.
const expandedTag = "variable"

func (b *builder) text(node *yaml.Node, path string) (string, bool) {
	text, tag, ok := b.scalar(node, path)
	switch tag {
	case "!!str", "!!timestamp", expandedTag:
		return text, ok
	}
	if ok {
		b.fault(node, path, "must be text: put it in quotes, \"%s\"", text)
	}
	return "", false
}

func (b *builder) boolean(node *yaml.Node, path string) (any, bool) {
	text, tag, ok := b.scalar(node, path)
	if !ok {
		return nil, false
	}
	value, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil || tag != "!!bool" && tag != expandedTag {
		b.fault(node, path, "must be true or false")
		return nil, false
	}
	return value, true
}

func (b *builder) integer(node *yaml.Node, path string) (any, bool) {
	text, tag, ok := b.scalar(node, path)
	if !ok {
		return nil, false
	}
	var value int64
	var err error
	switch tag {
	case "!!int":
		err = b.target(node).Decode(&value)
	case expandedTag:
		value, err = strconv.ParseInt(text, 10, 64)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		b.fault(node, path, "must be a whole number without quotes")
		return nil, false
	}
	return value, true
}

func (b *builder) duration(node *yaml.Node, path string) (any, bool) {
	text, tag, ok := b.scalar(node, path)
	if !ok {
		return nil, false
	}
	if isNumber(tag) && text != "0" {
		b.fault(node, path, "must be a duration: write a number with its unit, such as 30s, 1m, 24h or 7d")
		return nil, false
	}
	if _, err := store.ParseDuration(text); err != nil {
		b.fault(node, path, "%s", err)
		return nil, false
	}
	return text, true
}

// window reads a duration into the whole seconds of a rule.
func (b *builder) window(node *yaml.Node, path string) (any, bool) {
	text, tag, ok := b.scalar(node, path)
	if !ok {
		return nil, false
	}
	d, err := store.ParseDuration(text)
	switch {
	case isNumber(tag) || err != nil:
		b.fault(node, path, "must be a duration: write a number with its unit, such as 1m, 24h or 7d")
	case d < time.Second:
		b.fault(node, path, "must be at least 1s: write a duration such as 1m")
	case d%time.Second != 0:
		b.fault(node, path, "must be whole seconds: write a duration such as 1m or 90s")
	default:
		return int64(d / time.Second), true
	}
	return nil, false
}

func isNumber(tag string) bool { return tag == "!!int" || tag == "!!float" }

// timestamp reads a time, or a date as its first moment in UTC.
func (b *builder) timestamp(node *yaml.Node, path string) (any, bool) {
	text, ok := b.text(node, path)
	if !ok {
		return nil, false
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, true
	}
	b.fault(node, path, "must be a time such as 2026-01-31T00:00:00Z, or a date")
	return nil, false
}
