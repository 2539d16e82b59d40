package gateway

import (
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
)

// eventBytes is the place a usage event takes in the queue besides what the
// caller adds to it (tags, names).
const eventBytes = 1024

// admit takes a place for the usage event and reserves every limit and budget
// of the caller's side, once.
func (x *exchange) admit() error {
	if x.place == 0 && !x.s.opt.ContinueUnrecorded {
		return wire.NewError(wire.CodeUsageUnavailable, "Usage cannot be recorded now, so no metered call is taken. Ask your gateway administrator to look at /readyz.")
	}
	if r := x.caller.RefuseUnpriced(x.model, x.way, x.takes, x.start); r != nil {
		return refusedByPlan(r)
	}
	if r := x.caller.RefuseModelLimit(x.model); r != nil {
		return refusedByPlan(r)
	}
	x.facts = plan.Facts{
		Caller: x.caller, Model: x.model, Asked: x.requested, Endpoint: x.call.name, User: x.event.User, Now: x.s.clock.Now(),
	}
	addHeld(&x.ticket, &x.caller.Held, &x.facts)
	if x.proxied {
		if err := x.proxyLimits(); err != nil {
			return err
		}
	}
	x.addModelLimits(&x.ticket, &x.facts)
	if r := x.book(&x.ticket); r != nil {
		return refusedByPlan(r)
	}
	refusal, err := x.s.limiter.Reserve(x.r.Context(), x.facts.Now, &x.ticket)
	switch {
	case err != nil && x.ticket.Len() > 0:
		return refusedByPlan(limiterUnavailable("The limits of this key"))
	case refusal.Refused():
		return x.limited(refusal)
	}
	x.admitted = true
	return nil
}

// limiterRetry is when a limiter that cannot answer is to be asked again.
const limiterRetry = time.Second

// limiterUnavailable refuses what the limiter cannot answer for: a limit that
// nobody checks is none.
func limiterUnavailable(what string) *plan.Refused {
	return &plan.Refused{Code: wire.CodeLimiterUnavailable, By: "relay", Message: what + " cannot be checked now. Try again shortly."}
}

// addHeld adds what limits the request out of what limits many.
func addHeld(t *limiter.Ticket, held *plan.Held, f *plan.Facts) {
	t.Add(held.Limits)
	for _, s := range held.Selective {
		t.Add(s.Limits(f))
	}
}

// addModelLimits adds what limits the caller at a model, and what limits the
// model for everybody.
func (x *exchange) addModelLimits(t *limiter.Ticket, f *plan.Facts) {
	addPerModel(t, x.caller.ModelLimits, f)
	t.Add(f.Model.Limits)
}

// addPerModel adds what policies put on the model alone.
func addPerModel(t *limiter.Ticket, all []plan.ModelLimits, f *plan.Facts) {
	for _, perModel := range all {
		limit := perModel.Of(f.Model)
		addHeld(t, &limit.Held, f)
	}
}

// takePlace asks for a place in the usage queue. Refused requests use it too.
func (x *exchange) takePlace() {
	if x.s.opt.DB.AdmitUsage(eventBytes) {
		x.place = eventBytes
	}
}

// reserveUpstream reserves the limits above one key: its host's, its host
// account's and its own. A key that can never take the request is passed over,
// and so is one whose limits cannot be checked.
func (x *exchange) reserveUpstream(c candidate) (refusal limiter.Refusal, ok bool) {
	x.upstream.Reset()
	if !x.metered() {
		return limiter.Refusal{}, true
	}
	f := x.facts
	f.Model, f.Now = x.model, x.s.clock.Now()
	addHeld(&x.upstream, &c.Key.Held, &f)
	addPerModel(&x.upstream, c.Key.PerModel, &f)
	if r := x.book(&x.upstream); r != nil {
		x.untried.Refused(r)
		return limiter.Refusal{}, false
	}
	refusal, err := x.s.limiter.Reserve(x.r.Context(), f.Now, &x.upstream)
	if err != nil && x.upstream.Len() > 0 {
		x.untried.Refused(limiterUnavailable("The limits of the provider keys"))
		return limiter.Refusal{}, false
	}
	return refusal, !refusal.Refused()
}
