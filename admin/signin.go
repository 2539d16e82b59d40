package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strconv"
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

// signedIn lets through who is trusted, shows the admin token, or has a
// session; and everybody to where sessions begin.
func (s *server) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trusted(r) || s.holdsToken(r) || s.holdsSession(r) || r.URL.EscapedPath() == sessionPath {
			next.ServeHTTP(w, r)
			return
		}
		s.refuseSignIn(w, r)
	})
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

// failed counts a refused credential, if there was one, and returns how long
// its sender has to wait; 0 lets it try on.
func (s *server) failed(r *http.Request) time.Duration {
	shown, address := s.showsCredential(r), addressOf(r)
	if shown {
		s.Log.Warn().Str("address", address).Msg("sign-in refused")
	}
	return s.failures.add(s.Now(), address, shown)
}

// showsCredential reports whether the request tried to sign in: by a header, a
// cookie or, where sessions begin, its body.
func (s *server) showsCredential(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || s.shownSession(r) != "" || r.URL.EscapedPath() == sessionPath
}

func tooManyFailures() *Problem {
	return problem(http.StatusTooManyRequests, "too many failed sign-ins; try again later")
}

func (s *server) unauthenticated(r *http.Request) *Problem {
	switch {
	case strings.HasPrefix(bearer(r), store.RelayKeyPrefix):
		return problem(http.StatusUnauthorized, "a relay key calls models; the control API takes the admin token")
	case r.Header.Get("Authorization") != "":
		return problem(http.StatusUnauthorized, "the credential is not valid")
	case s.shownSession(r) != "":
		return problem(http.StatusUnauthorized, "the session has ended; relay setup --link makes a link that signs in")
	}
	return problem(http.StatusUnauthorized,
		"sign in with Authorization: Bearer and the admin token; it is in admin.token in the data directory")
}

func addressOf(r *http.Request) string {
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

// add counts a failure when a credential was shown and returns how long the
// address has to wait; 0 lets it try on.
func (f *failures) add(now time.Time, address string, shown bool) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(now)
	if wait := f.wait(now, address); wait > 0 || !shown {
		return wait
	}
	f.recent = append(f.recent, failure{address, now})
	return 0
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
