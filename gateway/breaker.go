package gateway

import (
	"slices"
	"sync"
	"time"

	"relay/gateway/plan"
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
	probing  bool      // a half-open probe is under way
	reason   string
	rests    map[string]time.Time // by model id; "" is every model
	lastUsed int64                // number of the server's pick; 0: never
}

// admits reports whether the key may be tried for the model now. Past an
// opening it lets one probe through: the caller must report its outcome or
// call withdraw.
func (k *keyState) admits(model string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Before(k.rests[model]) || now.Before(k.rests[""]) {
		return false
	}
	if k.until.IsZero() {
		return true
	}
	if now.Before(k.until) || k.probing {
		return false
	}
	k.probing = true
	return true
}

// withdraw gives a probe back that was not used.
func (k *keyState) withdraw() {
	k.mu.Lock()
	k.probing = false
	k.mu.Unlock()
}

// succeeded closes the breaker.
func (k *keyState) succeeded() {
	k.mu.Lock()
	k.failures, k.opened, k.until, k.probing, k.reason = 0, 0, time.Time{}, false, ""
	k.mu.Unlock()
}

// failed notes an outcome. rest is the wait that the upstream asked for; 0:
// none.
func (k *keyState) failed(c class, model string, rest time.Duration, now time.Time, reason string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.probing = false
	switch c {
	case classAuth:
		k.until, k.reason = now.Add(authProbeEvery), reason
	case classQuota:
		k.rest("", now.Add(quotaRest))
		k.reason = reason
	case classRateLimit, classOverloaded:
		k.rest(model, now.Add(restFor(rest)))
	case classServerError, classNetwork:
		k.failures++
		if k.failures >= failuresToOpen {
			k.until, k.reason = now.Add(min(firstOpen<<min(k.opened, 5), longestOpen)), reason
			k.opened++
		}
	}
}

func restFor(asked time.Duration) time.Duration {
	if asked <= 0 {
		return defaultRest
	}
	return min(max(asked, leastRest), mostRest)
}

func (k *keyState) rest(model string, until time.Time) {
	if k.rests == nil {
		k.rests = map[string]time.Time{}
	}
	k.rests[model] = until
}

// describe reports the state for administrators.
func (k *keyState) describe(now time.Time) plan.KeyState {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.until.IsZero() && now.Before(k.until):
		return plan.KeyState{State: "open", Until: k.until, Reason: k.reason}
	case !k.until.IsZero():
		return plan.KeyState{State: "half-open", Reason: k.reason}
	}
	return k.describeRest(now)
}

// describeRest reports the models that the key rests for, and until when for
// the last of them.
func (k *keyState) describeRest(now time.Time) plan.KeyState {
	state := plan.KeyState{State: "closed"}
	for model, until := range k.rests {
		if !until.After(now) {
			continue
		}
		state.State, state.Reason = "resting", k.reason
		if until.After(state.Until) {
			state.Until = until
		}
		if model != "" {
			state.Models = append(state.Models, model)
		}
	}
	if k.rests[""].After(now) {
		state.Models = nil
	}
	slices.Sort(state.Models)
	return state
}

// breakers holds the state of each key value that a plan has named. It is
// keyed by value hash, so a rotated key begins closed.
type breakers struct {
	mu     sync.Mutex
	states map[string]*keyState
}

func newBreakers() *breakers { return &breakers{states: map[string]*keyState{}} }

// of returns the states of the plan's keys, in their order, and forgets those
// of values that no key has any more.
func (b *breakers) of(keys []*plan.HostKey) []*keyState {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := make(map[string]*keyState, len(keys))
	states := make([]*keyState, len(keys))
	for i, k := range keys {
		state := b.states[k.ValueHash]
		if state == nil {
			state = next[k.ValueHash]
		}
		if state == nil {
			state = &keyState{}
		}
		next[k.ValueHash], states[i] = state, state
	}
	b.states = next
	return states
}
