package admin

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"relay/store"
)

// The ways to decide what users may do.
const (
	AuthzSingle = "single" // administrators may do everything, other users nothing
	AuthzRBAC   = "rbac"   // what role bindings say
)

// recognised finds out who calls. Who has shown nothing valid gets no further
// than to where one signs in; the router decides again, by the route.
func (s *server) recognised(next http.Handler) http.Handler {
	open := openPaths()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := &errand{caller: s.identify(r), address: s.placeOf(r)}
		if k.caller == nil && !open[r.URL.EscapedPath()] {
			s.refuseSignIn(w, r)
			return
		}
		next.ServeHTTP(w, withErrand(r, k))
	})
}

// placeOf tells where a request comes from, as the audit log does.
func (s *server) placeOf(r *http.Request) string {
	switch {
	case !trusted(r):
		return s.addressOf(r)
	case r.RemoteAddr == inProcessAddr:
		return "process"
	}
	return "socket"
}

// openPaths are where one gets to without a credential.
func openPaths() map[string]bool {
	return map[string]bool{sessionPath: true, setUpPath: true, oidcLoginPath: true, oidcCallbackPath: true}
}

// authorized lets a call through to its handler when the table of needs allows
// it, and tells the audit log of changes and refusals.
func (s *server) authorized(next http.Handler) http.Handler {
	table := needs()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := errandOf(r.Context())
		k.action = mux.CurrentRoute(r).GetName()
		n, known := table[k.action]
		answer := &watched{ResponseWriter: w, status: http.StatusOK}
		defer func() { s.tell(k, n, r, answer.status) }()
		if err := s.allow(k, n, known, mux.Vars(r)); err != nil {
			writeProblem(answer, err)
			return
		}
		next.ServeHTTP(answer, r)
	})
}

// allow holds a call against the need of its route; nil lets it through.
func (s *server) allow(k *errand, n need, known bool, vars map[string]string) *Problem {
	c := s.DB.Catalog()
	switch {
	case !known:
		return forbidden(k.action, "this route")
	case k.action == setUpAction && c.Users.Len() > 0:
		return problem(http.StatusNotFound, "Relay is set up: sign in")
	case n.open:
		return nil
	case k.caller == nil:
		return problem(http.StatusUnauthorized, "sign in first")
	case n.kind == "" || k.full:
		return nil
	case n.row:
		return s.allowRow(k, c, n, vars)
	case n.all && k.access(c).Allows(n.kind, n.verb, store.System()):
		return nil
	case !n.all && k.access(c).AllowsAnywhere(n.kind, n.verb):
		return nil
	case n.own && k.user != "" && (n.verb != store.VerbCreate || k.access(c).AllowsAnywhere(n.kind, store.VerbMint)):
		return nil
	}
	return forbidden(string(n.verb), n.kind)
}

// allowRow looks the row of a path up. A handler tells of one that is not
// there.
func (s *server) allowRow(k *errand, c *store.Catalog, n need, vars map[string]string) *Problem {
	kind := kindOfPlural(n.kind)
	rec := c.Of(kind).Find(vars["id"])
	if ref, byName := vars["ref"]; byName {
		rec, _ = find(c, kind, unescaped(ref))
	}
	if rec == nil {
		return nil
	}
	k.touches(rec)
	if k.mayRow(c, rec, n.verb) {
		return nil
	}
	if !k.sees(c, rec) {
		k.hidden = true
		return notThere(kind)
	}
	return forbidden(string(n.verb), n.kind)
}

func kindOfPlural(plural string) store.Kind {
	for _, kind := range store.Kinds() {
		if kind.Plural() == plural {
			return kind
		}
	}
	return ""
}

// notThere is what missing rows and rows that may not be seen have in common.
func notThere(kind store.Kind) *Problem {
	p := problem(http.StatusNotFound, "%s", missing(kind).Error())
	p.Code = store.CodeNotFound
	return p
}

func forbidden(verb, kind string) *Problem {
	return denied("your roles do not let you %s %s here; an administrator can bind a role that does", verb, kind)
}

// denied is a refusal for want of rights.
func denied(format string, args ...any) *Problem {
	p := problem(http.StatusForbidden, format, args...)
	p.Code = store.CodeForbidden
	return p
}

// watched remembers the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController the writer inside.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuseSignIn answers whoever has shown nothing valid.
func (s *server) refuseSignIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="relay"`)
	if s.shownSession(r) != "" {
		gone := s.cookieFor(r, "")
		http.SetCookie(w, &gone)
	}
	if wait := s.failed(r); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
		writeProblem(w, tooManyFailures())
		return
	}
	writeProblem(w, s.unauthenticated(r))
}
