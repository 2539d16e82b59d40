package gateway

import (
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
	if r := x.caller.RefuseUnpriced(x.model, x.way, x.takes); r != nil {
		return refusedByPlan(r)
	}
	if r := x.caller.RefuseModelLimit(x.model); r != nil {
		return refusedByPlan(r)
	}
	now := x.s.clock.Now()
	x.ticket.Add(x.caller.Limits)
	if x.proxied {
		if err := x.proxyLimits(now); err != nil {
			return err
		}
	}
	x.addModelLimits(&x.ticket, x.model)
	refusal, err := x.s.limiter.Reserve(x.r.Context(), now, &x.ticket)
	if err != nil {
		return wire.NewError(wire.CodeLimiterUnavailable, "The limits of this key cannot be checked now. Try again shortly.")
	}
	if refusal.Refused() {
		return x.limited(refusal)
	}
	x.admitted = true
	return nil
}

// addModelLimits adds what limits the caller at a model, and what limits the
// model for everybody.
func (x *exchange) addModelLimits(t *limiter.Ticket, m *plan.Model) {
	for _, perModel := range x.caller.ModelLimits {
		t.Add(perModel.Of(m).Limits)
	}
	t.Add(m.Limits)
}

// takePlace asks for a place in the usage queue. Refused requests use it too.
func (x *exchange) takePlace() {
	if x.s.opt.DB.AdmitUsage(eventBytes) {
		x.place = eventBytes
	}
}

// reserveUpstream reserves the limits above one key: its host's, its host
// account's and its own.
func (x *exchange) reserveUpstream(c candidate) (limiter.Refusal, bool) {
	x.upstream.Reset()
	if !x.metered() {
		return limiter.Refusal{}, true
	}
	x.upstream.Add(c.Key.Limits)
	for _, perModel := range c.Key.PerModel {
		x.upstream.Add(perModel.Of(x.model).Limits)
	}
	refusal, err := x.s.limiter.Reserve(x.r.Context(), x.s.clock.Now(), &x.upstream)
	return refusal, err == nil && !refusal.Refused()
}
