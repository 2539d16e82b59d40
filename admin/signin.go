package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"relay/store"
)

// Failed sign-ins within a minute, of one address and of all together, after
// which further ones are answered 429. A valid credential is never locked out.
const (
	failuresPerAddress = 10
	failuresInAll      = 60
	failureWindow      = time.Minute
)

type trustKey struct{}

// Trusted marks every request as coming from who may do everything. It is for
// transports that prove this by themselves: the Unix socket, by the permission
// of its file, and calls within the process. No header has this effect.
func Trusted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), trustKey{}, true)))
	})
}

func trusted(r *http.Request) bool {
	mark, _ := r.Context().Value(trustKey{}).(bool)
	return mark
}

// holdsToken compares hashes, so that the time tells nothing about the token.
func (s *server) holdsToken(r *http.Request) bool {
	shown := bearer(r)
	want := sha256.Sum256([]byte(s.Token.Reveal()))
	got := sha256.Sum256([]byte(shown))
	same := subtle.ConstantTimeCompare(want[:], got[:]) == 1
	return same && !s.Token.IsZero() && shown != ""
}

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// failed counts a refused credential, if there was one, and returns how long
// its sender has to wait; 0 lets it try on.
func (s *server) failed(r *http.Request) time.Duration {
	shown, address := s.showsCredential(r), s.addressOf(r)
	wait := s.failures.add(s.Now(), address, shown)
	if shown && wait == 0 {
		s.refused(anonymous(), address, "a credential that is not valid")
	}
	return wait
}

// refused tells the logs of a failed sign-in.
func (s *server) refused(who store.Actor, address, reason string) {
	s.Log.Warn().Str("address", address).Str("reason", reason).Msg("sign-in refused")
	s.audit(store.AuditEntry{Actor: who, Address: address, Action: signInAction, Outcome: store.AuditRefused, Status: http.StatusUnauthorized, Reason: reason})
}

// signInAction is what the audit log calls signing in, in whatever way.
const signInAction = "sign-in"

// showsCredential reports whether the request tried to sign in, by a header or a
// cookie.
func (s *server) showsCredential(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || s.shownSession(r) != ""
}

func tooManyFailures() *Problem {
	return problem(http.StatusTooManyRequests, "too many failed sign-ins; try again later")
}

func (s *server) unauthenticated(r *http.Request) *Problem {
	switch {
	case strings.HasPrefix(bearer(r), store.RelayKeyPrefix):
		return problem(http.StatusUnauthorized, "a relay key calls models; the control API takes an admin token")
	case r.Header.Get("Authorization") != "":
		return problem(http.StatusUnauthorized, "the credential is not valid")
	case s.shownSession(r) != "":
		return problem(http.StatusUnauthorized, "the session has ended; sign in again")
	}
	return problem(http.StatusUnauthorized,
		"sign in, or send an admin token as Authorization: Bearer; the first is in admin.token in the data directory")
}

// addressOf tells where a request comes from, as the limits see it.
func (s *server) addressOf(r *http.Request) string {
	if s.Admission != nil {
		if addr := s.Admission.ClientAddr(r); addr.IsValid() {
			return addr.String()
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// failures remembers the failed sign-ins of the last minute, 60 at most.
type failures struct {
	mu     sync.Mutex
	recent []failure
}

type failure struct {
	address string
	at      time.Time
}

// hold counts an attempt as failed before its outcome is known, so that many at
// once are no more than allowed, unless its sender has to wait. Undo is for one
// that succeeds.
func (f *failures) hold(now time.Time, address string) (wait time.Duration, undo func()) {
	address = networkOf(address)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(now)
	if wait := f.wait(now, address); wait > 0 {
		return wait, func() {}
	}
	held := failure{address, now}
	f.recent = append(f.recent, held)
	return 0, func() { f.drop(held) }
}

func (f *failures) drop(held failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.recent, held); i >= 0 {
		f.recent = slices.Delete(f.recent, i, i+1)
	}
}

// add counts a failure when a credential was shown and returns how long the
// address has to wait; 0 lets it try on.
func (f *failures) add(now time.Time, address string, shown bool) time.Duration {
	address = networkOf(address)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(now)
	if wait := f.wait(now, address); wait > 0 || !shown {
		return wait
	}
	f.recent = append(f.recent, failure{address, now})
	return 0
}

// networkOf is what one sender has: an IPv4 address, or an IPv6 network of 64
// bits.
func networkOf(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil || addr.Unmap().Is4() {
		return address
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}

func (f *failures) forget(now time.Time) {
	for len(f.recent) > 0 && now.Sub(f.recent[0].at) >= failureWindow {
		f.recent = f.recent[1:]
	}
}

func (f *failures) wait(now time.Time, address string) time.Duration {
	if len(f.recent) >= failuresInAll {
		return untilGone(now, f.recent[0])
	}
	var own []failure
	for _, past := range f.recent {
		if past.address == address {
			own = append(own, past)
		}
	}
	if len(own) < failuresPerAddress {
		return 0
	}
	return untilGone(now, own[0])
}

// untilGone is rounded up to whole seconds, so that it is never 0.
func untilGone(now time.Time, past failure) time.Duration {
	return (failureWindow - now.Sub(past.at)).Truncate(time.Second) + time.Second
}
