package plan

import (
	"relay/limiter"
	"relay/store"
)

// systemLimits compiles the system's limit on the inference API for one relay
// key: its counters are the key's own.
func (c *compiler) systemLimits(keyID string) ([]*limiter.Limit, *Refused) {
	rl := c.catalog.RateLimits.ByName(store.SystemInferenceAPI)
	if rl == nil || !store.Enabled(rl.Spec.Enabled) || !ownedBySystem(rl) {
		return nil, nil
	}
	own := *rl
	own.Spec.Per = nil
	source := limiter.Source{Scope: limiter.ScopeSystem, Rung: limiter.ScopeSystem, Owner: "the system"}
	return c.rules(&own, rl.Metadata.ID, "", "", "key="+keyID, source)
}

func ownedBySystem(rl *store.RateLimit) bool {
	return rl.Metadata.Owner != nil && rl.Metadata.Owner.Kind == store.KindSystem
}
