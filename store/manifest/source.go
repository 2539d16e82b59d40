package manifest

import (
	"maps"
	"slices"
	"strings"

	"relay/store"
)

func (a *applying) origin(n *entry) *store.Origin {
	return &store.Origin{Kind: store.OriginFile, Source: a.options.Source, Hash: n.doc.hash()}
}

// rule says what becomes of the record of a document.
func (a *applying) rule(n *entry) store.Ruling {
	return a.editor.Catalog().Rule(store.SourceText{
		Kind: n.doc.Kind, Name: n.doc.Metadata.Name, Origin: *a.origin(n), Stored: n.before,
		Force: a.options.Force || a.options.Source == "",
	})
}

// forget removes the tombstones of what the source says no more: when it says so
// again, it says something new.
func (a *applying) forget() {
	if !a.options.Whole {
		return
	}
	said := a.said()
	for t := range a.editor.Catalog().Tombstones() {
		mine := t.Origin.Kind == store.OriginFile && t.Origin.Source == a.options.Source
		if mine && !said[keyOf(t.Kind, t.Name)] {
			a.editor.Forget(t)
		}
	}
}

// said holds the keys of all documents.
func (a *applying) said() map[string]bool {
	said := map[string]bool{}
	for _, n := range a.entries {
		said[keyOf(n.doc.Kind, n.doc.Metadata.Name)] = true
	}
	return said
}

func keyOf(kind store.Kind, name string) string { return string(kind) + " " + strings.ToLower(name) }

// prune deletes what the source has written and says no more, those first that
// refer to others. It leaves no tombstones: nobody has deleted it against the
// source.
func (a *applying) prune() ([]Change, error) {
	if len(a.options.Prune) == 0 {
		return nil, nil
	}
	var changes []Change
	for _, rec := range a.unsaid() {
		if err := a.editor.Delete(rec.Kind(), rec.Meta().ID); err != nil {
			return nil, err
		}
		a.editor.Forget(store.Tombstone{Kind: rec.Kind(), Name: rec.Meta().Name, Origin: *rec.Meta().Origin})
		changes = append(changes, Change{Kind: rec.Kind(), Name: rec.Meta().Name, Action: ActionDelete})
	}
	return changes, nil
}

func (a *applying) unsaid() []store.AnyRecord {
	said, c := a.said(), a.editor.Catalog()
	source := &store.Origin{Kind: store.OriginFile, Source: a.options.Source}
	var found []store.AnyRecord
	for _, kind := range slices.Backward(store.Kinds()) {
		for rec := range c.Of(kind).Each() {
			m := rec.Meta()
			if m.Origin.SameSource(source) && labelled(m.Labels, a.options.Prune) && !said[keyOf(kind, m.Name)] {
				found = append(found, rec)
			}
		}
	}
	return unreferredFirst(c, found)
}

func labelled(labels, selector map[string]string) bool {
	for name, value := range selector {
		if present, has := labels[name]; !has || present != value {
			return false
		}
	}
	return true
}

// unreferredFirst sorts records so that each comes before those that it refers
// to, as far as there is such an order.
func unreferredFirst(c *store.Catalog, records []store.AnyRecord) []store.AnyRecord {
	left := map[string]store.AnyRecord{}
	for _, rec := range records {
		left[rec.Meta().ID] = rec
	}
	var sorted []store.AnyRecord
	for len(left) > 0 {
		free := slices.DeleteFunc(slices.Clone(records), func(rec store.AnyRecord) bool {
			return left[rec.Meta().ID] == nil || referredBy(c, rec, left)
		})
		if len(free) == 0 {
			free = slices.Collect(maps.Values(left)) // a circle, which the deletion names
		}
		for _, rec := range free {
			delete(left, rec.Meta().ID)
		}
		sorted = append(sorted, free...)
	}
	return sorted
}

func referredBy(c *store.Catalog, rec store.AnyRecord, others map[string]store.AnyRecord) bool {
	return slices.ContainsFunc(store.References(c, rec.Kind(), rec.Meta().ID), func(user store.AnyRecord) bool {
		return user.Meta().ID != rec.Meta().ID && others[user.Meta().ID] != nil
	})
}
