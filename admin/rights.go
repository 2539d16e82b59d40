package admin

import (
	"slices"

	"relay/store"
)

// sees reports whether the caller may know of a record.
func (k *errand) sees(c *store.Catalog, rec store.AnyRecord) bool {
	return k.mayRow(c, rec, store.VerbGet) || k.mayRow(c, rec, store.VerbList)
}

// mayRow reports whether the caller may do the verb to a record as it is.
func (k *errand) mayRow(c *store.Catalog, rec store.AnyRecord, verb store.Verb) bool {
	access, kind := k.access(c), rec.Kind().Plural()
	if access.Allows(kind, verb, scopesFor(c, rec, verb)...) {
		return true
	}
	return reads(verb) && isShared(c, rec) && access.AllowsAnywhere(kind, verb) || k.mayOwn(c, rec, verb)
}

func reads(verb store.Verb) bool { return verb == store.VerbGet || verb == store.VerbList }

// scopesFor returns the scopes in which a grant of the verb reaches the record.
// Whoever keeps an organization, team or project may see and rename it; that it
// exists and what it is bound to is decided around it.
func scopesFor(c *store.Catalog, rec store.AnyRecord, verb store.Verb) []store.Ref {
	switch {
	case reads(verb):
		return c.ScopesOf(rec)
	case verb == store.VerbUpdate && rec.Kind() != store.KindPolicyBinding:
		return c.ScopesOf(rec)
	}
	return scopesAround(c, rec)
}

// scopesAround returns the scopes that a record is in, without the one that it
// is or governs itself.
func scopesAround(c *store.Catalog, rec store.AnyRecord) []store.Ref {
	scopes := c.ScopesOf(rec)
	if len(scopes) > 1 && governsItsScope(rec) {
		return scopes[1:]
	}
	return scopes
}

func governsItsScope(rec store.AnyRecord) bool {
	switch rec := rec.(type) {
	case *store.Organization, *store.Team, *store.Project:
		return true
	case *store.PolicyBinding:
		parts, err := store.ParseAccountRef(rec.Spec.Account)
		return err == nil && slices.Contains([]store.Kind{store.KindOrganization, store.KindTeam, store.KindProject}, parts.Kind)
	}
	return false
}

// isShared reports whether a record is of what everybody with a role somewhere
// may need to see: the catalog, the policies of nobody in particular, and who
// else is there.
func isShared(c *store.Catalog, rec store.AnyRecord) bool {
	kinds := []store.Kind{
		store.KindProvider, store.KindModel, store.KindHost, store.KindHostBinding, store.KindPricing,
		store.KindPolicy, store.KindRateLimit, store.KindUser, store.KindGroup, store.KindRole,
	}
	return slices.Contains(kinds, rec.Kind()) && len(c.ScopesOf(rec)) == 1
}

// mayOwn reports whether the caller may do the verb to a record because it is
// the caller's own. Keys of one's own are made and changed by whoever may mint
// in their project; everything else needs no role.
func (k *errand) mayOwn(c *store.Catalog, rec store.AnyRecord, verb store.Verb) bool {
	if k.caller == nil || k.user == "" {
		return false
	}
	switch rec := rec.(type) {
	case *store.User:
		return rec.Metadata.ID == k.user && reads(verb)
	case *store.RelayKey:
		if rec.Spec.Principal != (store.Ref{Kind: store.KindUser, ID: k.user}) {
			return false
		}
		if verb == store.VerbCreate || verb == store.VerbUpdate {
			return k.mayMint(c, rec.Spec.ProjectID)
		}
		return verb != store.VerbApply
	}
	return false
}

// mayMint reports whether the caller, a user, may have credentials in the
// project.
func (k *errand) mayMint(c *store.Catalog, project string) bool {
	scopes := c.ScopesFrom(store.Ref{Kind: store.KindProject, ID: project})
	return k.access(c).Allows(store.KindRelayKey.Plural(), store.VerbMint, scopes...)
}
