package gateway

import (
	"context"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// settle ends what the request holds: it commits or cancels the reservation
// and records usage and cost. It runs once, on every path, before the last
// thing that the caller waits for is written.
func (x *exchange) settle() {
	if x.settled {
		return
	}
	x.settled = true
	if x.answer != nil {
		x.price()
	} else {
		x.leave()
	}
	now := x.s.clock.Now()
	commit := x.commit(now)
	x.s.limiter.Release(context.Background(), now, &x.upstream)
	x.record(commit)
	x.dropBody() // before the caller can send its next request
}

// commit gives the reservation back and returns the commit's number. It does
// not follow the caller's context: a caller that has left is charged all the
// same.
func (x *exchange) commit(now limiter.Instant) uint64 {
	if !x.admitted {
		return 0
	}
	ctx := context.Background()
	if !x.arrived {
		x.s.limiter.Cancel(ctx, now, &x.ticket)
		return 0
	}
	var upstream *limiter.Ticket
	if x.answer != nil {
		upstream = &x.upstream
	}
	return x.s.limiter.Commit(ctx, now, x.charge(), &x.ticket, upstream)
}

// charge is what the limiter counts.
func (x *exchange) charge() limiter.Usage {
	u := &x.tap.Usage
	charge := limiter.Usage{
		Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, Output: u.Output, Reasoning: u.Reasoning,
		ServerToolUseInput: u.ServerToolUseInput, ServerToolUseOutput: u.ServerToolUseOutput,
		Unknown: x.usageUnknown(),
	}
	if x.cost != nil {
		charge.CostNanos = *x.cost
	}
	return charge
}

// price computes the cost of what the answer reports. Without a price it stays
// unknown, which is not 0.
func (x *exchange) price() {
	if x.answer.Pricing == nil || !x.metered() || !x.answer.Pricing.HoldsAt(x.start) {
		return
	}
	u := &x.tap.Usage
	units := plan.Units{
		Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, Output: u.Output,
		CacheCreation1h: u.CacheCreation1h, AudioInput: u.AudioInput, AudioOutput: u.AudioOutput, Reasoning: u.Reasoning,
		ServerToolUseInput: u.ServerToolUseInput, ServerToolUseOutput: u.ServerToolUseOutput,
		Requests: 1, Images: u.Images, Millis: u.Seconds * 1000,
	}
	x.priced, _ = x.answer.Pricing.Cost(units, x.start, nil)
	x.cost = &x.priced
}

// record queues the usage event. Requests without a credential leave none.
func (x *exchange) record(commit uint64) {
	if x.caller == nil || !x.metered() || x.place == 0 && commit == 0 {
		return
	}
	x.fillEvent()
	if x.place > 0 {
		x.encoded = store.AppendEvent(x.encoded[:0], &x.event)
	} else {
		x.encoded = x.encoded[:0]
		x.s.metrics.unrecorded.Inc()
	}
	if x.s.opt.StrictUsage > 0 {
		x.recorded = x.s.opt.DB.RecordUsageDurable(commit, x.start, x.encoded, x.place)
	} else {
		x.s.opt.DB.RecordUsage(commit, x.start, x.encoded, x.place)
	}
	x.place = 0
}

func (x *exchange) fillEvent() {
	e := &x.event
	took := time.Since(x.start)
	e.At, e.RequestID, e.Source, e.Endpoint = x.start, x.id, x.source(), x.call.name
	e.ShapeIn, e.Streamed = string(x.call.shape), x.streams()
	e.Status, e.ErrorKind = x.status, x.errorKind
	e.DurationMS, e.OverheadUS = took.Milliseconds(), max(took-x.waited, 0).Microseconds()
	if !x.first.IsZero() {
		e.TTFTMS = x.first.Sub(x.start).Milliseconds()
	}
	x.fillAccounts(e)
	x.fillRoute(e)
	if x.answer != nil {
		x.fillUsage(e, &x.tap.Usage)
	}
}

// source is by which way the request goes.
func (x *exchange) source() string {
	if x.proxied {
		return "proxy"
	}
	return sourcePipeline
}

// sourcePipeline is the source of requests that are not proxied.
const sourcePipeline = "pipeline"

func (x *exchange) fillAccounts(e *store.Event) {
	c := x.caller
	e.Policies = c.PolicyIDs
	e.Organization, e.Team, e.Project, e.Principal = c.Tenancy.Organization, c.Tenancy.Team, c.Tenancy.Project, c.Tenancy.Principal
	e.Credential = c.Shown()
	if l := x.refusal.Limit; l != nil {
		e.RefusedBy = store.RefusedBy{Limit: refusingLimit(l.Source), Meter: string(l.Counter.Name().Meter)}
	}
}

// refusingLimit is the record id of a rate limit, or whose own limit or budget
// it is.
func refusingLimit(s *limiter.Source) string {
	if s.Name != "" {
		return s.LimitID
	}
	return s.Owner
}

func (x *exchange) fillRoute(e *store.Event) {
	e.RequestedModel = short(x.requested)
	if x.model != nil {
		e.Model, e.Provider = x.model.ID, x.model.ProviderID
	}
	if x.answer != nil {
		e.Host, e.HostKey = x.key.Host.Record.Metadata.ID, x.key.ID
		e.ShapeOut = string(x.spoken.shape)
		e.Attempts = append(e.Attempts, x.tried(x.key, x.said, ""))
	}
}

func (x *exchange) fillUsage(e *store.Event, u *wire.Usage) {
	e.Tokens = store.Tokens{
		Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, Output: u.Output,
		CacheCreation1h: u.CacheCreation1h, Reasoning: u.Reasoning, AudioInput: u.AudioInput, AudioOutput: u.AudioOutput,
		ServerToolUseInput: u.ServerToolUseInput, ServerToolUseOutput: u.ServerToolUseOutput,
	}
	e.Units = store.Units{Seconds: float64(u.Seconds), Images: u.Images}
	e.UsageMissing, e.UsageClamped = !u.Present, u.Flagged
	e.Truncated = x.fillsContext()
	e.FinishReason = x.tap.Reason
	e.CostNanos = x.cost
	if x.answer.Pricing != nil {
		e.Pricing = x.answer.Pricing.ID
	}
}

// finish is the one exit of every request: what is still held is let go, the
// request is counted and logged.
func (x *exchange) finish() {
	if x.callerGone && x.errorKind == "" {
		x.errorKind = errCallerGone.Code
	}
	x.settle()
	x.trying.withdraw()
	if x.place > 0 {
		x.s.opt.DB.ForgetUsage(x.place)
	}
	if !x.writeUntil.IsZero() {
		_ = x.rc.SetWriteDeadline(time.Time{}) // the connection is kept for other requests
	}
	x.observe()
	x.release()
}

// note keeps an attempt that gave the caller nothing for the usage event, and
// counts every one.
func (x *exchange) note(a *attempt, o *outcome) {
	if o == nil {
		x.gen.seriesOf(a.c.Binding).attempts.in(x.s.metrics.attempts, a.host(), classNone.String()).Inc()
		return
	}
	o.host, o.key = a.host(), a.c.Key
	x.attempts++
	x.key, x.answer = nil, nil
	x.event.Attempts = append(x.event.Attempts, x.tried(o.key, o.status, o.class.String()))
	x.s.metrics.attempts.WithLabelValues(o.host, o.class.String()).Inc()
}

func (x *exchange) tried(k *plan.HostKey, status int, errorKind string) store.EventAttempt {
	return store.EventAttempt{HostKey: k.ID, Model: x.model.ID, Status: status, ErrorKind: errorKind, MS: time.Since(x.sent).Milliseconds()}
}
