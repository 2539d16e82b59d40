package gateway

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// credentialHeaders are read on every route; SDKs differ in the one they use.
var credentialHeaders = [...]string{"X-Relay-Key", "X-Wr-Api-Key", "Authorization", "X-Api-Key", "X-Goog-Api-Key"}

const keyPrefix = "sk-wr-"

// authenticate resolves the caller from the request's headers. Values that
// cannot be Relay's do not count beside one that can, since agents send stale
// keys of other vendors along.
func (x *exchange) authenticate() error {
	caller, err := x.resolve()
	if err != nil {
		x.s.metrics.authFailures.Inc()
		return x.unauthenticatedHere(err)
	}
	x.caller = caller
	if err := x.checkCaller(); err != nil {
		x.s.metrics.authFailures.Inc()
		return err
	}
	if err := x.checkAddress(); err != nil {
		return err
	}
	return x.enterAccount()
}

// resolve finds out who calls.
func (x *exchange) resolve() (*plan.Caller, error) {
	if x.proxied = asksForProxy(x.r.Header); x.proxied {
		return x.authenticateProxy()
	}
	caller, err := x.gen.callerOf(x.credentials(), x.start)
	if err != nil {
		if local := anonymous(x.gen.plan, x.r.Header); local != nil {
			return local, nil
		}
	}
	return caller, err
}

// credentials is the header, and in it the key that Gemini's clients may put
// into the query.
func (x *exchange) credentials() http.Header {
	if x.call.shape != store.ShapeGemini || x.r.URL.RawQuery == "" {
		return x.r.Header
	}
	key := x.r.URL.Query().Get("key")
	if key == "" {
		return x.r.Header
	}
	h := x.r.Header.Clone()
	h.Add("X-Goog-Api-Key", key)
	return h
}

// callerOf finds the caller of the one credential that is this Relay's, or
// passes for one of its.
func (g *generation) callerOf(h http.Header, now time.Time) (*plan.Caller, error) {
	var found *plan.Caller
	var relays string // the value that looks like one of Relay's
	for _, name := range credentialHeaders {
		for _, value := range h[name] {
			value = credential(name, value)
			if value == "" || value == relays {
				continue
			}
			caller, ours := g.lookUp(value, now)
			if !ours {
				continue
			}
			if relays != "" {
				return nil, g.ambiguous(relays, value)
			}
			relays, found = value, caller
		}
	}
	if found == nil {
		return nil, unauthenticated()
	}
	return found, nil
}

// lookUp returns the caller that a credential stands for. One that is nobody's
// is ours nevertheless where it has the form that Relay gives to its own.
func (g *generation) lookUp(value string, now time.Time) (caller *plan.Caller, ours bool) {
	sum := sha256.Sum256([]byte(value))
	if caller = g.plan.Caller(sum); caller != nil || strings.HasPrefix(value, keyPrefix) {
		return caller, true
	}
	return g.tokens.caller(g.plan, value, sum, now)
}

// issued reports whether a credential is one of Relay's, or passes for one.
func (g *generation) issued(value string) bool {
	return strings.HasPrefix(value, keyPrefix) || g.tokens.verifier.Knows(value) || g.plan.Caller(sha256.Sum256([]byte(value))) != nil
}

func (g *generation) ambiguous(a, b string) error {
	what := "two different relay keys"
	if g.tokens.verifier.Knows(a) || g.tokens.verifier.Knows(b) {
		what = "two different credentials of this Relay"
	}
	return wire.NewError(wire.CodeAmbiguousCredentials, "The request carries "+what+". Send one.")
}

func unauthenticated() error {
	return wire.NewError(wire.CodeUnauthenticated, "No valid relay key. Send one as Authorization: Bearer sk-wr-… or in x-api-key; an administrator makes it with: relay key add NAME.")
}

// credential takes the secret out of a header's value.
func credential(header, value string) string {
	if header != "Authorization" {
		return strings.TrimSpace(value)
	}
	token, _ := bearer(value)
	return token
}

// bearer takes the token out of the value of an Authorization header. ok is
// false for another scheme.
func bearer(value string) (token string, ok bool) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// checkCaller refuses credentials whose time is over.
func (x *exchange) checkCaller() error {
	c := x.caller
	if r := c.RefuseOver(x.start); r != nil {
		return refusedByPlan(r)
	}
	if c.Token != nil && x.s.opt.DB.TokenRevoked(c.Token.ID) {
		return refusedByPlan(c.RefuseRevoked())
	}
	if !c.Until.IsZero() && !x.start.Before(c.Until) {
		return unauthenticated()
	}
	return nil
}

// checkAddress holds the connection's address against the key's allow-list, and
// that of a request without a key against the machine itself.
func (x *exchange) checkAddress() error {
	if x.caller == x.gen.plan.Local && forwarded(x.r.Header) {
		return wire.NewError(wire.CodeIPRestricted, "inference.auth: open serves requests without a key from this machine only, and this one came through a proxy. Send a relay key (relay key add NAME makes one), or write inference.auth: key.")
	}
	if len(x.caller.AllowedCIDRs) == 0 {
		return nil
	}
	if contains(x.caller.AllowedCIDRs, x.s.ClientAddr(x.r)) {
		return nil
	}
	return wire.NewError(wire.CodeIPRestricted, "Relay key "+x.caller.KeyName+" may not be used from this address. Ask your gateway administrator.")
}
