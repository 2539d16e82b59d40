package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

// findConfigFile returns the file of --config, or the first of the usual
// places that has one, or "".
func findConfigFile(given string, env Environment) (string, error) {
	if given != "" {
		given = env.expandHome(given)
		if _, err := os.Stat(given); err != nil {
			return "", faultf("read configuration: %v", err)
		}
		return given, nil
	}
	for _, place := range configPlaces(env) {
		if _, err := os.Stat(place); err == nil {
			return place, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", faultf("read configuration: %v", err)
		}
	}
	return "", nil
}

// configPlaces lists where a configuration is looked for, in this order.
func configPlaces(env Environment) []string {
	places := []string{"relay.yaml"}
	if dir := env.configHome(); dir != "" {
		places = append(places, filepath.Join(dir, "relay", "relay.yaml"))
	}
	return append(places, "/etc/relay/relay.yaml")
}

// readConfigFile reads the settings of a file; "" is no file.
func readConfigFile(path string, leaves []configLeaf, env Environment) (settings, []string) {
	if path == "" {
		return settings{}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, []string{fmt.Sprintf("read configuration: %v", err)}
	}
	root, err := parseYAML(text)
	if err != nil {
		return nil, []string{fmt.Sprintf("%s: %v", path, err)}
	}
	reader := configReader{path: path, env: env, keys: map[string]configLeaf{}, found: settings{}}
	for _, leaf := range leaves {
		reader.keys[leaf.key] = leaf
	}
	if root != nil {
		reader.section(root, "")
	}
	return reader.found, reader.faults
}

// parseYAML returns the root of the only document, or nil for an empty one.
func parseYAML(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("holds more than one YAML document; manifests are for relay apply -f")
	}
	if root := document.Content[0]; !isNull(root) {
		return root, nil
	}
	return nil, nil
}

// configReader walks a file and collects its settings and faults.
type configReader struct {
	path   string
	env    Environment
	keys   map[string]configLeaf
	found  settings
	faults []string
}

func (r *configReader) section(node *yaml.Node, prefix string) {
	if node = resolveAlias(node); isNull(node) {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.fault(node, strings.TrimSuffix(prefix, "."), "must be a section with keys of its own")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		key := prefix + name.Value
		if seen[key] {
			r.fault(name, key, "written twice")
			continue
		}
		seen[key] = true
		r.entry(name, value, key)
	}
}

func (r *configReader) entry(name, value *yaml.Node, key string) {
	leaf, known := r.keys[key]
	switch {
	case known && strings.Contains(name.Value, "."):
		r.fault(name, key, "dots do not nest here; write "+dotless(name.Value))
	case known:
		r.value(resolveAlias(value), leaf)
	case r.isSection(key):
		r.section(value, key+".")
	default:
		r.fault(name, key, r.unknown(key))
	}
}

// dotless writes "a.b" as a section does: "b under a:".
func dotless(key string) string {
	section, name, _ := strings.Cut(key, ".")
	return name + " under " + section + ":"
}

func (r *configReader) isSection(key string) bool {
	for known := range r.keys {
		if strings.HasPrefix(known, key+".") {
			return true
		}
	}
	return false
}

func (r *configReader) unknown(key string) string {
	if key == "apiVersion" {
		return "not a key of the configuration; this looks like a manifest, which relay apply -f takes: " + r.path
	}
	names := make([]string, 0, 2*len(r.keys))
	for known := range r.keys {
		names = append(names, known)
		if section, _, nested := strings.Cut(known, "."); nested {
			names = append(names, section)
		}
	}
	slices.Sort(names)
	if near := store.Nearest(key, names); near != "" {
		return fmt.Sprintf("not a key of the configuration; did you mean %s?", near)
	}
	return "not a key of the configuration; relay.example.yaml lists them all"
}

func (r *configReader) value(node *yaml.Node, leaf configLeaf) {
	_, list := leaf.value.([]string)
	switch {
	case isNull(node):
		r.fault(node, leaf.key, "no value; write one or leave the key out")
	case node.Kind == yaml.ScalarNode:
		r.scalar(node, leaf)
	case node.Kind == yaml.SequenceNode && list:
		r.list(node, leaf)
	default:
		r.fault(node, leaf.key, "must be one value")
	}
}

func (r *configReader) scalar(node *yaml.Node, leaf configLeaf) {
	text, err := expand(node.Value, r.env)
	if err == nil {
		_, err = leaf.parse(text)
	}
	if err != nil {
		r.fault(node, leaf.key, err.Error())
		return
	}
	r.found[leaf.key] = setting{text, r.at(node)}
}

func (r *configReader) list(node *yaml.Node, leaf configLeaf) {
	texts := []string{}
	for i, element := range node.Content {
		key := fmt.Sprintf("%s[%d]", leaf.key, i)
		if element = resolveAlias(element); element.Kind != yaml.ScalarNode || isNull(element) {
			r.fault(element, key, "must be one value")
			continue
		}
		text, err := expand(element.Value, r.env)
		if err != nil {
			r.fault(element, key, err.Error())
			continue
		}
		texts = append(texts, text)
	}
	r.found[leaf.key] = setting{texts, r.at(node)}
}

func (r *configReader) at(node *yaml.Node) string {
	return fmt.Sprintf("%s line %d", r.path, node.Line)
}

func (r *configReader) fault(node *yaml.Node, key, what string) {
	r.faults = append(r.faults, fmt.Sprintf("%s: %s (%s)", cmp.Or(key, "the file"), what, r.at(node)))
}

func resolveAlias(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == "!!null"
}
