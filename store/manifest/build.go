package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

const maxPath = 100 // bytes of a path in a message

// builder turns the YAML of one document into the JSON of its record.
type builder struct {
	options  Options
	doc      Document
	accounts []string // of a policy binding with a list of them
	problems []FileProblem

	depth   int
	inAlias int
	aliased int
}

// fault reports what is wrong with the member at the JSON path.
func (b *builder) fault(node *yaml.Node, path, format string, args ...any) {
	b.faultAt(node, manifestPath(path), format, args...)
}

// faultAt reports what is wrong at a path as it is written.
func (b *builder) faultAt(node *yaml.Node, path, format string, args ...any) {
	p := b.doc.problem("", fmt.Sprintf(format, args...))
	p.Line, p.Field = node.Line, path
	if len(path) > maxPath {
		p.Field = path[:maxPath] + "…"
	}
	b.problems = append(b.problems, p)
}

func (b *builder) unknown(node *yaml.Node, name, path string, known []string) {
	where := strings.TrimPrefix(manifestPath(path)+"."+name, ".")
	near := store.Nearest(name, known)
	switch {
	case path == "metadata" && slices.Contains([]string{"id", "origin", "createdAt", "updatedAt"}, name):
		b.faultAt(node, where, "%s", setByServer)
	case near != "":
		b.faultAt(node, where, "there is no such member: did you mean %s?", near)
	default:
		b.faultAt(node, where, "there is no such member: use %s", strings.Join(known, ", "))
	}
}

type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs lists the members of a mapping, each once.
func (b *builder) pairs(node *yaml.Node, path string) []pair {
	if node.Kind != yaml.MappingNode {
		b.fault(node, path, "must have members, such as name: value")
		return nil
	}
	lines := map[string]int{}
	var pairs []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		first, repeated := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			b.fault(key, path, "must have names as keys")
		case key.ShortTag() == "!!merge":
			b.fault(key, path, "must not use merge keys (<<): write the members out")
		case repeated:
			b.fault(key, strings.TrimPrefix(path+"."+key.Value, "."), "is given twice, first in line %d: keep one", first)
		default:
			lines[key.Value] = key.Line
			pairs = append(pairs, pair{key.Value, key, node.Content[i+1]})
		}
	}
	return pairs
}

// object reads a mapping into the members of a struct type.
func (b *builder) object(node *yaml.Node, t reflect.Type, path string) map[string]any {
	out := map[string]any{}
	members := membersOf(t)
	for _, p := range b.pairs(b.target(node), path) {
		if !b.special(t, p, path, out) {
			b.member(members, p, path, out)
		}
	}
	return out
}

func (b *builder) member(members []member, p pair, path string, out map[string]any) {
	for _, m := range members {
		if m.name != p.name {
			continue
		}
		at := path + "." + m.json
		if m.hidden != "" {
			b.fault(p.key, at, "%s", m.hidden)
			return
		}
		b.doc.Lines[at] = p.key.Line
		if value, ok := b.value(p.value, m.field.Type, at); ok {
			out[m.json] = value
		}
		return
	}
	b.unknown(p.key, p.name, path, append(namesOf(members), specialNames(path, b.doc.Kind)...))
}

// value reads a node as a value of the type. It returns false for null, which is
// as if the member were absent, and after a fault.
func (b *builder) value(node *yaml.Node, t reflect.Type, path string) (any, bool) {
	if !b.enter(node, path) {
		return nil, false
	}
	defer b.leave(node)
	node = b.target(node)
	if isNull(node) {
		return nil, false
	}
	if tag := node.ShortTag(); strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") {
		b.fault(node, path, "must not have a tag of its own")
		return nil, false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if read := b.ownForm(t); read != nil {
		return read(node, path)
	}
	return b.plain(node, t, path)
}

func (b *builder) plain(node *yaml.Node, t reflect.Type, path string) (any, bool) {
	switch t.Kind() {
	case reflect.Struct:
		return b.object(node, t, path), true
	case reflect.Slice:
		return b.list(node, t.Elem(), path)
	case reflect.Map:
		return b.table(node, t.Elem(), path)
	case reflect.Bool:
		return b.boolean(node, path)
	case reflect.Int, reflect.Int64:
		return b.integer(node, path)
	case reflect.String:
		return b.text(node, path)
	}
	return b.anything(node, path)
}

func (b *builder) list(node *yaml.Node, element reflect.Type, path string) (any, bool) {
	if node.Kind != yaml.SequenceNode {
		b.fault(node, path, "must be a list: write it in brackets or with dashes")
		return nil, false
	}
	out := make([]any, 0, len(node.Content))
	for i, child := range node.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		b.doc.Lines[at] = child.Line
		value, ok := b.value(child, element, at)
		if !ok && isNull(b.target(child)) {
			b.fault(child, at, "must not be empty")
		}
		out = append(out, value)
	}
	return out, true
}

func (b *builder) table(node *yaml.Node, element reflect.Type, path string) (any, bool) {
	out := map[string]any{}
	for _, p := range b.pairs(node, path) {
		at := path + "." + p.name
		b.doc.Lines[at] = p.key.Line
		if value, ok := b.value(p.value, element, at); ok {
			out[p.name] = value
		}
	}
	return out, true
}
