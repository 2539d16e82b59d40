package store

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
