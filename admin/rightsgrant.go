package admin

import "relay/store"

// outranks refuses a change of a record by which somebody gets, or has, more
// rights than the caller: nobody hands out more than that, and nobody takes
// over another who may do more.
func (w *writing) outranks(rec store.AnyRecord) error {
	c := w.catalogOf(rec)
	grants := conferred(c, rec)
	if len(grants) == 0 || w.access(w.base).Covers(c, grants) {
		return nil
	}
	return denied("the %s carries more rights than you have", rec.Kind())
}

// conferred returns the rights that whoever holds the record has by it.
func conferred(c *store.Catalog, rec store.AnyRecord) []store.Grant {
	switch rec := rec.(type) {
	case *store.Role:
		return []store.Grant{{Role: rec, Scope: store.System()}}
	case *store.RoleBinding:
		if role := c.Roles.Get(rec.Spec.RoleID); role != nil {
			return []store.Grant{{Role: role, Scope: rec.Spec.Scope}}
		}
	case *store.AdminToken:
		return c.GrantsOfToken(&rec.Spec)
	case *store.Group:
		return c.AccessOfGroup(rec.Metadata.ID).Grants()
	case *store.User:
		enabled := *rec
		enabled.Spec.Disabled = false
		return c.AccessOfUser(&enabled).Grants()
	}
	return nil
}

// catalogOf returns the catalog that the record is in.
func (w *writing) catalogOf(rec store.AnyRecord) *store.Catalog {
	if w.next.Of(rec.Kind()).Find(rec.Meta().ID) == rec {
		return w.next
	}
	return w.base
}

// mayRefer refuses references to what the caller may not see, in the words for
// what does not exist, and accounts that are not the caller's to charge.
func (w *writing) mayRefer(before, after store.AnyRecord) error {
	known := map[store.RefTarget]bool{}
	if before != nil {
		for _, t := range store.Targets(before) {
			known[store.RefTarget{Kind: t.Kind, ID: t.ID}] = true
		}
	}
	var problems []store.Problem
	for _, t := range store.Targets(after) {
		rec := recordAt(w.next, t)
		made := rec != nil && recordAt(w.base, t) == nil
		if rec == nil || made || known[store.RefTarget{Kind: t.Kind, ID: t.ID}] || w.sees(w.base, rec) {
			continue
		}
		problems = append(problems, store.Problem{Kind: after.Kind(), Field: t.Path, Message: "no " + string(t.Kind) + " has this name"})
	}
	if len(problems) > 0 {
		return unprocessable(problems...)
	}
	return w.mayCharge(before, after)
}

func recordAt(c *store.Catalog, t store.RefTarget) store.AnyRecord {
	if table := c.Of(t.Kind); table != nil {
		return table.Find(t.ID)
	}
	return nil
}

// mayCharge refuses to let a key run in an account in which the caller could not
// make one.
func (w *writing) mayCharge(before, after store.AnyRecord) error {
	key, ok := after.(*store.RelayKey)
	if !ok || key.Spec.Account == "" {
		return nil
	}
	if former, ok := before.(*store.RelayKey); ok && former.Spec.Account == key.Spec.Account {
		return nil
	}
	if w.access(w.base).Allows(store.KindRelayKey.Plural(), store.VerbCreate, w.next.ScopesOfAccount(key.Spec.Account)...) {
		return nil
	}
	p := forbidden(string(store.VerbCreate), store.KindRelayKey.Plural())
	p.Errors = []store.Problem{{Field: "spec.account", Message: "is not an account in which you may make keys"}}
	return p
}
