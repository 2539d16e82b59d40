package manifest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"relay/store"
)

// update resolves the references of every document and writes what differs. A
// reference may go through an alias that another document adds, so documents
// with unknown names get another turn as long as that helps.
func (a *applying) update() {
	waiting := slices.DeleteFunc(a.inOrder(), func(n *entry) bool { return n.broken })
	for {
		var failed []*entry
		var problems []FileProblem
		for _, n := range waiting {
			if faults := a.updateOne(n); len(faults) > 0 {
				failed, problems = append(failed, n), append(problems, faults...)
			}
		}
		if len(failed) == 0 || len(failed) == len(waiting) {
			for _, n := range failed {
				n.broken = true
			}
			for _, p := range problems {
				a.refuse(store.CodeUnprocessable, p)
			}
			return
		}
		waiting = failed
	}
}

func (a *applying) updateOne(n *entry) []FileProblem {
	rec, err := n.doc.record()
	if err != nil {
		return []FileProblem{n.doc.problem("spec", err.Error())}
	}
	var problems []FileProblem
	for _, p := range store.ResolveRefs(a.editor.Catalog(), rec) {
		problems = append(problems, n.doc.problem(p.Field, p.Message))
	}
	switch {
	case len(problems) > 0 && n.before != nil && a.rule(n) == store.RuleDrift:
		n.change = Change{Kind: n.doc.Kind, Name: rec.Meta().Name, Action: ActionDrift, Note: "refers to what was deleted since"}
		return nil
	case len(problems) > 0:
		return problems
	}
	rec.Meta().ID = n.id
	a.stamp(n, rec)
	dropPassword(rec)
	if n.before == nil {
		a.finish(n, rec)
		return nil
	}
	keep(n, rec)
	n.change = Change{Kind: n.doc.Kind, Name: rec.Meta().Name, Action: ActionUpdate, Members: differences(n.before, rec)}
	a.decide(n, rec)
	return nil
}

// finish puts a created record once more when it had to wait for a name.
func (a *applying) finish(n *entry, rec store.AnyRecord) {
	created := a.editor.Catalog().Of(n.doc.Kind).Find(n.id)
	keepSet(created, rec)
	if len(differences(created, rec)) > 0 {
		a.put(n, rec)
	}
}

// decide writes a record that differs, unless its source has not changed. One
// that does not differ is written where its source is to be known by it.
func (a *applying) decide(n *entry, rec store.AnyRecord) {
	former, origin := n.before.Meta().Origin, rec.Meta().Origin
	switch {
	case len(n.change.Members) == 0:
		n.change.Action = ActionUnchanged
		ours := former.SameSource(origin)
		if ours && former.Hash != origin.Hash && a.options.Source != "" || !ours && a.options.Whole {
			a.put(n, rec)
		}
	case a.rule(n) == store.RuleDrift:
		n.change.Action = ActionDrift
	default:
		a.put(n, rec)
	}
}

// keep takes over from the stored record what a document does not decide.
func keep(n *entry, rec store.AnyRecord) {
	if rec.Meta().Owner == nil {
		rec.Meta().Owner = n.before.Meta().Owner
	}
	switch spec := rec.SpecValue().(type) {
	case *store.HostKeySpec:
		keepValue(n.doc, n.before.SpecValue().(*store.HostKeySpec), spec)
	case *store.RelayKeySpec:
		keepSecret(n.before.SpecValue().(*store.RelayKeySpec), spec)
	case *store.AdminTokenSpec:
		keepToken(n.before.SpecValue().(*store.AdminTokenSpec), spec)
	}
	keepSet(n.before, rec)
}

// keepSet takes over what only the server sets.
func keepSet(before, rec store.AnyRecord) {
	switch spec := rec.SpecValue().(type) {
	case *store.UserSpec:
		had := before.SpecValue().(*store.UserSpec)
		spec.HasPassword, spec.TokenVersion, spec.Identity, spec.Groups = had.HasPassword, had.TokenVersion, had.Identity, had.Groups
	case *store.SettingSpec:
		spec.HasSecret = before.SpecValue().(*store.SettingSpec).HasSecret
	}
}

// keepToken is keepSecret for an admin token.
func keepToken(before, spec *store.AdminTokenSpec) {
	if spec.RevokedAt == nil {
		spec.RevokedAt = before.RevokedAt
	}
	if spec.TokenHash == before.TokenHash && spec.Prefix == "" {
		spec.Prefix = before.Prefix
	}
}

func keepValue(doc *Document, before, spec *store.HostKeySpec) {
	if before.Source.Kind == "stored" && (doc.KeepStored || spec.Source.Kind == "stored") {
		spec.Source, spec.ValueHint, spec.ValueHash = before.Source, before.ValueHint, before.ValueHash
	}
}

// keepSecret keeps what is known about a secret while the key has it. A revoked
// key stays revoked whatever secret it gets.
func keepSecret(before, spec *store.RelayKeySpec) {
	if spec.RevokedAt == nil {
		spec.RevokedAt = before.RevokedAt
	}
	if spec.KeyHash != before.KeyHash {
		return
	}
	if spec.Prefix == "" {
		spec.Prefix = before.Prefix
	}
	if spec.PreviousHash == "" {
		spec.PreviousHash, spec.PreviousUntil = before.PreviousHash, before.PreviousUntil
	}
}

// differences lists the JSON paths of the members in which two records differ,
// as far as documents decide on them.
func differences(before, after store.AnyRecord) []string {
	was, is := describe(before), describe(after)
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(merged(was, is))) {
		if !reflect.DeepEqual(was[path], is[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// describe maps the paths of the members that documents decide on to values
// that compare. Switched on is the same as not said.
func describe(rec store.AnyRecord) map[string]any {
	m := rec.Meta()
	out := plainMembers("metadata.", Metadata{m.Name, m.DisplayName, m.Description, m.Labels, m.Annotations, m.Owner})
	maps.Copy(out, plainMembers("spec.", rec.SpecValue()))
	if out["spec.enabled"] == true {
		delete(out, "spec.enabled")
	}
	return out
}

func plainMembers(prefix string, v any) map[string]any {
	text, _ := json.Marshal(v)
	members := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&members)
	out := make(map[string]any, len(members))
	for name, value := range members {
		out[prefix+name] = value
	}
	return out
}
