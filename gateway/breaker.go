package gateway

import (
	"maps"
	"sync"
	"time"
)

// class says what an attempt that did not answer tells about its key.
type class uint8

const (
	classNone        class = iota
	classAuth              // the key is refused: opens
	classQuota             // the account has no money left: rests long
	classRateLimit         // the key's own limit at the provider: rests for the model
	classOverloaded        // the provider asks to wait: rests for the model
	classServerError       // opens at the third in a row
	classNetwork           // as a server error
	classUnreachable       // the host, not the key
	classRequest           // the request's own fault
)

func (c class) String() string {
	return [...]string{"none", "auth", "quota", "rate_limit", "overloaded", "server_error", "network", "unreachable", "request"}[c]
}

// Times of the breaker.
const (
	authProbeEvery = 10 * time.Minute
	quotaRest      = 15 * time.Minute
	defaultRest    = 2 * time.Second
	leastRest      = 250 * time.Millisecond
	mostRest       = time.Hour
	failuresToOpen = 3
	firstOpen      = 2 * time.Second
	longestOpen    = 60 * time.Second
)

// keyState is what is known of one key value. It outlives plans.
type keyState struct {
	mu       sync.Mutex
	failures int       // server errors and network failures in a row
	opened   int       // openings in a row, for the back-off
	until    time.Time // open until; zero: closed
	probe    uint64    // the half-open probe that is under way; 0: none
	probes   uint64    // so far
	reason   string
	rests    map[string]time.Time // by model id; "" is every model
	lastUsed int64                // number of the server's pick; 0: never
}

// trial is a key that a request may try: an ordinary one, or the one probe past
// an opening. Whoever has it reports the outcome or withdraws. The zero trial
// is none.
type trial struct {
	key   *keyState
	probe uint64 // 0: the breaker was closed
}

// admits reports whether the key may be tried for the model now. Past an
// opening it lets one probe through at a time.
func (k *keyState) admits(model string, now time.Time) (trial, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.free(model, now):
		return trial{}, false
	case k.until.IsZero():
		return trial{key: k}, true
	}
	k.probes++
	k.probe = k.probes
	return trial{k, k.probe}, true
}

// ready reports whether admits would let the model through, and takes nothing.
func (k *keyState) ready(model string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.free(model, now)
}

// free is ready for whoever holds the mutex.
func (k *keyState) free(model string, now time.Time) bool {
	if now.Before(k.rests[model]) || now.Before(k.rests[""]) {
		return false
	}
	return k.until.IsZero() || !now.Before(k.until) && k.probe == 0
}

// withdraw ends a trial that tells nothing of the key.
func (t trial) withdraw() {
	if t.key == nil {
		return
	}
	t.key.mu.Lock()
	t.endProbe()
	t.key.mu.Unlock()
}

// endProbe lets the next probe through, and reports whether the trial was the
// one under way. An attempt from before the opening must not end the probe of
// another.
func (t trial) endProbe() bool {
	mine := t.probe != 0 && t.probe == t.key.probe
	if mine {
		t.key.probe = 0
	}
	return mine
}

// succeeded closes the breaker.
func (t trial) succeeded() {
	k := t.key
	k.mu.Lock()
	k.failures, k.opened, k.until, k.probe, k.reason = 0, 0, time.Time{}, 0, ""
	k.mu.Unlock()
}

// failed notes an outcome. rest is the wait that the upstream asked for; 0:
// none.
func (t trial) failed(c class, model string, rest time.Duration, now time.Time, reason string) {
	k := t.key
	k.mu.Lock()
	defer k.mu.Unlock()
	probed := t.endProbe()
	switch c {
	case classAuth:
		k.until, k.reason = now.Add(authProbeEvery), reason
	case classQuota:
		k.rest("", now.Add(quotaRest), now)
		k.reason = reason
	case classRateLimit, classOverloaded:
		k.rest(model, now.Add(restFor(rest)), now)
	case classServerError, classNetwork:
		if k.until.IsZero() || probed {
			k.countFailure(now, reason)
		}
	}
}

// countFailure opens the breaker at the third failure in a row. While it is
// open only its probe is counted: what was in flight at the opening would
// otherwise make a short fault a long rest.
func (k *keyState) countFailure(now time.Time, reason string) {
	k.failures++
	if k.failures < failuresToOpen {
		return
	}
	k.until, k.reason = now.Add(min(firstOpen<<min(k.opened, 5), longestOpen)), reason
	k.opened++
}

// failed tells the breaker of the candidate's key. A host that wants no key has
// none: its anonymous key is tried each time. Calls that are not metered say
// nothing of a key.
func (x *exchange) failed(c candidate, o class, rest time.Duration, reason string) {
	if c.Key.Anonymous || !x.metered() {
		c.trial.withdraw()
		return
	}
	c.trial.failed(o, x.model.ID, rest, x.s.now(), reason)
}

// now is the time of breakers: the limiter's, which does not go back and does
// not stand while the machine sleeps.
func (s *Server) now() time.Time { return time.Unix(0, s.clock.Now().V) }

func restFor(asked time.Duration) time.Duration {
	if asked <= 0 {
		return defaultRest
	}
	return min(max(asked, leastRest), mostRest)
}

// rest keeps the key from the model until then, or longer where it rests so
// already.
func (k *keyState) rest(model string, until, now time.Time) {
	if k.rests == nil {
		k.rests = map[string]time.Time{}
	}
	maps.DeleteFunc(k.rests, func(_ string, over time.Time) bool { return over.Before(now) })
	if len(k.rests) >= mostRests && k.rests[model].IsZero() {
		return
	}
	if until.After(k.rests[model]) {
		k.rests[model] = until
	}
}

// mostRests is for how many models a key rests at a time. Callers may name any
// model at a host that forwards what the catalog does not know.
const mostRests = 4096
