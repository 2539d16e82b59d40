package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

// Export writes every record of the catalog as a manifest: kinds in the order
// in which they refer to each other, records by name, names for references, no
// ids, no times of change, nothing that the server sets. The same catalog gives
// the same text. Values of stored host keys are left out; see the package.
func Export(c *store.Catalog, w io.Writer) error {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	written := 0
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			node, err := document(c, rec)
			if err == nil {
				err = encoder.Encode(node)
			}
			if err != nil {
				return fmt.Errorf("write %s %s: %w", kind, rec.Meta().Name, err)
			}
			written++
		}
	}
	if written == 0 {
		return nil // an encoder that has written nothing cannot be closed
	}
	if err := encoder.Close(); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return nil
}

func document(c *store.Catalog, shared store.AnyRecord) (*yaml.Node, error) {
	rec, err := named(c, shared)
	if err != nil {
		return nil, err
	}
	m := rec.Meta()
	metadata := Metadata{m.Name, m.DisplayName, m.Description, m.Labels, m.Annotations, m.Owner}
	return mapping(
		"apiVersion", textNode(APIVersion),
		"kind", textNode(rec.Kind().ManifestKind()),
		"metadata", writeObject(reflect.ValueOf(metadata)),
		"spec", writeSpec(rec),
	), nil
}

// named copies a record, with names in the place of ids.
func named(c *store.Catalog, shared store.AnyRecord) (store.AnyRecord, error) {
	text, err := json.Marshal(shared)
	if err != nil {
		return nil, err
	}
	rec := c.Of(shared.Kind()).New()
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, err
	}
	store.NameRefs(c, rec)
	if binding, ok := rec.(*store.PolicyBinding); ok {
		rec.Meta().Name = cmp.Or(derivedName(string(binding.Spec.Account)), rec.Meta().Name)
	}
	return rec, nil
}

func writeSpec(rec store.AnyRecord) *yaml.Node {
	spec := writeObject(reflect.ValueOf(rec.SpecValue()).Elem())
	if key, ok := rec.(*store.HostKey); ok && key.Spec.Source.Kind == "stored" {
		replace(spec, "source", standIn(key.Metadata.Name))
	}
	return spec
}

func replace(object *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			object.Content[i+1] = value
		}
	}
}

func mapping(pairs ...any) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		node.Content = append(node.Content, textNode(pairs[i].(string)), pairs[i+1].(*yaml.Node))
	}
	return node
}

// standIn is the source of a host key whose value is not written.
func standIn(name string) *yaml.Node {
	variable := VariableFor(name)
	node := mapping("kind", textNode("env"), "env", textNode(variable), "insteadOf", textNode("stored"))
	node.Style = yaml.FlowStyle
	node.LineComment = "the stored value is not exported"
	return node
}

// VariableFor names an environment variable after a record. No two names give
// the same one.
func VariableFor(name string) string {
	variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if variable != "" && variable[0] >= '0' && variable[0] <= '9' {
		return "_" + variable
	}
	return variable
}
