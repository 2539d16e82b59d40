package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a YAML configuration. Real ones are far below.
const (
	maxYAML  = 4 << 20 // bytes
	maxNodes = 500_000 // once anchors are written out
	maxDepth = 64
)

// readYAML reads the one document of a configuration, with anchors and merge
// keys written out.
func readYAML(r io.Reader) (*object, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxYAML+1))
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	if len(text) > maxYAML {
		return nil, fmt.Errorf("the configuration is larger than %d MiB: that is no configuration of models", maxYAML>>20)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the configuration is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("the configuration is empty")
	}
	u := &unfolding{}
	value, err := u.value(document.Content[0], 0)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	root, ok := value.(*object)
	if !ok {
		return nil, errors.New("the configuration must be a mapping with model_list and its like")
	}
	return root, nil
}

// unfolding writes anchors out, under a bound: a few lines of YAML can stand for
// more than any memory holds.
type unfolding struct{ nodes int }

func (u *unfolding) value(node *yaml.Node, depth int) (any, error) {
	if u.nodes++; u.nodes > maxNodes || depth > maxDepth {
		return nil, fmt.Errorf("line %d: too much is nested or repeated by anchors", node.Line)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return u.value(node.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, child := range node.Content {
			element, err := u.value(child, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		return list, nil
	case yaml.MappingNode:
		return u.mapping(node, depth)
	}
	if node.ShortTag() == "!!null" {
		return nil, nil
	}
	return node.Value, nil
}

func (u *unfolding) mapping(node *yaml.Node, depth int) (any, error) {
	o := newObject()
	merged := newObject()
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, child := node.Content[i], node.Content[i+1]
		value, err := u.value(child, depth+1)
		if err != nil {
			return nil, err
		}
		if key.ShortTag() == "!!merge" {
			merged.merge(value)
			continue
		}
		o.set(key.Value, value)
	}
	o.merge(merged)
	return o, nil
}

// merge adds members of another mapping, or of a list of them, that are not
// there yet.
func (o *object) merge(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			o.merge(element)
		}
	case *object:
		for _, name := range value.names {
			if _, there := o.values[name]; !there {
				o.set(name, value.values[name])
			}
		}
	}
}
