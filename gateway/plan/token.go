package plan

import (
	"time"

	"relay/store"
)

// KindToken is the kind of a credential that is an inference token. There are no
// records of it.
const KindToken store.Kind = "inference-token"

// Codes of refusals that have to do with users.
const (
	tokenRevoked      = "token_revoked"
	accountNotAllowed = "account_not_allowed"
)

// Token is what an inference token says, which somebody has verified.
type Token struct {
	ID            string
	User, Project string // record ids
	Version       int64  // of the user's tokens when it was made
	Expires       time.Time
	Prefix        string // the part of it that is safe to show
}

// TokenCaller returns the caller that shows the token. RefuseOver tells whether
// the token is one still; that it has been revoked by its id, the plan does not
// know.
func (p *Plan) TokenCaller(t Token) *Caller {
	return p.member(member{user: t.User, project: t.Project}).showing(p, &t)
}

// showing is the caller with one token of those that it may show.
func (c *Caller) showing(p *Plan, t *Token) *Caller {
	shown := *c
	shown.Token, shown.Prefix, shown.Ended = t, t.Prefix, p.endedBy(t)
	return &shown
}

// Shown is the credential as usage events tell of it.
func (c *Caller) Shown() store.Credential {
	if c.Token != nil {
		return store.Credential{Kind: c.Credential, ID: c.Token.ID, Prefix: c.Prefix}
	}
	return store.Credential{Kind: c.Credential, ID: c.KeyID, Prefix: c.Prefix}
}

// In returns the caller as it calls in a project, by name or id. A user's
// credential may call in every project in which the user has an account, and
// another one in its own. The refusal does not tell whether there is such a
// project.
func (p *Plan) In(c *Caller, project string) (*Caller, *Refused) {
	refused := &Refused{Code: accountNotAllowed, Message: "This credential may not call in project " + Quoted(project) + " (X-Relay-Account). Leave the header out, or ask your gateway administrator."}
	rec := p.project(project)
	switch {
	case rec == nil:
		return nil, refused
	case rec.Metadata.ID == c.Tenancy.Project:
		return c, nil
	case c.Tenancy.Principal.Kind != store.KindUser:
		return nil, refused
	}
	m := member{user: c.Tenancy.Principal.ID, project: rec.Metadata.ID}
	if c.Token == nil {
		m.key = c.KeyID
	}
	there := p.member(m)
	switch {
	case there.Refused != nil && there.Refused.Code == accountNotAllowed:
		return nil, refused
	case c.Token != nil:
		return there.showing(p, c.Token), nil
	}
	return there, nil
}

func (p *Plan) project(ref string) *store.Project {
	if rec := p.Catalog().Projects.ByName(ref); rec != nil {
		return rec
	}
	return p.Catalog().Projects.Get(ref)
}

// RefuseEnded refuses a caller whose credential, made for this plan or one before
// it, is none any more: what it has begun ends with it. A key that is switched
// off, or has expired, only takes no more requests; one whose secret has been
// rotated is still the same key.
func (p *Plan) RefuseEnded(c *Caller) *Refused {
	var key *store.RelayKey
	switch {
	case c.Token != nil:
		return p.endedBy(c.Token)
	case c.Proxied && p.Proxy != nil && p.Proxy.Stranger != nil,
		c.Credential == store.KindServiceAccount && p.Local != nil && p.Local.KeyID == c.KeyID:
		return nil
	case c.Credential == store.KindRelayKey:
		key = p.Catalog().RelayKeys.Get(c.KeyID)
	}
	if key == nil || key.Spec.RevokedAt != nil {
		return c.RefuseRevoked()
	}
	return p.compiled.endedWith(key)
}

// endedWith refuses a relay key whose user is disabled.
func (c *compiler) endedWith(key *store.RelayKey) *Refused {
	if key.Spec.Principal.Kind != store.KindUser {
		return nil
	}
	if user := c.catalog.Users.Get(key.Spec.Principal.ID); user != nil && user.Spec.Disabled {
		return &Refused{Code: "key_disabled", Message: "User " + user.Metadata.Name + ", whose relay key " + key.Metadata.Name + " is, is disabled. Ask your gateway administrator."}
	}
	return nil
}

// endedBy is what the records say against the token, or nil.
func (p *Plan) endedBy(t *Token) *Refused {
	caller, user := p.member(member{user: t.User, project: t.Project}), p.Catalog().Users.Get(t.User)
	if caller.Ended == nil && user.Spec.TokenVersion != t.Version {
		caller = &Caller{KeyName: caller.KeyName, Token: t}
		return caller.RefuseRevoked()
	}
	return caller.Ended
}

// endedToken refuses every inference token of a user, which is nil where there is
// none, in a project.
func (c *compiler) endedToken(user *store.User, project string) *Refused {
	var why string
	switch {
	case user == nil:
		why = "Its user does not exist any more"
	case user.Spec.Disabled:
		why = "User " + user.Metadata.Name + " is disabled"
	case c.catalog.Projects.Get(project) == nil:
		why = "Its project does not exist any more"
	case !c.mayMint(user, project):
		why = "User " + user.Metadata.Name + " may not have inference tokens in project " + c.nameOf(store.KindProject, project) + " any more"
	default:
		return nil
	}
	return &Refused{Code: tokenRevoked, Message: "This inference token is revoked. " + why + ". Ask your gateway administrator."}
}
