package manifest

import (
	"errors"
	"fmt"
	"slices"

	"relay/store"
)

// inOrder yields the documents with those first that others refer to.
func (a *applying) inOrder() []*entry {
	order := store.Kinds()
	sorted := slices.Clone(a.entries)
	slices.SortStableFunc(sorted, func(x, y *entry) int {
		return slices.Index(order, x.doc.Kind) - slices.Index(order, y.doc.Kind)
	})
	return sorted
}

// create makes the records that do not exist yet, so that all documents can
// refer to them. References to records that come later stay names.
func (a *applying) create() {
	claimed := map[string]bool{}
	for _, n := range a.inOrder() {
		if n.broken {
			continue
		}
		rec, err := n.doc.record()
		if err != nil {
			a.refuse(store.CodeInvalid, n.doc.problem("spec", err.Error()))
			continue
		}
		n.before = a.find(n, rec)
		switch {
		case n.before != nil:
			n.id = n.before.Meta().ID
		case a.rule(n) == store.RuleGone:
			a.leaveGone(n)
		default:
			a.createOne(n, rec)
		}
		if claimed[n.id] {
			a.refuse(store.CodeInvalid, n.doc.problem("", "is defined twice: once by name and once by id"))
		}
		claimed[n.id] = n.id != ""
	}
}

// leaveGone leaves a record away that somebody has deleted or renamed.
func (a *applying) leaveGone(n *entry) {
	n.broken = true
	n.change = Change{Kind: n.doc.Kind, Name: n.doc.Metadata.Name, Action: ActionDrift, Note: "was deleted or renamed since: another text brings it back, or --force"}
}

func (a *applying) createOne(n *entry, rec store.AnyRecord) {
	if rec.Meta().Name == "" {
		n.broken = true
		a.refuse(store.CodeUnprocessable, n.doc.problem("spec.account", "names an account that does not exist"))
		return
	}
	a.stamp(n, rec)
	dropPassword(rec)
	if a.put(n, rec); rec.Meta().ID == "" {
		n.broken = true
		return
	}
	n.id = rec.Meta().ID
	a.setPassword(n)
	n.change = Change{Kind: n.doc.Kind, Name: rec.Meta().Name, Action: ActionCreate}
}

// find returns the stored record that a document means. A policy binding is
// known by its account, and gets the name derived from it.
func (a *applying) find(n *entry, rec store.AnyRecord) store.AnyRecord {
	c := a.editor.Catalog()
	binding, ok := rec.(*store.PolicyBinding)
	if !ok {
		return c.Of(n.doc.Kind).FindByName(n.doc.Metadata.Name)
	}
	store.ResolveRefs(c, rec)
	n.doc.Metadata.Name = store.PolicyBindingName(c, binding.Spec.Account)
	rec.Meta().Name = n.doc.Metadata.Name
	for present := range c.PolicyBindings.All() {
		if present.Spec.Account == binding.Spec.Account {
			return present
		}
	}
	return nil
}

// setPassword gives a user that has just been made its first password.
func (a *applying) setPassword(n *entry) {
	hash, given := a.options.Passwords[passwordKey(n.doc)]
	if n.doc.Kind != store.KindUser || !given || n.id == "" {
		return
	}
	if err := a.editor.SetPassword(n.id, hash); err != nil {
		a.refuse(store.CodeOf(err), n.doc.problem("spec.password", err.Error()))
	}
}

func (a *applying) stamp(n *entry, rec store.AnyRecord) {
	rec.Meta().Origin = a.origin(n)
}

func (a *applying) put(n *entry, rec store.AnyRecord) {
	err := a.editor.Put(rec)
	if err == nil {
		return
	}
	var refused *store.Error
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		a.refuse(store.CodeOf(err), n.doc.problem("", fmt.Sprintf("cannot be applied: %v", err)))
		return
	}
	for _, p := range refused.Problems {
		a.refuse(refused.Code, n.doc.problem(p.Field, p.Message))
	}
}
