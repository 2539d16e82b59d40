package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"relay/limiter"
	"relay/store"
)

// ownForm returns how values of the type are read that have a form of their own
// in manifests, or nil.
func (b *builder) ownForm(t reflect.Type) func(*yaml.Node, string) (any, bool) {
	switch t {
	case reflect.TypeFor[store.Duration]():
		return b.duration
	case reflect.TypeFor[store.Ref]():
		return b.ref
	case reflect.TypeFor[store.Fallback]():
		return b.fallback
	case reflect.TypeFor[time.Time]():
		return b.timestamp
	case reflect.TypeFor[json.RawMessage]():
		return b.anything
	}
	return nil
}

// special reads the members that only manifests have, or that have another form
// there. It returns false for all others.
func (b *builder) special(t reflect.Type, p pair, path string, out map[string]any) bool {
	at := path + "." + p.name
	switch {
	case t == reflect.TypeFor[limiter.Rule]() && p.name == "window":
		b.put(out, "window", p, at, b.window)
	case t == reflect.TypeFor[store.HostBindingSpec]() && p.name == "shape":
		b.shape(p, path, out)
	case t == reflect.TypeFor[store.HostBindingSpec]() && p.name == "shapes" && out["shapes"] != nil:
		b.fault(p.key, at, "must not stand beside shape: keep one of the two")
	case t == reflect.TypeFor[store.PolicyBindingSpec]() && p.name == "accounts":
		b.accountList(p, path)
	case hashMember(t) != "" && p.name == "source":
		b.secret(p, path, hashMember(t), out)
	case hashMember(t) != "" && p.name == hashMember(t) && out[p.name] != nil:
		b.fault(p.key, at, "must not stand beside source: keep one of the two")
	case t == reflect.TypeFor[store.UserSpec]() && p.name == "passwordFrom":
		b.password(p, path, out)
	case t == reflect.TypeFor[store.KeySource]() && p.name == "insteadOf":
		b.insteadOf(p, at)
	case t == reflect.TypeFor[store.KeySource]() && p.name == "kind":
		b.put(out, "kind", p, at, b.sourceKind)
	default:
		return false
	}
	return true
}

// specialNames lists the members that only manifests have.
func specialNames(path string, kind store.Kind) []string {
	switch {
	case path == "spec" && kind == store.KindHostBinding:
		return []string{"shape"}
	case path == "spec" && kind == store.KindPolicyBinding:
		return []string{"accounts"}
	case path == "spec" && (kind == store.KindRelayKey || kind == store.KindAdminToken):
		return []string{"source"}
	case path == "spec" && kind == store.KindUser:
		return []string{"passwordFrom"}
	case path == "spec.source":
		return []string{"insteadOf"}
	}
	return nil
}

func (b *builder) put(out map[string]any, name string, p pair, at string, read func(*yaml.Node, string) (any, bool)) {
	b.doc.Lines[at] = p.key.Line
	if value, ok := read(p.value, at); ok {
		out[name] = value
	}
}

func (b *builder) shape(p pair, path string, out map[string]any) {
	if out["shapes"] != nil {
		b.fault(p.key, path+".shape", "must not stand beside shapes: keep one of the two")
		return
	}
	b.doc.Lines[path+".shapes"] = p.key.Line
	if text, ok := b.text(p.value, path+".shape"); ok {
		out["shapes"] = []any{text}
	}
}

func accountPath(i int) string { return fmt.Sprintf("spec.accounts[%d]", i) }

func (b *builder) accountList(p pair, path string) {
	b.doc.Lines[path+".accounts"] = p.key.Line
	list, _ := b.value(p.value, reflect.TypeFor[[]string](), path+".accounts")
	accounts, _ := list.([]any)
	for _, account := range accounts {
		if text, ok := account.(string); ok {
			b.accounts = append(b.accounts, text)
		}
	}
	if len(b.accounts) == 0 {
		b.fault(p.key, path+".accounts", "must name at least one account, such as team:NAME")
	}
}

// sourceKind refuses what only the API can do: a value cannot stand in a file.
func (b *builder) sourceKind(node *yaml.Node, path string) (any, bool) {
	text, ok := b.text(node, path)
	if ok && text == "stored" {
		b.fault(node, path, "must be env or file: a file holds no values. To keep a value that is stored already add insteadOf: stored")
		return nil, false
	}
	return text, ok
}

func (b *builder) insteadOf(p pair, at string) {
	text, ok := b.text(p.value, at)
	if ok && text != "stored" {
		b.fault(p.value, at, "must be stored, or be left out")
	}
	b.doc.KeepStored = ok
}

// ref reads {kind, name}, or the same as kind:name.
func (b *builder) ref(node *yaml.Node, path string) (any, bool) {
	b.doc.Lines[path+".id"] = node.Line
	if node.Kind == yaml.ScalarNode {
		text, ok := b.text(node, path)
		kind, name, _ := strings.Cut(text, ":")
		return refOf(kind, name), ok
	}
	parts := b.object(node, reflect.TypeFor[struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	}](), path)
	kind, _ := parts["kind"].(string)
	name, _ := parts["name"].(string)
	return refOf(kind, name), true
}

func refOf(kind, name string) map[string]any {
	ref := map[string]any{"kind": kind}
	if name != "" {
		ref["id"] = name
	}
	return ref
}

// fallback reads {model, weight}, or the model alone.
func (b *builder) fallback(node *yaml.Node, path string) (any, bool) {
	if node.Kind != yaml.ScalarNode {
		return b.object(node, reflect.TypeFor[store.Fallback](), path), true
	}
	text, ok := b.text(node, path)
	return map[string]any{"modelId": text}, ok
}
