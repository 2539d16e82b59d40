package admin

import "relay/store"

// A found record is one that discovery has a text of. What people do with it
// stays, by the rule of store.Catalog.Rule: deleted ones do not come back, and
// edited ones are left as they are.

// welcome reports whether discovery may make a record that is not there: not
// when somebody has deleted it and it would be the same again.
func welcome(c *store.Catalog, rec store.AnyRecord) bool {
	m := rec.Meta()
	return c.Rule(store.SourceText{Kind: rec.Kind(), Name: m.Name, Origin: *m.Origin}) == store.RuleCreate
}

// signed puts the hash of a record into its origin.
func signed[S any](c *store.Catalog, rec *store.Record[S]) *store.Record[S] {
	if hash, err := store.OwnSpecHash(c, rec); err == nil {
		rec.Metadata.Origin.Hash = hash
	}
	return rec
}

// untouched reports whether a discovered record is as discovery has written it.
func untouched(c *store.Catalog, rec store.AnyRecord) bool {
	hash, err := store.OwnSpecHash(c, rec)
	written := rec.Meta().Origin.Hash
	return err == nil && (written == "" || written == hash)
}

// welcomeNames leaves out the listed models that somebody has deleted, or whose
// bindings to the host.
func (b binder) welcomeNames(listed []string) []string {
	var names []string
	for _, name := range listed {
		if b.isWelcome(name) {
			names = append(names, name)
		}
	}
	return names
}

func (b binder) isWelcome(name string) bool {
	c := b.edit.Catalog()
	model := knownModel(c, name)
	if model == nil {
		return welcome(c, b.discovered(name))
	}
	return bindingOf(c, model.Metadata.ID, b.host.Metadata.ID) != nil || welcome(c, b.binding(model, name))
}
