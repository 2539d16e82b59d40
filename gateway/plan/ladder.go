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
	kind, id := key.Spec.Principal.Kind, key.Spec.Principal.ID
	if key.Spec.Account != "" {
		head, tail, _ := strings.Cut(string(key.Spec.Account), ":")
		kind, id = store.Kind(head), tail
	}
	l.climb(c, kind, id)
	l.tenancy.Principal = key.Spec.Principal
	return l
}

// climb adds the rungs from the account upward, widest first.
func (l *ladder) climb(c *compiler, kind store.Kind, id string) {
	switch kind {
	case store.KindServiceAccount:
		if rec := c.catalog.ServiceAccounts.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.KindProject, rec.Spec.ProjectID)
			l.add(c, limiter.ScopePrincipal, rec, rec.Spec.Limits)
		}
	case store.KindProject:
		if rec := c.catalog.Projects.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.KindTeam, rec.Spec.TeamID)
			l.tenancy.Project = id
			l.add(c, limiter.ScopeProject, rec, rec.Spec.Limits)
		}
	case store.KindTeam:
		if rec := c.catalog.Teams.Get(id); l.present(kind, id, rec != nil && store.Enabled(rec.Spec.Enabled)) {
			l.climb(c, store.KindOrganization, rec.Spec.OrganizationID)
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

// per gives the dimensions by which limits on the ladder may split.
func (l *ladder) per() perValues {
	return perValues{team: l.tenancy.Team, project: l.tenancy.Project, key: l.key.Metadata.ID}
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
