package plan

import (
	"maps"
	"sync"

	"relay/limiter"
	"relay/store"
)

// member names a caller that is made when it is first asked for: a user in a
// project, with an inference token or with a relay key whose own project is
// another one.
type member struct{ key, user, project string } // record ids; no key: a token

// members are those that have been asked for. There are no more than records
// allow.
type members struct {
	mu   sync.RWMutex
	made map[member]*Caller
	late *compiler // nil before the first
}

// member returns the caller, which is made once.
func (p *Plan) member(m member) *Caller {
	p.members.mu.RLock()
	caller := p.members.made[m]
	p.members.mu.RUnlock()
	if caller != nil {
		return caller
	}
	p.members.mu.Lock()
	defer p.members.mu.Unlock()
	if p.members.late == nil {
		p.members.late, p.members.made = p.late(), map[member]*Caller{}
	}
	if caller = p.members.made[m]; caller == nil {
		caller = p.members.late.member(m)
		p.members.made[m] = caller
	}
	return caller
}

// late returns a compiler that goes on with the plan while it serves: it uses
// the limits, ways and turns of the plan and adds only to memory of its own.
// That every way there is has been folded is what foldMembers does.
func (p *Plan) late() *compiler {
	c := *p.compiled
	c.plan = &Plan{Generation: p.Generation, Hosts: p.Hosts, HostKeys: p.HostKeys, Turns: p.Turns, names: p.names}
	c.known, c.limits = p.compiled.limits, map[limiter.Name]*limiter.Limit{}
	c.sources, c.modelLimits = map[sourceKey]*limiter.Source{}, map[string]ModelLimits{}
	c.knownSelectives, c.selectives = p.compiled.selectives, map[limiter.Name]*Selective{}
	c.accesses, c.rights = maps.Clone(p.compiled.accesses), map[string]store.Access{}
	return &c
}

// allLimits returns the limits of every caller that has been made so far, of the
// models and of the keys.
func (p *Plan) allLimits() map[limiter.Name]*limiter.Limit {
	p.members.mu.RLock()
	defer p.members.mu.RUnlock()
	if p.members.late == nil {
		return p.compiled.limits
	}
	all := maps.Clone(p.compiled.limits)
	maps.Copy(all, p.members.late.limits)
	return all
}

func (c *compiler) member(m member) *Caller {
	if key := c.catalog.RelayKeys.Get(m.key); key != nil {
		there := *key
		there.Spec.Account, there.Spec.ProjectID = memberRef(m.user, m.project), m.project
		return c.caller(&there)
	}
	return c.tokenMember(m.user, m.project)
}

// tokenMember is what all inference tokens of a user in a project have in
// common. Counters that are split by key count for all of them: a new token is no
// new allowance.
func (c *compiler) tokenMember(userID, project string) *Caller {
	user := c.catalog.Users.Get(userID)
	key := &store.RelayKey{Metadata: store.Metadata{ID: userID + "@" + project, Name: userID + "@" + project}}
	if user != nil {
		key.Metadata.Name = c.memberName(user, project)
	}
	key.Spec.Principal, key.Spec.ProjectID = store.Ref{Kind: store.KindUser, ID: userID}, project
	caller := c.callerOn(c.climb(key, "user "+key.Metadata.Name))
	caller.Credential, caller.Ended = KindToken, c.endedToken(user, project)
	return caller
}

// foldMembers folds what users can reach in each project, whether or not one
// ever calls: pools take their turns, and are warned of, while the plan is made.
// A relay key in a project of its user can only reach less.
func (c *compiler) foldMembers() {
	if c.catalog.Users.Len() == 0 {
		return
	}
	for project := range c.catalog.Projects.All() {
		c.foldMember(project.Metadata.ID, nil)
	}
	for b := range c.catalog.PolicyBindings.All() {
		if parts, err := store.ParseAccountRef(b.Spec.Account); err == nil && parts.Kind == store.KindUser {
			c.foldMember(parts.Project, c.bound[b.Spec.Account])
		}
	}
}

func (c *compiler) foldMember(project string, policy *store.Policy) {
	l := &ladder{key: &store.RelayKey{}}
	l.climb(c, store.AccountParts{Kind: store.KindProject, Name: project})
	l.rungs = append(l.rungs, rung{scope: limiter.ScopePrincipal, policy: policy})
	if l.broken == nil {
		c.access(l)
	}
}

// isMember reports whether the user has an account in the project, in which relay
// keys of it may run.
func (c *compiler) isMember(user *store.User, project string) bool {
	return !c.RBAC || c.mayMint(user, project)
}

// mayMint reports whether a role binding lets the user have inference tokens in
// the project. Where users may do everything or nothing, it is everything for
// those that were given one.
func (c *compiler) mayMint(user *store.User, project string) bool {
	access, known := c.rights[user.Metadata.ID]
	if !known {
		access = c.catalog.AccessOfUser(user)
		c.rights[user.Metadata.ID] = access
	}
	scopes := c.catalog.ScopesFrom(store.Ref{Kind: store.KindProject, ID: project})
	return access.Allows(store.KindRelayKey.Plural(), store.VerbMint, scopes...)
}

func memberRef(user, project string) store.AccountRef {
	return store.AccountParts{Kind: store.KindUser, Name: user, Project: project}.Ref()
}

// memberName is USER@PROJECT.
func (c *compiler) memberName(user *store.User, project string) string {
	return user.Metadata.Name + "@" + c.nameOf(store.KindProject, project)
}
