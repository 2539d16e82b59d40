package plan

import (
	"strings"

	"relay/limiter"
	"relay/store"
)

// ladder is the way of a request through the accounts above it, widest first,
// and last the relay key.
type ladder struct {
	key     *store.RelayKey
	who     string // "key laptop", for people
	rungs   []rung
	tenancy Tenancy
	member  string // USER@PROJECT by ids; empty: a service account, or none
	// broken says why there is no ladder.
	broken *Refused
}

// rung is one account of the ladder: its shorthand limits and the one policy
// bound to it.
type rung struct {
	scope  limiter.Scope
	kind   store.Kind
	id     string
	name   string
	limits *store.Limits
	policy *store.Policy
}

// ladderOf climbs from the account that the key runs in.
func (c *compiler) ladderOf(key *store.RelayKey) *ladder {
	return c.climb(key, "key "+key.Metadata.Name)
}

func (c *compiler) climb(key *store.RelayKey, who string) *ladder {
	l := &ladder{key: key, who: who}
	l.climb(c, accountOf(key))
	l.tenancy.Principal = key.Spec.Principal
	return l
}

// accountOf is what the key runs in: its account, else that of its principal.
func accountOf(key *store.RelayKey) store.AccountParts {
	if key.Spec.Account != "" {
		parts, _ := store.ParseAccountRef(key.Spec.Account) // one that cannot be read is no account
		return parts
	}
	return store.AccountParts{Kind: key.Spec.Principal.Kind, Name: key.Spec.Principal.ID, Project: key.Spec.ProjectID}
}

// climb adds the rungs from the account upward, widest first.
func (l *ladder) climb(c *compiler, at store.AccountParts) {
	switch kind, id := at.Kind, at.Name; kind {
	case store.KindUser:
		if rec := c.catalog.Users.Get(id); l.present(kind, id, rec != nil) {
			l.climb(c, store.AccountParts{Kind: store.KindProject, Name: at.Project})
			l.addMember(c, rec, at.Project)
		}
	case store.KindServiceAccount:
		if rec := c.catalog.ServiceAccounts.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.AccountParts{Kind: store.KindProject, Name: rec.Spec.ProjectID})
			l.add(c, limiter.ScopePrincipal, rec, rec.Spec.Limits)
		}
	case store.KindProject:
		if rec := c.catalog.Projects.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.AccountParts{Kind: store.KindTeam, Name: rec.Spec.TeamID})
			l.tenancy.Project = id
			l.add(c, limiter.ScopeProject, rec, rec.Spec.Limits)
		}
	case store.KindTeam:
		if rec := c.catalog.Teams.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.AccountParts{Kind: store.KindOrganization, Name: rec.Spec.OrganizationID})
			l.tenancy.Team = id
			l.add(c, limiter.ScopeTeam, rec, rec.Spec.Limits)
		}
	case store.KindOrganization:
		if rec := c.catalog.Organizations.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.tenancy.Organization = id
			l.add(c, limiter.ScopeOrganization, rec, rec.Spec.Limits)
		}
	default:
		l.present(kind, id, false)
	}
}

// present notes a rung that is missing or switched off: without it nobody can
// tell which limits apply, so nothing passes.
func (l *ladder) present(kind store.Kind, id string, ok bool) bool {
	if !ok && l.broken == nil {
		l.broken = &Refused{
			Code:    "record_invalid",
			Message: "The " + strings.ReplaceAll(string(kind), "-", " ") + " that " + l.who + " runs under is switched off or does not exist (" + id + "). Ask your gateway administrator.",
		}
	}
	return ok
}

func (l *ladder) add(c *compiler, scope limiter.Scope, rec store.AnyRecord, limits *store.Limits) {
	meta := rec.Meta()
	l.rungs = append(l.rungs, rung{
		scope: scope, kind: rec.Kind(), id: meta.ID, name: meta.Name, limits: limits,
		policy: c.bound[store.AccountRef(string(rec.Kind())+":"+meta.ID)],
	})
}

// addMember adds the rung of a user in a project, which is no record of its own.
func (l *ladder) addMember(c *compiler, user *store.User, project string) {
	if l.broken == nil && !c.isMember(user, project) {
		l.broken = &Refused{
			Code:    accountNotAllowed,
			Message: "User " + user.Metadata.Name + " has no role in project " + c.nameOf(store.KindProject, project) + " that lets it have credentials there. An administrator gives one with: relay role bind developer --user " + user.Metadata.Name + " --scope project:NAME.",
		}
	}
	l.member = user.Metadata.ID + "@" + project
	l.rungs = append(l.rungs, rung{
		scope: limiter.ScopePrincipal, kind: store.KindUser, id: user.Metadata.ID, name: c.memberName(user, project),
		policy: c.bound[memberRef(user.Metadata.ID, project)],
	})
}

// accessKey tells ladders apart by what they allow: policies, and the key's
// own models.
func (l *ladder) accessKey() string {
	var b strings.Builder
	for _, r := range l.rungs {
		if r.policy != nil {
			b.WriteString(r.policy.Metadata.ID)
		}
		b.WriteByte('/')
	}
	if len(l.key.Spec.Models)+len(l.key.Spec.Deny) > 0 {
		b.WriteString(l.key.Metadata.ID)
	}
	return b.String()
}

// subject says whose counters a policy bound to the rung uses: the
// organization's when it is bound to one, else those of the team.
func (l *ladder) subject(r rung) string {
	if r.scope == limiter.ScopeOrganization || l.tenancy.Team == "" {
		return "organization:" + l.tenancy.Organization
	}
	return "team:" + l.tenancy.Team
}
