package plan

import (
	"fmt"
	"strings"
	"time"
)

// The refusals below are in the order in which the request path makes them.
// Each is nil when the request may go on.

// RefuseOver refuses a credential that is revoked, switched off or expired. Its
// holder has the whole secret, so the answer may say which.
func (c *Caller) RefuseOver(now time.Time) *Refused {
	switch {
	case c.Token != nil && !now.Before(c.Token.Expires):
		return &Refused{Code: "token_expired", Message: "The inference token of " + c.KeyName + " expired at " + c.Token.Expires.UTC().Format(time.RFC3339) + ". Sign in for another (POST /api/auth/token)."}
	case !c.RevokedAt.IsZero():
		return c.RefuseRevoked()
	case c.Ended != nil:
		return c.Ended
	case c.Disabled:
		return &Refused{Code: "key_disabled", Message: "Relay key " + c.KeyName + " is switched off. Ask your gateway administrator."}
	case !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt):
		return &Refused{Code: "key_expired", Message: "Relay key " + c.KeyName + " expired at " + c.ExpiresAt.UTC().Format(time.RFC3339) + ". Ask your gateway administrator for another."}
	}
	return nil
}

// RefuseRevoked refuses the credential as a revoked one.
func (c *Caller) RefuseRevoked() *Refused {
	if c.Token != nil {
		return &Refused{Code: tokenRevoked, Message: "The inference token of " + c.KeyName + " has been revoked. Sign in for another (POST /api/auth/token)."}
	}
	return &Refused{Code: "key_revoked", Message: "Relay key " + c.KeyName + " has been revoked. Ask your gateway administrator for another."}
}

// RefuseEndpoint refuses an endpoint, as policies name it, that some rung does
// not allow. path is what the caller called.
func (c *Caller) RefuseEndpoint(endpoint, path string) *Refused {
	for _, set := range c.Endpoints {
		if !set[endpoint] {
			return &Refused{Code: "endpoint_not_allowed", Message: "This key may not use " + path + ". Ask your gateway administrator."}
		}
	}
	return nil
}

// RefuseUnknown refuses the name of a model that there is not.
func (c *Caller) RefuseUnknown(name string) *Refused {
	mayUse := c.mayUse(name)
	return &Refused{Code: "model_not_found", Message: "No model " + Quoted(name) + "; " + strings.ToLower(mayUse[:1]) + mayUse[1:]}
}

// RefuseRoute refuses a model that the caller has no way to. pin is the host
// that the request names, if any; takes says which candidates can take the
// request.
func (c *Caller) RefuseRoute(m *Model, way *Route, pin *Host, takes func(Candidate) bool) *Refused {
	switch {
	case m.Disabled:
		return &Refused{Code: "model_disabled", Message: "Model " + Quoted(m.Name) + " is switched off. " + c.mayUse(m.Name)}
	case way == nil:
		return c.refuseModel(m)
	case way.Any(takes):
		return nil
	case pin != nil && !way.each(func(r *Route) bool { return onHost(r.bindings, pin) != nil }):
		return c.refusePin(m, way, pin)
	case !way.each(func(r *Route) bool { return len(r.bindings) > 0 }):
		return noHostBinding("No host serves model " + Quoted(m.Name))
	}
	var dropped *Refused
	way.each(func(r *Route) bool { dropped = r.Dropped; return dropped != nil })
	if dropped != nil {
		return dropped
	}
	return &Refused{Code: "no_keys", Message: "No provider key can take model " + Quoted(m.Name) + " now. An administrator adds one with: relay connect PROVIDER."}
}

func (c *Caller) refuseModel(m *Model) *Refused {
	return &Refused{Code: "model_not_allowed", Message: "This key may not use model " + Quoted(m.Name) + ". " + c.mayUse(m.Name)}
}

func noHostBinding(what string) *Refused {
	return &Refused{Code: "no_host_binding", Message: what + ". An administrator binds it with: relay model add NAME --host HOST."}
}

// refusePin refuses a model at a host where the caller has no way to it: the
// ladder does not allow it there, or it is not served there.
func (c *Caller) refusePin(m *Model, way *Route, pin *Host) *Refused {
	served := onHost(m.Bindings, pin) != nil || way.each(func(r *Route) bool { return onHost(r.Model.Bindings, pin) != nil })
	if served {
		return c.refuseModel(m)
	}
	return noHostBinding("Host " + pin.Name() + " does not serve model " + Quoted(m.Name))
}

// RefuseUnpriced refuses a model without a price where a budget says so: it
// would cost nothing and pass every budget. A price list that does not hold at the
// time is none. Of what an alias model stands for,
// one with a price is enough: the others are passed over.
func (c *Caller) RefuseUnpriced(m *Model, way *Route, takes func(Candidate) bool, at time.Time) *Refused {
	if c.Unpriced == nil || way == nil {
		return nil
	}
	unpriced := func(k Candidate) bool {
		return takes(k) && (k.Binding.Pricing == nil || !k.Binding.Pricing.HoldsAt(at))
	}
	refused := way.Has(unpriced)
	if m.Alias {
		refused = !way.each(func(r *Route) bool { return r.Has(takes) && !r.Has(unpriced) })
	}
	if !refused {
		return nil
	}
	return &Refused{
		Code: "budget_exceeded", By: "budget",
		Message: "Model " + Quoted(m.Name) + " has no price, and the budget of " + c.Unpriced.Owner + " refuses unpriced models. Ask your gateway administrator.",
	}
}

// RefuseTurn refuses a model whose turn has come after others of the request: by
// what the catalog tells, it may not be used.
func (c *Caller) RefuseTurn(way *Route, takes func(Candidate) bool, at time.Time) *Refused {
	if r := c.RefuseModelLimit(way.Model); r != nil {
		return r
	}
	return c.RefuseUnpriced(way.Model, way, takes, at)
}

// RefuseModelLimit refuses a model for which a policy has a limit that cannot be
// enforced.
func (c *Caller) RefuseModelLimit(m *Model) *Refused {
	for _, perModel := range c.ModelLimits {
		if r := perModel.Of(m).Refused; r != nil {
			return r
		}
	}
	return nil
}

// RefuseFull says that so many keys, which are all that could take the request,
// are at a limit of their own for at least so many seconds.
func RefuseFull(m *Model, way *Route, keys int, seconds int64) *Refused {
	host := way.Pools[0].Candidates[0].Key.Host.Name()
	r := &Refused{Code: "rate_limit_exceeded", By: "limit"}
	r.Message = fmt.Sprintf("All %d keys for %s at %s are at their own limit; retry after %d s.", keys, m.Name, host, seconds)
	if keys == 1 {
		r.Message = fmt.Sprintf("The key for %s at %s is at its own limit; retry after %d s.", m.Name, host, seconds)
	}
	return r
}

// RefuseBenched says that breakers hold back every key that could take the
// request.
func RefuseBenched(m *Model) *Refused {
	return &Refused{
		Code:    "no_keys",
		Message: "No provider key can take model " + Quoted(m.Name) + " now: each is switched off by its breaker or resting as its provider asked. Try again shortly; relay status shows until when.",
	}
}

// Any reports whether the route, or one that it goes on with, has a candidate of
// which pick is true.
func (r *Route) Any(pick func(Candidate) bool) bool {
	return r.each(func(at *Route) bool { return at.Has(pick) })
}

// Has is Any of the route's own candidates.
func (r *Route) Has(pick func(Candidate) bool) bool {
	if r == nil {
		return false
	}
	for i := range r.Pools {
		for _, c := range r.Pools[i].Candidates {
			if pick(c) {
				return true
			}
		}
	}
	return false
}

// mayUse names up to three models that the caller may use instead.
func (c *Caller) mayUse(name string) string {
	near := c.Access.Near(name)
	if len(near) == 0 {
		return "This key may use no model yet (GET /v1/models)."
	}
	more := ""
	if len(c.Access.Models()) > len(near) {
		more = ", …"
	}
	return "This key may use " + strings.Join(near, ", ") + more + " (GET /v1/models)."
}
