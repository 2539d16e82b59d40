package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"relay/store"
)

// OIDC says how people sign in at an identity provider (OpenID Connect).
type OIDC struct {
	Issuer       string // its URL, without which nobody signs in there
	ClientID     string
	ClientSecret store.Secret // zero for a client that has none
	RedirectURL  string       // where browsers come back: …/api/auth/oidc/callback
	Open         bool         // whoever signs in there becomes a user; else known users only
	GroupsClaim  string       // the claim that names groups; "": none does
	Admins       []string     // verified addresses, or subjects, of those who may do everything
}

// Bounds of what an identity provider may take and say.
const (
	providerTimeout = 10 * time.Second
	maxProviderText = 1 << 20 // bytes of an answer
	maxClaimed      = 256     // groups
)

// provider is an identity provider, once it has been found. It is safe for
// concurrent use.
type provider struct {
	OIDC
	client *http.Client
	now    func() time.Time

	mu    sync.Mutex
	found *oidc.Provider
}

func newProvider(o Options) *provider {
	if o.OIDC == nil {
		return nil
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: providerTimeout, ForceAttemptHTTP2: true}
	return &provider{OIDC: *o.OIDC, now: o.Now, client: &http.Client{Transport: bounded{transport}, Timeout: providerTimeout}}
}

// bounded cuts answers that are longer than an identity provider's are.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{io.LimitReader(answer.Body, maxProviderText), answer.Body}
	}
	return answer, err
}

type boundedBody struct {
	io.Reader
	io.Closer
}

// find asks the provider what it is, once. While it cannot be reached every
// sign-in tries again.
func (p *provider) find(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched in later calls as well, which must not end with this one.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("ask the identity provider: %w", err)
	}
	p.found = found
	return found, nil
}

func (p *provider) config(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret.Reveal(), Endpoint: found.Endpoint(), RedirectURL: p.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
}

// person is who somebody is at the provider.
type person struct {
	store.Identity
	username string
	name     string
	groups   []string
}

var errAnotherNonce = errors.New("the identity token is for another sign-in")

// exchange trades the code of a browser that comes back for who it is.
func (p *provider) exchange(ctx context.Context, code string, begun *begunSignIn) (person, error) {
	found, err := p.find(ctx)
	if err != nil {
		return person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.config(found).Exchange(ctx, code, oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		return person{}, fmt.Errorf("exchange the code: %w", withoutAnswer(err))
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return person{}, fmt.Errorf("verify the identity token: %w", err)
	}
	if id.Nonce != begun.Nonce || begun.Nonce == "" {
		return person{}, errAnotherNonce
	}
	return p.personOf(id)
}

// withoutAnswer leaves out what the provider has answered, which may hold the
// code.
func withoutAnswer(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Errorf("the identity provider answered %d %s", refused.Response.StatusCode, refused.ErrorCode)
	}
	return err
}

func (p *provider) personOf(id *oidc.IDToken) (person, error) {
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return person{}, fmt.Errorf("read the identity token: %w", err)
	}
	text := func(claim string) string {
		value, _ := claims[claim].(string)
		return value
	}
	who := person{
		Identity: store.Identity{Issuer: id.Issuer, Subject: id.Subject},
		username: text("preferred_username"), name: text("name"), groups: groupsIn(claims[p.GroupsClaim]),
	}
	if verified := claims["email_verified"]; verified == true || verified == "true" { // some providers write it as text
		who.Email = text("email")
	}
	return who, nil
}

// groupsIn reads a claim that is one name or a list of them.
func groupsIn(claim any) []string {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		var names []string
		for _, one := range claim {
			if name, ok := one.(string); ok && len(names) < maxClaimed {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}
