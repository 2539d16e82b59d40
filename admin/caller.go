package admin

import (
	"context"
	"net/http"

	"relay/store"
)

// caller is who makes a request. Its rights belong to a catalog and are worked
// out of the one that counts at the moment. One request uses it.
type caller struct {
	actor  store.Actor
	full   bool   // may do everything, whatever the records say
	user   string // id of the user; "" for whoever is none
	token  string // id of the admin token; "" for whoever shows none
	single bool   // users may do everything or nothing

	judged *store.Catalog // of which rights are; nil: nobody has asked
	rights store.Access
}

// access returns what the caller may do under the catalog, which no edit may
// change meanwhile. A list asks for it once a row.
func (k *caller) access(c *store.Catalog) store.Access {
	if k.judged != c {
		k.judged, k.rights = c, k.accessUnder(c)
	}
	return k.rights
}

func (k *caller) accessUnder(c *store.Catalog) store.Access {
	if k.full {
		return store.FullAccess()
	}
	if token := c.AdminTokens.Get(k.token); token != nil {
		return c.AccessOfToken(token)
	}
	user := c.Users.Get(k.user)
	if user == nil {
		return store.Access{}
	}
	access := c.AccessOfUser(user)
	if k.single && !access.Full() {
		return store.Access{}
	}
	return access
}

// errand is a request on its way through the handlers, and what the audit log is
// to say of it.
type errand struct {
	*caller // nil: nobody that Relay knows
	address string
	action  string // the operation
	written bool   // the audit log has an entry of its change
	quiet   bool   // nothing was changed, whatever the method says
	hidden  bool   // the caller may not see what it asked for
	records []store.AuditRecord
}

type errandKey struct{}

// errandOf returns the errand that a context belongs to. Without one, as in tests
// of single handlers, nobody calls.
func errandOf(ctx context.Context) *errand {
	if k, ok := ctx.Value(errandKey{}).(*errand); ok {
		return k
	}
	return &errand{}
}

func withErrand(r *http.Request, k *errand) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), errandKey{}, k))
}

// access is that of the caller; nobody may do anything.
func (k *errand) access(c *store.Catalog) store.Access {
	if k.caller == nil {
		return store.Access{}
	}
	return k.caller.access(c)
}

// touches notes a record that the call changes outside of the catalog.
func (k *errand) touches(rec store.AnyRecord) {
	k.records = append(k.records, store.AuditRecord{Kind: rec.Kind(), ID: rec.Meta().ID, Name: rec.Meta().Name})
}

// anonymous stands in the audit log for whoever has shown nothing valid.
func anonymous() store.Actor { return store.Actor{Kind: "anonymous"} }

// identify finds out who makes a request; nil is nobody. A valid credential
// counts whatever else the request carries.
func (s *server) identify(r *http.Request) *caller { return s.recognise(r, s.signedInUser) }

// recognise is identify with another way to find the user of a session.
func (s *server) recognise(r *http.Request, sessionUser func(*http.Request) *store.User) *caller {
	if trusted(r) {
		return &caller{actor: store.Actor{Kind: "local"}, full: true}
	}
	if s.holdsToken(r) {
		return &caller{actor: store.Actor{Kind: "token-file"}, full: true}
	}
	if token := s.shownAdminToken(r); token != nil {
		return &caller{actor: store.Actor{Kind: "admin-token", ID: token.Metadata.ID, Name: token.Metadata.Name}, token: token.Metadata.ID}
	}
	if user := sessionUser(r); user != nil {
		return s.callerFor(user)
	}
	return nil
}

func (s *server) callerFor(user *store.User) *caller {
	return &caller{
		actor: store.Actor{Kind: "user", ID: user.Metadata.ID, Name: user.Metadata.Name},
		user:  user.Metadata.ID, single: s.Authz != AuthzRBAC,
	}
}

// shownAdminToken returns the admin token that a request shows, if it is usable.
func (s *server) shownAdminToken(r *http.Request) *store.AdminToken {
	shown := bearer(r)
	if shown == "" {
		return nil
	}
	hash := hashText(shown)
	for token := range s.DB.Catalog().AdminTokens.All() {
		if token.Spec.TokenHash == hash && token.Spec.Usable(s.Now()) {
			return token
		}
	}
	return nil
}
