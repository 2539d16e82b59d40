package gateway

import (
	"errors"
	"strings"
	"sync"
	"time"

	"relay/gateway/plan"
	"relay/store/token"
)

// tokens are the inference tokens of one generation: what verifies them, and the
// callers of those that have been verified, so that a signature is checked once.
// Safe for concurrent use.
type tokens struct {
	verifier *token.Verifier // nil: none can be verified

	mu   sync.RWMutex
	seen map[[32]byte]seenToken // by SHA-256
}

type seenToken struct {
	caller *plan.Caller
	until  time.Time // when its key ends; zero: no end
}

// mostTokens is how many verified tokens are remembered. Beyond it all are
// forgotten, and verified again.
const mostTokens = 4096

// tokenPrefix is how many characters of a token are shown.
const tokenPrefix = 14

// newTokens reads the keys of tokens, which are on disk before the plan is used
// that their rotation has led to. Where that fails those of the generation before
// go on.
func (s *Server) newTokens() *tokens {
	t := &tokens{seen: map[[32]byte]seenToken{}}
	keys, err := s.opt.DB.TokenKeys(time.Now())
	if err == nil {
		t.verifier = token.NewVerifier(s.opt.DB.InstallationID(), token.Keys(keys))
		return t
	}
	s.opt.Log.Error().Err(err).Msg("the keys of inference tokens cannot be read")
	if former := s.current.Load(); former != nil {
		t.verifier = former.tokens.verifier
	}
	return t
}

// caller returns the caller that shows the token, also when its time is over, and
// nil for one that is forged. Values that are no token of this Relay's are not
// ours.
func (t *tokens) caller(p *plan.Plan, text string, sum [32]byte, now time.Time) (caller *plan.Caller, ours bool) {
	if !t.verifier.Knows(text) {
		return nil, false
	}
	t.mu.RLock()
	known := t.seen[sum]
	t.mu.RUnlock()
	if known.caller == nil {
		known = t.verify(p, text, sum, now)
	}
	if !known.until.IsZero() && !now.Before(known.until) {
		return nil, true
	}
	return known.caller, true
}

func (t *tokens) verify(p *plan.Plan, text string, sum [32]byte, now time.Time) seenToken {
	claims, err := t.verifier.Verify(text, now)
	if err != nil && !errors.Is(err, token.ErrExpired) {
		return seenToken{}
	}
	shown := seenToken{until: claims.KeyUntil, caller: p.TokenCaller(plan.Token{
		ID: claims.ID, User: claims.User, Project: claims.Project, Version: claims.Version,
		Expires: claims.Expires, Prefix: strings.Clone(text[:tokenPrefix]), // not all of the text for as long
	})}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) >= mostTokens {
		clear(t.seen)
	}
	t.seen[sum] = shown
	return shown
}
