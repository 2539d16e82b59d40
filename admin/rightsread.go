package admin

import (
	"context"
	"slices"
	"strings"

	"relay/store"
)

// mayExplain refuses to explain what becomes of requests of a key or an account
// that the caller may not see. What does not exist is told of by the handler.
func (k *errand) mayExplain(c *store.Catalog, in ExplainRequest) error {
	if in.Account != "" {
		return k.mayFold(c, in.Account)
	}
	if rec, err := find(c, store.KindRelayKey, in.Credential); err == nil && !k.sees(c, rec) {
		k.hidden = true
		return missing(store.KindRelayKey)
	}
	return nil
}

// mayFold refuses to show what holds for an account that the caller may not see.
func (k *errand) mayFold(c *store.Catalog, ref string) error {
	account, err := findAccount(c, ref)
	if err != nil || k.seesAccount(c, account) {
		return nil
	}
	k.hidden = true
	if strings.Contains(ref, ":") {
		parts, _ := store.ParseAccountRef(account) // it has just been found
		return missing(parts.Kind)
	}
	return &store.Error{Code: store.CodeNotFound, Message: "there is no such account"}
}

func (k *errand) seesAccount(c *store.Catalog, account store.AccountRef) bool {
	parts, err := store.ParseAccountRef(account)
	if err != nil {
		return false
	}
	if parts.Kind == store.KindUser {
		project := c.Projects.Get(parts.Project)
		return k.caller != nil && parts.Name == k.user || project != nil && k.sees(c, project)
	}
	rec := c.Of(parts.Kind).Find(parts.Name)
	return rec != nil && k.sees(c, rec)
}

// mayReadUsage keeps a usage query to what the caller may read. Whoever may read
// all asks as it likes; others name an organization, team or project of theirs,
// or get the one that they have, or what they have used themselves.
func (s *server) mayReadUsage(ctx context.Context, in *UsageFilter) error {
	k, c := errandOf(ctx), s.DB.Catalog()
	scopes := k.access(c).ScopesWith(store.AreaUsage, store.VerbRead)
	asked := in.scopes(c)
	switch {
	case withinAny(c, asked, scopes):
		return nil
	case len(asked) > 0:
		k.hidden = true
		return unprocessable(store.Problem{Field: "query", Message: "names no organization, team or project whose usage you may read"})
	case slices.Contains(scopes, store.System()):
		return nil
	case len(scopes) == 1:
		in.keepTo(scopes[0])
		return nil
	case len(scopes) > 1:
		return unprocessable(store.Problem{Field: "query.project", Message: "must name one, or query.team or query.organization: you may read the usage of several"})
	case k.caller != nil && k.user != "":
		in.Principal = k.user
		return nil
	}
	return forbidden(string(store.VerbRead), store.AreaUsage)
}

// scopes returns the organizations, teams and projects that the filter names.
func (in *UsageFilter) scopes(c *store.Catalog) []store.Ref {
	var named []store.Ref
	for kind, ref := range map[store.Kind]string{store.KindOrganization: in.Organization, store.KindTeam: in.Team, store.KindProject: in.Project} {
		if ref != "" {
			named = append(named, store.Ref{Kind: kind, ID: idOf(c, kind, ref)})
		}
	}
	return named
}

// withinAny reports whether one of what is named lies in a scope: all that is
// named has to match at once, so that one is enough.
func withinAny(c *store.Catalog, named, scopes []store.Ref) bool {
	for _, one := range named {
		for _, around := range c.ScopesFrom(one) {
			if slices.Contains(scopes, around) {
				return true
			}
		}
	}
	return false
}

func (in *UsageFilter) keepTo(scope store.Ref) {
	switch scope.Kind {
	case store.KindOrganization:
		in.Organization = scope.ID
	case store.KindTeam:
		in.Team = scope.ID
	case store.KindProject:
		in.Project = scope.ID
	}
}
