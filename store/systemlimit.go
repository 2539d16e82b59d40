package store

import "relay/limiter"

// The rate limits that Relay ships itself, owned by the system. Each boot
// makes those that are missing and leaves present ones alone.
const (
	SystemControlAPI     = "control-api"                   // counted per client address
	SystemInferenceAPI   = "inference-api"                 // counted per relay key
	SystemProxy          = "inference-api-proxy"           // counted per relay key, in proxy mode
	SystemProxyAnonymous = "inference-api-proxy-anonymous" // counted per client address, in proxy mode without a relay key
)

// KindSystem is the owner of what Relay ships itself. It has no records.
const KindSystem Kind = "system"

// SystemLimit returns the system's rate limit of the name, or nil. A rate limit
// of somebody else that has the name is none.
func (c *Catalog) SystemLimit(name string) *RateLimit {
	if rl := c.RateLimits.ByName(name); rl != nil && rl.Metadata.OfSystem() {
		return rl
	}
	return nil
}

// OfSystem reports whether Relay owns the record itself.
func (m *Metadata) OfSystem() bool { return m.Owner != nil && m.Owner.Kind == KindSystem }

// ShippedLimits returns the system's rate limits as they are shipped, without
// ids: all sliding windows. The caller may change what it gets.
func ShippedLimits() []*RateLimit {
	return []*RateLimit{
		shippedLimit(SystemControlAPI, "The control API, per client address.", false,
			shippedRule(limiter.MeterRequests, 10, 1), shippedRule(limiter.MeterRequests, 300, 60)),
		shippedLimit(SystemInferenceAPI, "The inference API, per relay key.", false),
		shippedLimit(SystemProxy, "Proxy mode, per relay key.", false),
		shippedLimit(SystemProxyAnonymous, "Proxy mode without a relay key, per client address.", true,
			shippedRule(limiter.MeterRequests, 60, 60), shippedRule(limiter.MeterTokens, 5000, 60), shippedRule(limiter.MeterConcurrency, 10, 60)),
	}
}

func shippedLimit(name, description string, enabled bool, rules ...limiter.Rule) *RateLimit {
	return &RateLimit{
		Metadata: Metadata{Name: name, Description: description, Owner: &Ref{Kind: KindSystem}},
		Spec:     RateLimitSpec{Enabled: &enabled, Rules: rules},
	}
}

func shippedRule(meter limiter.Meter, amount, window int64) limiter.Rule {
	return limiter.Rule{Meter: meter, Amount: amount, Window: window, Strategy: limiter.SlidingWindow}
}
