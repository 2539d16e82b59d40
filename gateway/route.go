package gateway

import (
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// route finds the model that the body names and the caller's way to it.
func (x *exchange) route(name string) error {
	x.requested = name
	if x.caller.Refused != nil {
		return refusedByPlan(x.caller.Refused)
	}
	if err := x.checkEndpoint(); err != nil {
		return err
	}
	m, host, ok := x.gen.plan.Find(name)
	if !ok {
		return x.unknownModel(name)
	}
	x.model, x.pin = m, host
	return x.checkRoute()
}

func (x *exchange) checkRoute() error {
	m := x.model
	x.way = x.caller.Access.Route(m)
	switch {
	case m.Disabled:
		return wire.NewError(wire.CodeModelDisabled, "Model "+quoted(m.Name)+" is switched off. "+x.mayUse(m.Name))
	case x.way == nil:
		return wire.NewError(wire.CodeModelNotAllowed, "This key may not use model "+quoted(m.Name)+". "+x.mayUse(m.Name))
	case len(m.Bindings) == 0:
		return wire.NewError(wire.CodeNoHostBinding, "No host serves model "+quoted(m.Name)+". An administrator binds it with: relay model add NAME --host HOST.")
	case m.Refused != nil:
		return refusedByPlan(m.Refused)
	case !x.hasCandidate() && x.way.Dropped != nil:
		return refusedByPlan(x.way.Dropped)
	case !x.hasCandidate():
		return wire.NewError(wire.CodeNoKeys, "No provider key can take model "+quoted(m.Name)+" now. An administrator adds one with: relay connect PROVIDER.")
	}
	return nil
}

// hasCandidate reports whether some key speaks the caller's shape at the
// pinned host, if any.
func (x *exchange) hasCandidate() bool {
	for i := range x.way.Pools {
		for _, c := range x.way.Pools[i].Candidates {
			if x.takes(c) {
				return true
			}
		}
	}
	return false
}

func (x *exchange) takes(c plan.Candidate) bool {
	return (x.pin == nil || c.Key.Host == x.pin) && c.Binding.Speaks(x.shape)
}

func (x *exchange) checkEndpoint() error {
	for _, set := range x.caller.Endpoints {
		if !set[x.endpoint] {
			return wire.NewError(wire.CodeEndpointNotAllowed, "This key may not use "+x.r.URL.Path+". Ask your gateway administrator.")
		}
	}
	return nil
}

func (x *exchange) unknownModel(name string) error {
	return wire.NewError(wire.CodeModelNotFound, "No model "+quoted(name)+"; "+lowerFirst(x.mayUse(name)))
}

// mayUse names up to three models that the caller may use instead.
func (x *exchange) mayUse(name string) string {
	near := x.caller.Access.Near(name)
	if len(near) == 0 {
		return "This key may use no model yet (GET /v1/models)."
	}
	more := ""
	if len(x.caller.Access.Models()) > len(near) {
		more = ", …"
	}
	return "This key may use " + strings.Join(near, ", ") + more + " (GET /v1/models)."
}

func lowerFirst(s string) string {
	return strings.ToLower(s[:1]) + s[1:]
}

func refusedByPlan(r *plan.Refused) error {
	return wire.NewError(r.Code, r.Message)
}
