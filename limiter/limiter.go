package limiter

import (
	"context"
	"time"
)

// Limiter admits requests against counters. Memory is the implementation
// inside one process. All methods are safe for concurrent use.
type Limiter interface {
	// Reserve admits the ticket's request against every limit added to it, or
	// against none: a refused reserve leaves each counter as it was. It charges
	// request meters, takes concurrency leases, and books the ticket's estimate
	// where a limit has Reserve. The error is for a backend that cannot answer;
	// Memory returns none.
	Reserve(ctx context.Context, now Instant, t *Ticket) (Refusal, error)

	// Commit adds usage to the token and cost counters of both tickets, which
	// corrects what they booked, and gives their leases back. upstream may be
	// nil. It returns the number of this commit, counted from 1 without gaps,
	// or 0 when neither ticket was open. The settled usage event must carry the
	// number.
	Commit(ctx context.Context, now Instant, u Usage, caller, upstream *Ticket) uint64

	// Release gives leases back, and bookings too unless the ticket is to Keep
	// them, and charges nothing more: what an attempt that may have arrived at
	// an upstream ends with when another follows.
	Release(ctx context.Context, now Instant, t *Ticket)

	// Cancel undoes a reserve whose request cannot have reached an upstream:
	// leases and bookings go back, and so do those counts whose strategy gives
	// back.
	Cancel(ctx context.Context, now Instant, t *Ticket)

	// Ready returns nil when the limiter can answer now, else what is in its
	// way. Memory always can.
	Ready(ctx context.Context) error
}

// Instant is one reading of the limiter clock.
type Instant struct {
	V    int64 // nanoseconds that never go back; Unix time when no clock ever stepped back
	Wall int64 // Unix nanoseconds, for calendar periods
}

// Scope says whose limit it is. Wider scopes come first: a refusal names the
// widest limit that refuses.
type Scope uint8

// The scopes of the caller's side, widest first.
const (
	ScopeSystem Scope = iota
	ScopeOrganization
	ScopeTeam
	ScopeProject
	ScopePrincipal
	ScopePolicy // ordered by the rung it is bound to, see Source.Rung
	ScopeStandalone
	ScopeKey
	ScopeModel
	ScopeUpstream
)

func (s Scope) String() string {
	return [...]string{"system", "organization", "team", "project", "principal", "policy", "standalone", "key", "model", "upstream"}[s]
}

// Source describes the rate limit or budget that a Limit belongs to, for
// refusals and administrators. Immutable.
type Source struct {
	Scope    Scope
	Rung     Scope  // where it stands in the order: for ScopePolicy the rung, else Scope
	Order    int    // place within the rung
	LimitID  string // record id, or "limits", or "budget"
	Name     string // the rate limit's name; empty for shorthands and key caps
	Owner    string // "policy chat", "key laptop", "organization acme-inc"
	SharedBy int    // relay keys that share the counters now; 0: not said
}

// AtCap says whether a token counter that stands at its amount still admits.
type AtCap uint8

// The readings of amount for token meters.
const (
	AdmitAtCap  AtCap = iota // admits while used <= amount
	RefuseAtCap              // admits while used < amount
)

// Limit is one rule bound to its counter, made when the plan is compiled.
// Immutable. Counter and Source are never nil.
type Limit struct {
	Counter *Counter
	Amount  int64 // above 0; nano-dollars for budgets
	AtCap   AtCap // token meters only
	Warn    bool  // a budget that lets pass: reported in Ticket.Warned
	Reserve bool  // token meters only: a reserve books what the ticket estimates, and the commit corrects it
	Source  *Source
}

// ceiling returns the highest count at which the limit still admits a request
// that books so much: with its booking it must not be over the amount.
func (l *Limit) ceiling(booking int64) int64 {
	if booking > 0 || l.AtCap == AdmitAtCap && l.Counter.meter.countsTokens() {
		return l.Amount - booking
	}
	return l.Amount - 1
}

// Refusal is the verdict of a Reserve. The zero value admits.
type Refusal struct {
	// Limit is the rule named to the caller: within the widest refusing limit
	// the one with the longest wait. nil means admitted.
	Limit *Limit
	Used  int64 // what Limit's counter stood at
	// Booking is what the request would have booked there; 0 without Reserve.
	Booking int64
	// Wait is the longest wait of all refusing rules, exact. Negative: no wait
	// helps (a total budget, or a booking above the amount).
	Wait time.Duration
	// ResetAt is the wall time, in the budget's time zone, at which the period
	// of Limit ends; zero when Limit is no budget or never resets.
	ResetAt time.Time
}

// Refused reports whether the request was refused.
func (r Refusal) Refused() bool { return r.Limit != nil }

// RetryAfter returns the wait in whole seconds, rounded up, at least 1; 0 when
// no wait helps.
func (r Refusal) RetryAfter() int64 {
	if r.Wait < 0 {
		return 0
	}
	return max(1, int64((r.Wait+time.Second-1)/time.Second))
}
