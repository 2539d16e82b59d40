package catalogdata

import (
	"fmt"
	"maps"
	"strings"

	"relay/store"
)

// Editor is where Apply puts records: a store.Edit, or a store.Draft.
type Editor interface {
	Catalog() *store.Catalog
	Put(rec store.AnyRecord) error
}

// What Apply does with a row.
const (
	ActionCreate    = "create"
	ActionUpdate    = "update"    // the record was as it had been written, and the row has changed since
	ActionUnchanged = "unchanged" // the record says what the row says
	ActionDrift     = "drift"     // left alone: edited, and the row has not changed since
	ActionKept      = "kept"      // left alone: edited, though the row has changed since
	ActionForeign   = "foreign"   // left alone: the name belongs to a record of somebody else
	ActionAbsent    = "absent"    // not made: deleted or renamed and not changed since, or what it needs is not there
)

// Change is what Apply did with one row.
type Change struct {
	Kind   store.Kind `json:"kind"`
	Name   string     `json:"name"`
	Action string     `json:"action"`
}

// Changes are in the order of the rows.
type Changes []Change

// Of returns the changes with the action.
func (c Changes) Of(action string) Changes {
	var found Changes
	for _, change := range c {
		if change.Action == action {
			found = append(found, change)
		}
	}
	return found
}

// Apply writes the rows that are new, and those that have changed since they
// were written and that nobody has edited, by the rule of store.Catalog.Rule. A
// record that somebody has deleted stays away until its row changes. Records are
// matched by name, bindings by model and host. A second Apply changes nothing.
func (d *Data) Apply(e Editor) (Changes, error) {
	rows := d.rows()
	a := newApplying(e)
	changes := make(Changes, 0, len(rows))
	for i := range rows {
		name := rows[i].rec.Meta().Name
		action, err := a.place(&rows[i])
		if err != nil {
			return nil, fmt.Errorf("write %s %s of the catalogue: %w", rows[i].rec.Kind(), name, err)
		}
		changes = append(changes, Change{Kind: rows[i].rec.Kind(), Name: name, Action: action})
	}
	return changes, nil
}

type applying struct {
	editor   Editor
	bindings map[[2]string]store.AnyRecord // by ids of model and host
}

func newApplying(e Editor) *applying {
	a := &applying{editor: e, bindings: map[[2]string]store.AnyRecord{}}
	for b := range e.Catalog().HostBindings.All() {
		a.bindings[[2]string{b.Spec.ModelID, b.Spec.HostID}] = b
	}
	return a
}

// find returns the stored record that a row means. A binding is also found by
// its name, which another pair may have taken.
func (a *applying) find(rec store.AnyRecord) store.AnyRecord {
	c := a.editor.Catalog()
	if b, ok := rec.(*store.HostBinding); ok {
		pair := [2]string{idOf(c, store.KindModel, b.Spec.ModelID), idOf(c, store.KindHost, b.Spec.HostID)}
		if bound := a.bindings[pair]; bound != nil {
			return bound
		}
	}
	return c.Of(rec.Kind()).FindByName(rec.Meta().Name)
}

func (a *applying) place(r *row) (action string, err error) {
	stored := a.find(r.rec)
	if stored != nil && !ours(stored) {
		return ActionForeign, nil
	}
	if stored != nil {
		return a.refresh(r, stored)
	}
	if a.rule(r, nil, "") == store.RuleGone || !a.meets(r.needs) {
		return ActionAbsent, nil
	}
	return ActionCreate, a.put(r.rec, originOf(r.rec))
}

// rule says what becomes of the record of a row, of which now is the hash.
func (a *applying) rule(r *row, stored store.AnyRecord, now string) store.Ruling {
	edited := stored != nil && stored.Meta().Origin.Hash != now
	return a.editor.Catalog().Rule(store.SourceText{
		Kind: r.rec.Kind(), Name: r.rec.Meta().Name, Origin: *originOf(r.rec), Stored: stored, Edited: edited,
	})
}

// meets reports whether all that a row needs is there. A host and its prices
// must be the catalogue's: somebody else's host of the name may be anything.
func (a *applying) meets(needs []need) bool {
	for _, n := range needs {
		rec := a.editor.Catalog().Of(n.kind).FindByName(n.name)
		shipped := n.kind == store.KindHost || n.kind == store.KindPricing
		if rec == nil || shipped && !ours(rec) {
			return false
		}
	}
	return true
}

func (a *applying) refresh(r *row, stored store.AnyRecord) (action string, err error) {
	now, err := store.NamedSpecHash(a.editor.Catalog(), stored)
	if err != nil {
		return "", err
	}
	written, text := stored.Meta().Origin.Hash, originOf(r.rec)
	ruling := a.rule(r, stored, now)
	switch {
	case now == text.Hash && written == text.Hash:
		return ActionUnchanged, nil
	case now == text.Hash: // a user has been faster: from here on it is the catalogue's again
		return ActionUnchanged, a.rewrite(r.rec, stored, text)
	case ruling == store.RuleWrite && a.meets(r.needs):
		return ActionUpdate, a.rewrite(r.rec, stored, text)
	case written == text.Hash:
		return ActionDrift, nil
	}
	return ActionKept, nil
}

// rewrite puts the row in the place of the stored record, whose metadata stays
// but for what belongs to the catalogue.
func (a *applying) rewrite(rec, stored store.AnyRecord, origin *store.Origin) error {
	m := *stored.Meta()
	m.Annotations = maps.Clone(m.Annotations)
	maps.DeleteFunc(m.Annotations, func(key, _ string) bool { return strings.HasPrefix(key, AnnotationPrefix) })
	for key, value := range rec.Meta().Annotations {
		if m.Annotations == nil {
			m.Annotations = map[string]string{}
		}
		m.Annotations[key] = value
	}
	if m.Owner != nil {
		owner := *m.Owner // the stored one is shared, and Put resolves references in place
		m.Owner = &owner
	}
	*rec.Meta() = m
	return a.put(rec, origin)
}

func (a *applying) put(rec store.AnyRecord, origin *store.Origin) error {
	rec.Meta().Origin = origin
	link(a.editor.Catalog(), rec)
	return a.editor.Put(rec)
}

// link puts ids in the place of the names in references. It takes names as they
// are: an alias that a user has made leads nowhere from here.
func link(c *store.Catalog, rec store.AnyRecord) {
	switch spec := rec.SpecValue().(type) {
	case *store.ModelSpec:
		spec.ProviderID = idOf(c, store.KindProvider, spec.ProviderID)
	case *store.HostBindingSpec:
		spec.ModelID = idOf(c, store.KindModel, spec.ModelID)
		spec.HostID = idOf(c, store.KindHost, spec.HostID)
		spec.PricingID = idOf(c, store.KindPricing, spec.PricingID)
	}
}

// idOf returns the id of the record of the name, or "".
func idOf(c *store.Catalog, kind store.Kind, name string) string {
	if rec := c.Of(kind).FindByName(name); rec != nil {
		return rec.Meta().ID
	}
	return ""
}
