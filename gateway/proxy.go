package gateway

import (
	"net/http"
	"slices"
	"strings"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
)

// asksForProxy reports whether the caller brings its own upstream credential.
func asksForProxy(h http.Header) bool {
	return h.Get("X-Relay-Proxy") == "1" || strings.EqualFold(h.Get("X-Wr-Proxy-Mode"), "proxy")
}

// authenticateProxy resolves the caller of proxy mode. Only the headers that are
// Relay's own hold its key there: the others are the upstream's.
func (x *exchange) authenticateProxy() (*plan.Caller, error) {
	p := x.gen.plan.Proxy
	if p == nil {
		return nil, wire.NewError(wire.CodeProxyDisabled, "Proxy mode is switched off on this gateway. Leave X-Relay-Proxy out, or ask your gateway administrator for proxy.enabled.")
	}
	own := http.Header{}
	for _, name := range relayHeaders {
		if values := x.r.Header[name]; len(values) > 0 {
			own[name] = values
		}
	}
	caller, err := x.gen.callerOf(own, x.start)
	switch {
	case err == nil:
		return caller, nil
	case len(own) > 0 || p.Stranger == nil:
		return nil, wire.NewError(wire.CodeUnauthenticated, "Proxy mode takes the relay key in X-Relay-Key, beside the upstream's own credential in its usual header.")
	}
	return p.Stranger, nil
}

// relayHeaders carry a relay key and nothing else.
var relayHeaders = [...]string{"X-Relay-Key", "X-Wr-Api-Key"}

// routeProxy takes the way to the host that the caller names, or that serves the
// model.
func (x *exchange) routeProxy(m *plan.Model, name string, pin *plan.Host) error {
	if bare, at, ok := x.gen.plan.Unknown(name); ok && m == nil && at != nil {
		name, pin = bare, at
	}
	if m != nil {
		name = m.Name
	}
	x.way = x.gen.plan.ProxyRoute(x.caller, m, pin, name, x.call.shape)
	switch {
	case x.way == nil && m == nil && pin == nil:
		return wire.NewError(wire.CodeModelNotFound, "No model "+quoted(name)+" is known here. Name the host in X-Relay-Host.")
	case x.way == nil:
		return wire.NewError(wire.CodeModelNotAllowed, "This key may not use model "+quoted(name)+" there. Ask your gateway administrator.")
	}
	x.model, x.pin = x.way.Model, pin
	return x.refuseRoute()
}

// proxyLimits adds what limits proxy mode.
func (x *exchange) proxyLimits() error {
	p := x.gen.plan.Proxy
	switch {
	case x.caller.ProxyRefused != nil:
		return refusedByPlan(x.caller.ProxyRefused)
	case x.caller != p.Stranger:
		addHeld(&x.ticket, &x.caller.ProxyLimits, &x.facts)
	case p.Refused != nil:
		return refusedByPlan(p.Refused)
	}
	x.ticket.Add(x.strangerLimits())
	return nil
}

// strangerLimits are those of the client's address, for a caller without a relay
// key.
func (x *exchange) strangerLimits() []*limiter.Limit {
	p := x.gen.plan.Proxy
	if x.caller != p.Stranger || p.Strangers == nil {
		return nil
	}
	return p.Strangers.Limits(x.facts.Now, x.s.ClientAddr(x.r).WithZone("").String())
}

// appendOwn adds the caller's own upstream credential, in the header it came in.
func (a *attempt) appendOwn(fields []http1.Field) []http1.Field {
	for _, name := range [...]string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", a.up.keyHeader} {
		if name == "" || slices.ContainsFunc(fields, func(f http1.Field) bool { return f.Name == name }) {
			continue
		}
		for _, value := range a.x.r.Header[name] {
			if !a.x.gen.issued(credential(name, value)) {
				fields = append(fields, http1.Field{Name: name, Value: value})
			}
		}
	}
	return fields
}
