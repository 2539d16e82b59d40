package admin

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"
	"github.com/rs/zerolog"

	"relay/gateway/plan"
	"relay/store"
)

// Options are what the control API stands on. DB is required; whatever else is
// absent is answered as absent.
type Options struct {
	DB        *store.DB
	Warnings  func() []store.Problem // what the operator should know but need not stop for
	Live      plan.Live              // the running server; nil without one
	Upstream  plan.Upstream          // nil: keys cannot be tested, nothing can be connected
	Counters  CounterReader          // the limiter's counters
	Catalogue Catalogue              // the shipped catalogue; nil: there is none to ask about
	Resets    CounterResetter        // sets them to zero; nil: nothing does
	Admission *Admission             // counts requests under the system's limit; nil: nobody is refused
	Plan      func() *plan.Plan      // the plan in use; nil: nothing can be explained
	Version   string

	InferenceURL string // where callers reach this Relay; empty: not known
	ControlURL   string // where browsers reach UI; empty: nowhere

	Metrics http.Handler // /metrics
	UI      http.Handler // everything else under /
	Ready   func() error // why the process takes no traffic; nil: it always does

	Stopping <-chan struct{} // closed when live streams are to end; nil: never

	Token        store.Secret // opens the API over TCP; zero: nothing does
	AllowedHosts []string     // names besides the loopback ones that TCP callers may use
	BehindProxy  bool         // browsers reach the listener through a proxy that speaks TLS
	Public       bool         // others than this machine reach the listener

	Authz                   string           // AuthzSingle or AuthzRBAC; empty: AuthzSingle
	Passwords               *store.Passwords // hashes passwords; nil: at the usual cost
	SessionIdle, SessionMax time.Duration    // when sessions end; 0: 12 hours, 7 days
	OIDC                    *OIDC            // an identity provider; nil: passwords only

	Now func() time.Time // time.Now when nil
	Log zerolog.Logger
}

// CounterReader tells about the counters of the limiter. It is safe for
// concurrent use.
type CounterReader interface {
	plan.Counters
	Len() int
	AsOf() time.Time // when counts were last written before this process; zero: never
}

// New makes the handler of the control listener. It is safe for concurrent
// use and holds no goroutines.
func New(o Options) http.Handler {
	s := newServer(o)
	return s.guard(s.front())
}

// server is what the handlers share.
type server struct {
	Options
	started  time.Time
	failures failures
	sessions *sessions
	setup    setupLinks
	provider *provider // nil: there is none

	begunCookies begunCookies
	following    atomic.Int64 // live streams
}

func newServer(o Options) *server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warnings == nil {
		o.Warnings = func() []store.Problem { return nil }
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Passwords == nil {
		o.Passwords = store.NewPasswords(store.PasswordCost{})
	}
	return &server{
		Options: o, started: o.Now(), sessions: newSessions(o), setup: setupLinks{dir: o.DB.Dir()},
		provider: newProvider(o), begunCookies: newBegunCookies(),
	}
}

// newRouter matches paths as they were sent, so that "%2F" in a name is not a
// slash, and answers in JSON whatever it has no route for.
func newRouter() *mux.Router {
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = http.HandlerFunc(notFound)
	router.MethodNotAllowedHandler = methodNotAllowed(router)
	return router
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	writeProblem(w, problem(http.StatusNotFound, "there is nothing here; GET /api/openapi.json lists every path"))
}

func methodNotAllowed(router *mux.Router) http.Handler {
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			try := r.Clone(r.Context())
			try.Method = method
			if match := (mux.RouteMatch{}); router.Match(try, &match) && match.MatchErr == nil {
				allowed = append(allowed, method)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, problem(http.StatusMethodNotAllowed, "this path does not take that method"))
	})
}

func (s *server) panicked(cause any) *Problem {
	return s.internal(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
}
