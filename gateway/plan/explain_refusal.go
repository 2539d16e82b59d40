package plan

import (
	"time"

	"relay/limiter"
)

// WouldRefuse is what a caller would get instead of an answer.
type WouldRefuse struct {
	Code              string `json:"code" doc:"As callers see it."`
	Message           string `json:"message" doc:"As callers see it."`
	By                string `json:"by" enum:"limit,budget,policy,key,relay" doc:"Who refuses: what X-Relay-Refused-By says."`
	RetryAfterSeconds int64  `json:"retryAfterSeconds,omitempty" doc:"Absent: no wait helps, or none is known."`
}

// refusal makes the checks of the request path in its order; nil lets the
// request pass.
func (e *explainer) refusal() *WouldRefuse {
	if r := e.refusedByPlan(); r != nil {
		return r.told()
	}
	if r := e.judge(e.limits()); r.Refused() {
		return limited(r)
	}
	return e.refusedByKeys()
}

// refusedByPlan is what the catalog alone refuses.
func (e *explainer) refusedByPlan() *Refused {
	c := e.caller
	if r := c.RefuseOver(e.Now); r != nil {
		return r
	}
	if c.Refused != nil {
		return c.Refused
	}
	if r := c.RefuseEndpoint(e.Endpoint, e.path); r != nil {
		return r
	}
	switch {
	case e.unclear != nil:
		return e.unclear
	case e.model == nil:
		return c.RefuseUnknown(e.Model)
	}
	if r := c.RefuseRoute(e.model, e.way, e.pin, e.takes); r != nil {
		return r
	}
	if r := c.Gates.RefuseEndpoint(e.Endpoint); r != nil {
		return r
	}
	if r := c.RefuseUnpriced(e.model, e.way, e.takes, e.Now); r != nil {
		return r
	}
	return c.RefuseModelLimit(e.model)
}

func limited(r limiter.Refusal) *WouldRefuse {
	return &WouldRefuse{Code: LimitCode(r.Limit), Message: RefusalText(r), By: LimitKind(r.Limit), RetryAfterSeconds: r.RetryAfter()}
}

// refusedByKeys looks for a model that has room and a key of it that is healthy
// and has room.
func (e *explainer) refusedByKeys() *WouldRefuse {
	var u Untried
	if e.way.each(func(r *Route) bool { return e.on(r.Model, r).tries(&u) }) {
		return nil
	}
	if limit := u.Limit(); limit.Refused() {
		return limited(limit)
	}
	refused, wait := u.Verdict(e.model)
	told := refused.told()
	if wait > 0 {
		told.RetryAfterSeconds = limiter.Refusal{Wait: wait}.RetryAfter()
	}
	return told
}

// tries reports whether a key of the model would be tried, or notes why not.
func (e *explainer) tries(u *Untried) bool {
	if e.model != e.asksFor {
		if r := e.caller.RefuseTurn(e.way, e.takes, e.Now); r != nil {
			u.Refused(r)
			return false
		}
		if r := e.judge(e.modelLimits(e.facts())); r.Refused() && e.way.Has(e.takes) {
			u.Limited(r)
			return false
		}
	}
	full, soonest := 0, time.Duration(0)
	passed := map[*HostKey]bool{}
	found := e.way.Has(func(c Candidate) bool {
		if passed[c.Key] || !e.takes(c) || e.benched(c) {
			return false
		}
		passed[c.Key] = true
		verdict := e.judge(e.upstreamLimits(c))
		if !verdict.Refused() {
			return true
		}
		if full == 0 || verdict.Wait < soonest {
			soonest = verdict.Wait
		}
		full++
		return false
	})
	u.Full(e.way, full, soonest)
	return found
}

// told is the refusal as administrators see it; nil stays nil.
func (r *Refused) told() *WouldRefuse {
	if r == nil {
		return nil
	}
	return &WouldRefuse{Code: r.Code, Message: r.Message, By: r.by()}
}

// by says who refuses.
func (r *Refused) by() string {
	if r.By != "" {
		return r.By
	}
	switch r.Code {
	case "key_revoked", "key_disabled", "key_expired", "token_expired", tokenRevoked:
		return "key"
	case accountNotAllowed, "no_policy", "policy_disabled", "endpoint_not_allowed", "model_disabled", "model_not_allowed", "capability_not_allowed":
		return "policy"
	}
	return "relay"
}
