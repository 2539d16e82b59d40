package gateway

import (
	"context"
	"time"

	"relay/gateway/wire"
)

// Keeping makes a request wait, before it is sent on, until what it has
// reserved is on disk, so that a crash forgets nothing of it. The zero value
// makes nothing wait.
type Keeping struct {
	// Await returns once every reserve up to the stamp is on disk, or with an
	// error when ctx ends first: limiter.Memory.AwaitKept.
	Await    func(ctx context.Context, stamp uint64) error
	Patience time.Duration // after which the request is refused instead
}

// unkeptRetry is when the writer of counters tries the disk again at the
// latest.
const unkeptRetry = time.Second

// awaitKept waits until the reserves of both sides are on disk, which is one
// wait, since the later one counts: the caller's is there already when another
// key is tried. Leases alone need not be kept, so requests that are limited by
// nothing else do not wait. When it reports false the key has been given back.
//
// The wait is time of Relay's own: part of the overhead, of no attempt, and
// never of what upstreams took.
func (x *exchange) awaitKept(c candidate) bool {
	keeping := &x.s.opt.Keeping
	stamp := max(x.ticket.Stamp(), x.own.Stamp(), x.upstream.Stamp())
	if keeping.Await == nil || stamp == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), keeping.Patience)
	defer cancel()
	if keeping.Await(ctx, stamp) == nil {
		return true
	}
	x.giveUp(c, &outcome{class: classNone, notSent: true})
	return false
}

// unkept ends a request whose reserve the disk has not taken.
func (x *exchange) unkept() error {
	if x.r.Context().Err() != nil {
		return x.abandoned()
	}
	e := wire.NewError(wire.CodeLimiterUnavailable, "The limits of this request cannot be stored now, so it is not sent on (limits.restart: never-over). Try again shortly. The log of the gateway says why.")
	e.RetryAfter = unkeptRetry
	return e
}
