package plan

import (
	"time"

	"relay/limiter"
)

// Untried gathers, over the models of one request, why no key of them was
// tried. The zero value has nothing to say.
type Untried struct {
	limit   limiter.Refusal // by a limit of a model; of several the soonest
	full    *Route          // whose keys are at limits of their own; likewise
	keys    int
	soonest time.Duration
	refused *Refused // the first
}

// Limited notes a model that is over a limit of its own.
func (u *Untried) Limited(r limiter.Refusal) {
	if !u.limit.Refused() || r.Wait < u.limit.Wait {
		u.limit = r
	}
}

// Full notes a model of which so many keys could take the request but for
// limits of their own, the soonest after the wait.
func (u *Untried) Full(way *Route, keys int, soonest time.Duration) {
	if keys > 0 && (u.full == nil || soonest < u.soonest) {
		u.full, u.keys, u.soonest = way, keys, soonest
	}
}

// Refused notes a model that may not be used.
func (u *Untried) Refused(r *Refused) {
	if u.refused == nil {
		u.refused = r
	}
}

// Limit returns the limit of a model that refuses the request; it is not
// refused when something else decides.
func (u *Untried) Limit() limiter.Refusal {
	if u.full != nil && u.soonest <= u.limit.Wait {
		return limiter.Refusal{}
	}
	return u.limit
}

// Verdict refuses a request for the model where no limit of a model does. wait
// is how long until a key has room; 0: nobody knows.
func (u *Untried) Verdict(asked *Model) (r *Refused, wait time.Duration) {
	switch {
	case u.full != nil:
		return RefuseFull(u.full.Model, u.full, u.keys, limiter.Refusal{Wait: u.soonest}.RetryAfter()), u.soonest
	case u.refused != nil:
		return u.refused, 0
	}
	return RefuseBenched(asked), 0
}
