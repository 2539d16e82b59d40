package plan

import (
	"fmt"
	"strings"
	"time"
)

// The refusals below are in the order in which the request path makes them.
// Each is nil when the request may go on.

// RefuseOver refuses a key that is revoked, switched off or expired. Its holder
// has the whole secret, so the answer may say which.
func (c *Caller) RefuseOver(now time.Time) *Refused {
	switch {
	case !c.RevokedAt.IsZero():
		return &Refused{Code: "key_revoked", Message: "Relay key " + c.KeyName + " has been revoked. Ask your gateway administrator for another."}
	case c.Disabled:
		return &Refused{Code: "key_disabled", Message: "Relay key " + c.KeyName + " is switched off. Ask your gateway administrator."}
	case !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt):
		return &Refused{Code: "key_expired", Message: "Relay key " + c.KeyName + " expired at " + c.ExpiresAt.UTC().Format(time.RFC3339) + ". Ask your gateway administrator for another."}
	}
	return nil
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

// RefuseRoute refuses a model that the caller has no way to. takes says which
// candidates can take the request.
func (c *Caller) RefuseRoute(m *Model, way *Route, takes func(Candidate) bool) *Refused {
	switch {
	case m.Disabled:
		return &Refused{Code: "model_disabled", Message: "Model " + Quoted(m.Name) + " is switched off. " + c.mayUse(m.Name)}
	case way == nil:
		return &Refused{Code: "model_not_allowed", Message: "This key may not use model " + Quoted(m.Name) + ". " + c.mayUse(m.Name)}
	case len(m.Bindings) == 0:
		return &Refused{Code: "no_host_binding", Message: "No host serves model " + Quoted(m.Name) + ". An administrator binds it with: relay model add NAME --host HOST."}
	case m.Refused != nil:
		return m.Refused
	case way.any(takes):
		return nil
	case way.Dropped != nil:
		return way.Dropped
	}
	return &Refused{Code: "no_keys", Message: "No provider key can take model " + Quoted(m.Name) + " now. An administrator adds one with: relay connect PROVIDER."}
}

// RefuseUnpriced refuses a model without a price where a budget says so: it
// would cost nothing and pass every budget.
func (c *Caller) RefuseUnpriced(m *Model, way *Route, takes func(Candidate) bool) *Refused {
	unpriced := func(k Candidate) bool { return takes(k) && k.Binding.Pricing == nil }
	if c.Unpriced == nil || !way.any(unpriced) {
		return nil
	}
	return &Refused{
		Code: "budget_exceeded", By: "budget",
		Message: "Model " + Quoted(m.Name) + " has no price, and the budget of " + c.Unpriced.Owner + " refuses unpriced models. Ask your gateway administrator.",
	}
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

// any reports whether the route has a candidate of which pick is true.
func (r *Route) any(pick func(Candidate) bool) bool {
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
