package admin

import (
	"net/http"
	"time"
)

// sessionCookie names the cookie of a request. Browsers tell neither ports nor,
// over plain HTTP, servers apart, so that two Relays on one machine need two
// names; over TLS the prefix keeps other hosts of the domain from setting it.
func (s *server) sessionCookie(r *http.Request) string {
	name := "relay_session_" + s.DB.InstallationID()
	if r.TLS != nil {
		return "__Host-" + name
	}
	return name
}

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
	age := int(sessionMax / time.Second)
	if id == "" {
		age = -1
	}
	return http.Cookie{
		Name: s.sessionCookie(r), Value: id, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

// holdsSession reports whether the request comes from a browser that is signed
// in, which is the administrator.
func (s *server) holdsSession(r *http.Request) bool {
	_, ok := s.useSession(r)
	return ok
}

func (s *server) useSession(r *http.Request) (until time.Time, ok bool) {
	id := s.shownSession(r)
	if id == "" {
		return time.Time{}, false
	}
	return s.sessions.use(id, s.Now())
}
