package admin

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"relay/store"
)

// sessionPath is open to everybody: it is where one signs in.
const sessionPath = "/api/session"

// Session tells who calls and what there is to sign in with.
type Session struct {
	SignedIn      bool           `json:"signedIn"`
	SetUp         bool           `json:"setUp" doc:"There is a user already; without one a setup link makes the first."`
	Authz         string         `json:"authz" enum:"single,rbac"`
	OIDC          bool           `json:"oidc,omitempty" doc:"GET /api/auth/oidc/login signs in at an identity provider."`
	Until         time.Time      `json:"until,omitzero" doc:"When a browser's session ends unless it is used before."`
	Actor         *store.Actor   `json:"actor,omitempty" doc:"Who calls."`
	Administrator bool           `json:"administrator,omitempty" doc:"May do everything."`
	Grants        []SessionGrant `json:"grants,omitempty" doc:"What else the caller may do, and where."`
}

// SessionGrant is a role that the caller has within a scope.
type SessionGrant struct {
	Role  string           `json:"role"`
	Scope SessionScope     `json:"scope"`
	Rules []store.RoleRule `json:"rules"`
}

// SessionScope names a scope.
type SessionScope struct {
	Kind store.Kind `json:"kind"`
	ID   string     `json:"id,omitempty"`
	Name string     `json:"name,omitempty"`
}

// SignIn is what signs a browser in.
type SignIn struct {
	Username string       `json:"username" minLength:"1" maxLength:"63"`
	Password store.Secret `json:"password" minLength:"1" maxLength:"1024"`
}

type sessionOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Session
}

type signedOutOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

// asked gives an operation the request itself, for its cookie and address.
type asked struct{ request *http.Request }

// Resolve takes the request from huma.
func (a *asked) Resolve(ctx huma.Context) []error {
	a.request, _ = humamux.Unwrap(ctx)
	return nil
}

type signInInput struct {
	asked
	Body SignIn
}

func (s *server) sessionRoutes(api huma.API) {
	show := operation(http.MethodGet, sessionPath, "session", "Tell who is signed in, and what it may do")
	huma.Register(api, show, func(ctx context.Context, in *asked) (*sessionOutput, error) {
		return s.showSession(errandOf(ctx), in.request), nil
	})
	begin := operation(http.MethodPost, sessionPath, signInAction, "Sign a browser in")
	begin.DefaultStatus = http.StatusCreated
	huma.Register(api, begin, func(ctx context.Context, in *signInInput) (*sessionOutput, error) {
		out, err := s.signIn(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
	end := operation(http.MethodDelete, sessionPath, "sign-out", "Sign the browser out")
	huma.Register(api, end, func(ctx context.Context, in *asked) (*signedOutOutput, error) {
		errandOf(ctx).quiet = errandOf(ctx).caller == nil
		s.sessions.end(s.shownSession(in.request))
		return &signedOutOutput{SetCookie: []http.Cookie{s.cookieFor(in.request, "")}}, nil
	})
	s.passwordRoute(api)
}

// showSession takes a cookie back that opens nothing any more.
func (s *server) showSession(k *errand, r *http.Request) *sessionOutput {
	user, until := s.useSession(r)
	out := &sessionOutput{Body: s.sessionOf(k, until)}
	if user == nil && s.shownSession(r) != "" {
		out.SetCookie = []http.Cookie{s.cookieFor(r, "")}
	}
	return out
}

// sessionOf tells who calls and what that may do.
func (s *server) sessionOf(k *errand, until time.Time) Session {
	c := s.DB.Catalog()
	out := Session{SetUp: c.Users.Len() > 0, Authz: AuthzSingle, OIDC: s.provider != nil}
	if s.Authz == AuthzRBAC {
		out.Authz = AuthzRBAC
	}
	if k.caller == nil {
		return out
	}
	access := k.access(c)
	out.SignedIn, out.Until, out.Actor, out.Administrator = true, until, &k.actor, access.Full()
	if out.Administrator {
		return out
	}
	for _, g := range access.Grants() {
		scope := SessionScope{g.Scope.Kind, g.Scope.ID, nameOf(c, g.Scope.Kind, g.Scope.ID)}
		out.Grants = append(out.Grants, SessionGrant{g.Role.Metadata.Name, scope, g.Role.Spec.Rules})
	}
	return out
}

// signIn exchanges a password for a session and ends the one that the browser
// had. Whether it is the name or the password that is wrong, the answer and its
// time do not tell.
func (s *server) signIn(ctx context.Context, in *signInInput) (*sessionOutput, error) {
	k := errandOf(ctx)
	wait, undo := s.failures.hold(s.Now(), k.address)
	if wait > 0 {
		return nil, tooMany(wait)
	}
	user := s.DB.Catalog().Users.ByName(in.Body.Username)
	matches, err := s.passwordMatches(ctx, user, in.Body.Password)
	if err != nil {
		return nil, err
	}
	if !matches {
		who := anonymous()
		if user != nil {
			who = s.callerFor(user).actor
		}
		s.refused(who, k.address, "a wrong username or password")
		return nil, problem(http.StatusUnauthorized, "the username or the password is wrong")
	}
	undo()
	return s.admit(k, in.request, user), nil
}

// passwordMatches takes as long for a user that does not exist, has no password
// or is disabled, and says no.
func (s *server) passwordMatches(ctx context.Context, user *store.User, password store.Secret) (bool, error) {
	var hash store.PasswordHash
	if user != nil {
		var err error
		if hash, err = s.DB.PasswordHash(user); err != nil {
			return false, err
		}
	}
	matches, err := s.Passwords.Matches(ctx, hash, password)
	return matches && user != nil && !user.Spec.Disabled, err
}

// admit opens a session for a user who has shown who it is.
func (s *server) admit(k *errand, r *http.Request, user *store.User) *sessionOutput {
	s.sessions.end(s.shownSession(r))
	id := s.sessions.begin(user.Metadata.ID, stampOf(s.DB.Catalog(), user), s.Now())
	_, until, _ := s.sessions.use(id, s.Now())
	k.caller = s.callerFor(user)
	s.Log.Info().Str("address", k.address).Str("user", user.Metadata.Name).Msg("signed in")
	return &sessionOutput{SetCookie: []http.Cookie{s.cookieFor(r, id)}, Body: s.sessionOf(k, until)}
}

func tooMany(wait time.Duration) error {
	return huma.ErrorWithHeaders(tooManyFailures(), http.Header{"Retry-After": {strconv.Itoa(int(wait / time.Second))}})
}
