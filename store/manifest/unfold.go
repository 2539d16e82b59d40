package manifest

import "go.yaml.in/yaml/v3"

// Bounds of one document, against files that are small and unfold to a lot.
const (
	maxDepth   = 40
	maxAliased = 10_000 // nodes reached through aliases
)

// enter counts how deep and how far through aliases the reading goes.
func (b *builder) enter(node *yaml.Node, path string) bool {
	if b.depth == maxDepth {
		b.fault(node, path, "is nested too deeply")
		return false
	}
	if b.inAlias > 0 || node.Kind == yaml.AliasNode {
		b.aliased++
	}
	if b.aliased > maxAliased {
		if b.aliased == maxAliased+1 {
			b.fault(node, path, "unfolds to too much through aliases: write it out")
		}
		b.aliased = maxAliased + 2
		return false
	}
	b.depth++
	if node.Kind == yaml.AliasNode {
		b.inAlias++
	}
	return true
}

func (b *builder) leave(node *yaml.Node) {
	b.depth--
	if node.Kind == yaml.AliasNode {
		b.inAlias--
	}
}

// target follows an alias to what it stands for.
func (b *builder) target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}
