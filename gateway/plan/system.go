package plan

import (
	"relay/limiter"
	"relay/store"
)

// systemLimits compiles the system's limit on the inference API for one relay
// key: its counters are the key's own.
func (c *compiler) systemLimits(keyID string) ([]*limiter.Limit, *Refused) {
	return c.systemLimit(store.SystemInferenceAPI, "key="+keyID)
}

// compileControl compiles the system's limit on the control API. Each client
// address has counters of its own, and a bounded number of them.
func (c *compiler) compileControl() {
	limits, refused := c.systemLimit(store.SystemControlAPI, "ip")
	c.plan.ControlRefused = refused
	if len(limits) > 0 {
		c.plan.Control = c.Registry.Split(limits, limiter.DefaultBound)
	}
}

// systemLimit compiles one of the system's limits, when it is switched on.
func (c *compiler) systemLimit(name, per string) ([]*limiter.Limit, *Refused) {
	rl := c.catalog.SystemLimit(name)
	if rl == nil || !store.Enabled(rl.Spec.Enabled) {
		return nil, nil
	}
	source := limiter.Source{Scope: limiter.ScopeSystem, Rung: limiter.ScopeSystem, Owner: "the system"}
	return c.rules(rl, rl.Metadata.ID, "", "", per, source)
}
