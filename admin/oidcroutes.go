package admin

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/oauth2"

	"relay/store"
)

// Where a sign-in at an identity provider begins, and where it comes back.
const (
	oidcLoginPath    = "/api/auth/oidc/login"
	oidcCallbackPath = "/api/auth/oidc/callback"
)

// What became of a sign-in at an identity provider that failed: the page that
// the browser is sent to says it in words.
const (
	faultExpired     = "expired"     // it was not begun here, or too long ago
	faultDenied      = "denied"      // the provider has not let the person in
	faultClosed      = "closed"      // the person is no user
	faultDisabled    = "disabled"    // the user is disabled
	faultUnavailable = "unavailable" // the provider cannot be asked
)

// redirectOutput sends a browser on.
type redirectOutput struct {
	Status    int
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func (s *server) oidcRoutes(api huma.API) {
	login := operation(http.MethodGet, oidcLoginPath, "oidc-login", "Send the browser to the identity provider")
	login.DefaultStatus = http.StatusFound
	huma.Register(api, login, func(ctx context.Context, in *asked) (*redirectOutput, error) {
		if s.provider == nil {
			return nil, noProvider()
		}
		return s.beginOIDC(ctx, in.request), nil
	})
	back := operation(http.MethodGet, oidcCallbackPath, "oidc-callback", "Where the identity provider sends the browser back")
	back.DefaultStatus, back.SkipValidateParams = http.StatusSeeOther, true // providers add parameters of their own
	huma.Register(api, back, func(ctx context.Context, in *asked) (*redirectOutput, error) {
		if s.provider == nil {
			return nil, noProvider()
		}
		return s.endOIDC(ctx, in.request)
	})
}

func noProvider() *Problem {
	return problem(http.StatusNotFound, "no identity provider is set: auth.oidc in the configuration names one")
}

// toPage leads from either path to the page that the listener serves, under
// whatever prefix.
const toPage = "../../../"

// sentBack sends the browser to the page, which says what went wrong.
func (s *server) sentBack(r *http.Request, fault string) *redirectOutput {
	return &redirectOutput{
		Status: http.StatusSeeOther, Location: toPage + "#sign-in=" + fault,
		SetCookie: []http.Cookie{s.begunCookie(r, "")},
	}
}

// beginOIDC sends the browser to the provider with state, nonce and the
// challenge of a secret that only it and Relay know (RFC 7636).
func (s *server) beginOIDC(ctx context.Context, r *http.Request) *redirectOutput {
	found, err := s.provider.find(ctx)
	if err != nil {
		s.Log.Warn().Err(err).Msg("nobody can sign in at the identity provider")
		return s.sentBack(r, faultUnavailable)
	}
	begun := begunSignIn{State: randomText(32), Nonce: randomText(32), Verifier: oauth2.GenerateVerifier(), Expires: s.Now().Add(begunLife)}
	return &redirectOutput{
		Status:    http.StatusFound,
		Location:  s.provider.config(found).AuthCodeURL(begun.State, oidc.Nonce(begun.Nonce), oauth2.S256ChallengeOption(begun.Verifier)),
		SetCookie: []http.Cookie{s.begunCookie(r, s.begunCookies.seal(begun))},
	}
}

// endOIDC signs the browser in as who the provider says it is.
func (s *server) endOIDC(ctx context.Context, r *http.Request) (*redirectOutput, error) {
	k := errandOf(ctx)
	wait, undo := s.failures.hold(s.Now(), k.address)
	if wait > 0 {
		return nil, tooMany(wait)
	}
	who, fault := s.comeBack(ctx, r)
	if fault != "" {
		if fault == faultUnavailable {
			undo()
		}
		s.refused(anonymous(), k.address, "at the identity provider: "+fault)
		return s.sentBack(r, fault), nil
	}
	user, fault, err := s.welcome(k, who)
	switch {
	case err != nil:
		return nil, s.refusal(err)
	case fault != "":
		s.refused(anonymous(), k.address, "at the identity provider: "+fault)
		return s.sentBack(r, fault), nil
	}
	undo()
	session := s.admit(k, r, user)
	s.audit(store.AuditEntry{Actor: k.actor, Address: k.address, Action: signInAction, Outcome: store.AuditDone, Status: http.StatusSeeOther})
	return &redirectOutput{
		Status: http.StatusSeeOther, Location: toPage,
		SetCookie: append(session.SetCookie, s.begunCookie(r, "")),
	}, nil
}

// comeBack finds out who it is that the provider sends back.
func (s *server) comeBack(ctx context.Context, r *http.Request) (who person, fault string) {
	query := r.URL.Query()
	begun, ok := s.begun(r)
	if !ok || subtle.ConstantTimeCompare([]byte(begun.State), []byte(query.Get("state"))) != 1 {
		return who, faultExpired
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		return who, faultDenied
	}
	if _, err := s.provider.find(ctx); err != nil {
		s.Log.Warn().Err(err).Msg("nobody can sign in at the identity provider")
		return who, faultUnavailable
	}
	who, err := s.provider.exchange(ctx, query.Get("code"), &begun)
	if err != nil {
		s.Log.Warn().Err(unwrapURL(err)).Msg("a sign-in at the identity provider has failed")
		return who, faultDenied
	}
	return who, ""
}

// unwrapURL leaves out the address of a call, in which there may be a secret.
func unwrapURL(err error) error {
	var called *url.Error
	if errors.As(err, &called) {
		return called.Err
	}
	return err
}
