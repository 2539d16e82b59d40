package admin

import (
	"net/http"
	"time"

	"relay/store"
)

// sessionCookie names the cookie of a request. Browsers tell neither ports nor,
// over plain HTTP, servers apart, so that two Relays on one machine need two
// names; over TLS the prefix keeps other hosts of the domain from setting it.
func (s *server) sessionCookie(r *http.Request) string {
	name := "relay_session_" + s.DB.InstallationID()
	if s.overTLS(r) {
		return "__Host-" + name
	}
	return name
}

// overTLS reports whether the browser speaks TLS, to Relay or to the proxy in
// front of it.
func (s *server) overTLS(r *http.Request) bool { return r.TLS != nil || s.BehindProxy && !trusted(r) }

// shownSession returns the id in the cookie, or "".
func (s *server) shownSession(r *http.Request) string {
	cookie, err := r.Cookie(s.sessionCookie(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// cookieFor carries the id of a session; without an id it removes the cookie.
func (s *server) cookieFor(r *http.Request, id string) http.Cookie {
	age := int(s.sessions.max / time.Second)
	if id == "" {
		age = -1
	}
	return http.Cookie{
		Name: s.sessionCookie(r), Value: id, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.overTLS(r), SameSite: http.SameSiteStrictMode,
	}
}

// signedInUser returns the user of the session that a request shows, or nil.
func (s *server) signedInUser(r *http.Request) *store.User {
	user, _ := s.useSession(r)
	return user
}

// peekSession is signedInUser without keeping the session from being idle.
func (s *server) peekSession(r *http.Request) *store.User {
	found, ok := s.sessions.peek(s.shownSession(r), s.Now())
	if !ok {
		return nil
	}
	return s.userOf(found)
}

// userOf returns the user of a session, or nil when that is not any more what it
// was at sign-in.
func (s *server) userOf(found store.Session) *store.User {
	c := s.DB.Catalog()
	user := c.Users.Get(found.User)
	if user == nil || user.Spec.Disabled || stampOf(c, user) != found.Stamp {
		return nil
	}
	return user
}

// useSession finds the session of a request and ends it when its user is not
// any more what it was at sign-in.
func (s *server) useSession(r *http.Request) (user *store.User, until time.Time) {
	id := s.shownSession(r)
	if id == "" {
		return nil, time.Time{}
	}
	found, until, ok := s.sessions.use(id, s.Now())
	if !ok {
		return nil, time.Time{}
	}
	if user = s.userOf(found); user == nil {
		s.sessions.end(id)
		return nil, time.Time{}
	}
	return user, until
}
