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
	if r := x.caller.RefuseEndpoint(x.call.name, x.r.URL.Path); r != nil {
		return refusedByPlan(r)
	}
	m, host, ok := x.gen.plan.Find(name)
	if host == nil {
		var err error
		if host, err = x.pinnedByHeader(name); err != nil {
			return err
		}
	}
	if x.proxied {
		return x.routeProxy(m, name, host)
	}
	if !ok {
		x.pin = host
		return x.routeUnknown(name)
	}
	return x.routeTo(m, host)
}

// pinnedByHeader returns the host that a header names, or nil. A name that pins
// a host itself wins over it.
func (x *exchange) pinnedByHeader(name string) (*plan.Host, error) {
	pin := x.r.Header.Get("X-Relay-Host")
	if pin == "" {
		pin = x.r.Header.Get("X-Wr-Upstream-Host")
	}
	if pin == "" {
		return nil, nil
	}
	if _, host, ok := x.gen.plan.Unknown(name); ok && host != nil {
		return nil, nil
	}
	host := x.gen.plan.Host(pin)
	if host == nil {
		return nil, wire.NewError(wire.CodeUnknownUpstreamHost, "X-Relay-Host names "+quoted(pin)+", which is no host here. Leave it out, or ask your gateway administrator.")
	}
	return host, nil
}

// routeTo takes the caller's way to a model that the catalog knows.
func (x *exchange) routeTo(m *plan.Model, pin *plan.Host) error {
	x.model, x.pin = m, pin
	x.way = x.caller.Access.Route(m)
	return x.refuseRoute()
}

func (x *exchange) refuseRoute() error {
	r := x.caller.RefuseRoute(x.model, x.way, x.pin, x.takes)
	switch {
	case r == nil:
		return nil
	case x.call.embeds != nil && x.servedOtherwise():
		return wire.NewError(wire.CodeEmbeddingsUnsupported, "No host of model "+quoted(x.model.Name)+" makes embeddings. Name a model that does (GET /v1/models).")
	}
	return refusedByPlan(r)
}

// takes reports whether the candidate can take the call and is at the pinned host,
// if any.
func (x *exchange) takes(c plan.Candidate) bool { return c.Takes(x.pin, x.asCall()) }

// asCall is the call as the plan knows it.
func (x *exchange) asCall() plan.Call {
	call := plan.Call{Shape: x.call.shape}
	if !x.proxied && x.call.translates() {
		call.Endpoint = x.call.name
	}
	return call
}

func (x *exchange) unknownModel(name string) error {
	return refusedByPlan(x.caller.RefuseUnknown(name))
}

func refusedByPlan(r *plan.Refused) *wire.Error {
	e := wire.NewError(r.Code, r.Message)
	e.RefusedBy = r.By
	if r.Code == wire.CodeLimiterUnavailable {
		e.RetryAfter = limiterRetry
	}
	return e
}
