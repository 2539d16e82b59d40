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

// Session tells whether the caller is signed in.
type Session struct {
	SignedIn bool      `json:"signedIn"`
	Until    time.Time `json:"until,omitzero" doc:"When a browser's session ends unless it is used before."`
}

// SignIn is what signs a browser in.
type SignIn struct {
	Setup store.Secret `json:"setup" minLength:"1" maxLength:"200" doc:"The secret of a setup link: what follows #setup= in it."`
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
	show := operation(http.MethodGet, sessionPath, "session", "Tell whether the caller is signed in")
	huma.Register(api, show, func(_ context.Context, in *asked) (*sessionOutput, error) {
		return s.showSession(in.request), nil
	})
	begin := operation(http.MethodPost, sessionPath, "sign-in", "Sign a browser in with a setup link, which is used up")
	begin.DefaultStatus = http.StatusCreated
	huma.Register(api, begin, func(_ context.Context, in *signInInput) (*sessionOutput, error) {
		out, err := s.signIn(in)
		if err != nil {
			return nil, err
		}
		return out, nil
	})
	end := operation(http.MethodDelete, sessionPath, "sign-out", "Sign the browser out")
	huma.Register(api, end, func(_ context.Context, in *asked) (*signedOutOutput, error) {
		s.sessions.end(s.shownSession(in.request))
		return &signedOutOutput{SetCookie: []http.Cookie{s.cookieFor(in.request, "")}}, nil
	})
}

// showSession takes a cookie back that opens nothing any more.
func (s *server) showSession(r *http.Request) *sessionOutput {
	until, inSession := s.useSession(r)
	out := &sessionOutput{Body: Session{SignedIn: inSession || trusted(r) || s.holdsToken(r), Until: until}}
	if !inSession && s.shownSession(r) != "" {
		out.SetCookie = []http.Cookie{s.cookieFor(r, "")}
	}
	return out
}

// signIn exchanges the secret of a setup link for a session and ends the one
// that the browser had.
func (s *server) signIn(in *signInInput) (*sessionOutput, error) {
	opened, err := s.setup.redeem(in.Body.Setup, s.Now())
	if err != nil {
		return nil, s.internal(err)
	}
	if !opened {
		return nil, s.refuseSetup(in.request)
	}
	s.sessions.end(s.shownSession(in.request))
	id := s.sessions.begin(s.Now())
	until, _ := s.sessions.use(id, s.Now())
	s.Log.Info().Str("address", addressOf(in.request)).Msg("signed in with a setup link")
	return &sessionOutput{
		SetCookie: []http.Cookie{s.cookieFor(in.request, id)},
		Body:      Session{SignedIn: true, Until: until},
	}, nil
}

func (s *server) refuseSetup(r *http.Request) error {
	wait := s.failed(r)
	if wait == 0 {
		return problem(http.StatusUnauthorized,
			"this setup link does not work any more: it opens once and within 30 minutes; relay setup --link makes another")
	}
	header := http.Header{"Retry-After": {strconv.Itoa(int(wait / time.Second))}}
	return huma.ErrorWithHeaders(tooManyFailures(), header)
}
