package gateway

import (
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
)

// limited turns a refused reserve into what the caller sees.
func (x *exchange) limited(r limiter.Refusal) error {
	x.refusal = r
	name := r.Limit.Counter.Name()
	e := wire.NewError(plan.LimitCode(r.Limit), plan.RefusalText(r))
	e.RefusedBy = plan.LimitKind(r.Limit)
	e.RetryAfter = max(r.Wait, 0)
	e.RateLimit = &wire.RateLimit{
		Name: r.Limit.Source.Name, Meter: string(name.Meter), Window: name.Window,
		Amount: r.Limit.Amount, Used: r.Used, Scope: r.Limit.Source.Scope.String(),
		SharedBy: r.Limit.Source.SharedBy, RetryAfter: max(r.Wait, 0),
	}
	return e
}

// untriedError says why no key of any model of the request was tried.
func (x *exchange) untriedError() error {
	if limit := x.untried.Limit(); limit.Refused() {
		return x.limited(limit)
	}
	refused, wait := x.untried.Verdict(x.asked)
	e := refusedByPlan(refused)
	e.RetryAfter = max(e.RetryAfter, wait)
	return e
}
