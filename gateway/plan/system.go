package plan

import (
	"relay/limiter"
	"relay/store"
)

// systemLimits compiles the system's limit on the inference API for one relay
// key: its counters are the key's own.
func (c *compiler) systemLimits(keyID string, who *party) (Held, *Refused) {
	return c.systemLimit(store.SystemInferenceAPI, "key="+keyID, who)
}

// compileControl compiles the system's limit on the control API. Each client
// address has counters of its own, and a bounded number of them.
func (c *compiler) compileControl() {
	limits, refused := c.addressLimits(store.SystemControlAPI)
	c.plan.ControlRefused = refused
	if len(limits) > 0 {
		c.plan.Control = c.Registry.Split(limits, limiter.DefaultBound)
	}
}

// addressLimits compiles one of the system's limits whose counters are those of
// client addresses. Of these nothing else is known.
func (c *compiler) addressLimits(name string) ([]*limiter.Limit, *Refused) {
	held, refused := c.systemLimit(name, "ip", &party{})
	if len(held.Selective) > 0 {
		rl := c.catalog.SystemLimit(name)
		member := asking(&rl.Spec)
		c.warn(rl, "spec."+member, "cannot be enforced where client addresses are counted: requests under the limit are refused")
		return nil, limitMissing(`Rate limit "` + rl.Metadata.Name + `" counts client addresses and cannot have ` + member + " besides")
	}
	return held.Limits, refused
}

// asking names the member by which a rate limit asks of requests.
func asking(s *store.RateLimitSpec) string {
	switch {
	case s.Match != nil:
		return "match"
	case len(s.Suspend) > 0:
		return "suspend"
	}
	return "per"
}

// systemLimit compiles one of the system's limits, when it is switched on.
func (c *compiler) systemLimit(name, per string, who *party) (Held, *Refused) {
	rl := c.catalog.SystemLimit(name)
	if rl == nil {
		return Held{}, nil
	}
	source := limiter.Source{Scope: limiter.ScopeSystem, Rung: limiter.ScopeSystem, Owner: "the system"}
	return c.rules(rl, limiter.Name{Owner: rl.Metadata.ID, Per: per}, source, who)
}
