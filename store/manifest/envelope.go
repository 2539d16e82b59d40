package manifest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

// readDocument reads one YAML document. Empty ones give nothing, and a policy
// binding with a list of accounts gives a document for each of them.
func readDocument(node *yaml.Node, file string, o Options) ([]Document, []FileProblem) {
	root := node
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		root = node.Content[0]
	}
	if root.Kind == 0 || isNull(root) {
		return nil, nil
	}
	b := &builder{options: o, doc: Document{File: file, Line: root.Line, Lines: map[string]int{}}}
	docs := b.envelope(root)
	told := slices.Clone(b.problems)
	for i := range docs {
		for _, p := range docs[i].faults() {
			if len(told) == 0 || docs[i].isFresh(p, told) {
				b.problems = append(b.problems, docs[i].problem(p.Field, p.Message))
			}
		}
	}
	if len(b.problems) > 0 {
		return nil, b.named()
	}
	return docs, nil
}

// envelope reads the four members that every document has.
func (b *builder) envelope(root *yaml.Node) []Document {
	parts := map[string]*yaml.Node{}
	for _, p := range b.pairs(root, "") {
		if !slices.Contains(envelopeMembers(), p.name) {
			b.unknown(p.key, p.name, "", envelopeMembers())
			continue
		}
		parts[p.name] = p.value
		b.doc.Lines[p.name] = p.key.Line
	}
	if root.Kind != yaml.MappingNode {
		return nil
	}
	b.version(root, parts["apiVersion"])
	b.kind(root, parts["kind"])
	if b.doc.Kind == "" {
		return nil
	}
	b.metadata(root, parts["metadata"])
	return b.spec(root, parts["spec"])
}

func envelopeMembers() []string { return []string{"apiVersion", "kind", "metadata", "spec"} }

func (b *builder) version(root, node *yaml.Node) {
	if node == nil {
		b.fault(root, "apiVersion", "must be %s", APIVersion)
		return
	}
	if text, ok := b.text(node, "apiVersion"); ok && text != APIVersion {
		b.fault(node, "apiVersion", "must be %s", APIVersion)
	}
}

func (b *builder) kind(root, node *yaml.Node) {
	if node == nil {
		b.fault(root, "kind", "must be one of %s", strings.Join(manifestKinds(), ", "))
		return
	}
	text, ok := b.text(node, "kind")
	if !ok {
		return
	}
	for _, kind := range store.Kinds() {
		if kind.ManifestKind() == text {
			b.doc.Kind = kind
			return
		}
	}
	for _, known := range manifestKinds() {
		if bare(known) == bare(text) {
			b.fault(node, "", "kind %s is not known: did you mean %s?", text, known)
			return
		}
	}
	b.fault(node, "", "kind %s is not known to this version; known kinds: %s", text, strings.Join(manifestKinds(), ", "))
}

// bare is a kind without what people vary in: case, dashes, the plural.
func bare(kind string) string {
	kind = strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(kind))
	if stem, found := strings.CutSuffix(kind, "ies"); found {
		return stem + "y"
	}
	return strings.TrimSuffix(kind, "s")
}

func (b *builder) metadata(root, node *yaml.Node) {
	if node != nil {
		out := b.object(node, reflect.TypeFor[Metadata](), "metadata")
		text, _ := json.Marshal(out)
		if err := json.Unmarshal(text, &b.doc.Metadata); err != nil {
			b.fault(node, "metadata", "is not the metadata of a record")
		}
	}
	if b.doc.Metadata.Name == "" && b.doc.Kind != store.KindPolicyBinding && len(b.problems) == 0 {
		b.fault(root, "metadata.name", "must be given: it is what the record is known by")
	}
}

func (b *builder) spec(root, node *yaml.Node) []Document {
	out := map[string]any{}
	t := reflect.TypeOf(new(store.Catalog).Of(b.doc.Kind).New().SpecValue()).Elem()
	if node != nil && !isNull(node) {
		out = b.object(node, t, "spec")
	}
	if b.doc.Kind == store.KindPolicyBinding {
		return b.policyBindings(root, out)
	}
	return []Document{b.document(out)}
}

func (b *builder) document(spec map[string]any) Document {
	doc := b.doc
	doc.Lines = maps.Clone(b.doc.Lines)
	doc.Spec, _ = json.Marshal(spec)
	return doc
}

// policyBindings makes one document for each account. The name of a binding is
// derived from its account; only where a list of accounts stands may it differ.
func (b *builder) policyBindings(root *yaml.Node, spec map[string]any) []Document {
	if len(b.accounts) == 0 {
		account, _ := spec["account"].(string)
		b.bindingName(account)
		return []Document{b.document(spec)}
	}
	if spec["account"] != nil {
		b.fault(root, "spec.accounts", "must not stand beside account: keep one of the two")
	}
	var docs []Document
	for i, account := range b.accounts {
		spec["account"] = account
		b.doc.Metadata.Name = derivedName(account)
		b.doc.Lines["spec.account"] = b.doc.Lines[accountPath(i)]
		docs = append(docs, b.document(spec))
	}
	return docs
}

func (b *builder) bindingName(account string) {
	name := derivedName(account)
	switch given := b.doc.Metadata.Name; {
	case name == "" || given == name:
	case given == "":
		b.doc.Metadata.Name = name
	default:
		at := &yaml.Node{Line: b.doc.lineOf("metadata.name")}
		b.fault(at, "metadata.name", "must be %s, which is derived from the account; or leave it out", name)
	}
}

// derivedName is empty for an account that is malformed or given by id.
func derivedName(account string) string {
	parts, err := store.ParseAccountRef(store.AccountRef(account))
	if err != nil {
		return ""
	}
	return parts.BindingName()
}
