package gateway

import (
	"relay/gateway/plan"
	"relay/gateway/wire"
)

// route finds the model that the body names and the caller's way to it.
func (x *exchange) route(name string) error {
	x.requested = name
	if x.caller.Refused != nil {
		return refusedByPlan(x.caller.Refused)
	}
	if r := x.caller.RefuseEndpoint(x.endpoint, x.r.URL.Path); r != nil {
		return refusedByPlan(r)
	}
	m, host, ok := x.gen.plan.Find(name)
	if !ok {
		return x.unknownModel(name)
	}
	x.model, x.pin = m, host
	x.way = x.caller.Access.Route(m)
	if r := x.caller.RefuseRoute(m, x.way, x.takes); r != nil {
		return refusedByPlan(r)
	}
	return nil
}

// takes reports whether the candidate speaks the caller's shape and is at the
// pinned host, if any.
func (x *exchange) takes(c plan.Candidate) bool { return c.Takes(x.pin, x.shape) }

func (x *exchange) unknownModel(name string) error {
	return refusedByPlan(x.caller.RefuseUnknown(name))
}

func refusedByPlan(r *plan.Refused) error {
	e := wire.NewError(r.Code, r.Message)
	e.RefusedBy = r.By
	return e
}
