package plan

import (
	"cmp"
	"slices"

	"relay/limiter"
	"relay/store"
)

// Proxy is what proxy mode needs, in which callers bring their own upstream
// credential: pools and tier policies have no part in it.
type Proxy struct {
	// Stranger is the caller of requests without a relay key, whom Strangers
	// limit by client address; nil: they are refused.
	Stranger  *Caller
	Strangers *limiter.Split // nil: no limit
	Refused   *Refused       // that limit cannot be enforced

	// Keys stand for the callers' own keys, one a host. HostKey.Index goes on
	// behind those of Plan.HostKeys.
	Keys []*HostKey
}

// ProxySwitch is what the configuration says of proxy mode. What it does not say,
// nil, the setting proxy does at run time.
type ProxySwitch struct {
	Enabled, AllowAnonymous *bool
}

// compileProxy readies proxy mode, when it is switched on.
func (c *compiler) compileProxy() {
	setting := c.catalog.Setting(store.SettingProxy)
	if !isTrue(cmp.Or(c.Proxy.Enabled, setting.Enabled)) {
		return
	}
	p := &Proxy{}
	for i, h := range c.plan.Hosts {
		p.Keys = append(p.Keys, &HostKey{Index: len(c.plan.HostKeys) + i, Host: h, Anonymous: true, Proxied: true, ValueHash: "proxy:" + h.Record.Metadata.ID})
	}
	if isTrue(cmp.Or(c.Proxy.AllowAnonymous, setting.AllowAnonymous)) {
		p.Stranger = &Caller{KeyName: "anonymous", Proxied: true, party: &party{}}
		c.foldStandalone(p.Stranger, p.Stranger.party)
		limits, refused := c.addressLimits(store.SystemProxyAnonymous)
		p.Refused = refused
		if len(limits) > 0 {
			p.Strangers = c.Registry.Split(limits, limiter.DefaultBound)
		}
	}
	c.plan.Proxy = p
}

func isTrue(setting *bool) bool { return setting != nil && *setting }

// ProxyRoute returns the way to a host with the caller's own key: the model goes
// up under the name that the caller has given. m is nil for a model that the
// catalog does not know, host nil for the first that serves the model in the
// shape. It returns nil where the ladder does not allow it, or no host is known.
func (p *Plan) ProxyRoute(caller *Caller, m *Model, host *Host, name string, shape store.Shape) *Route {
	if m == nil {
		m = &Model{ID: name, Name: name, Unknown: true, like: like(p.compiled.unknown, name)}
	}
	if host == nil {
		host = p.proxyHost(caller, m, shape)
	}
	if host == nil || !caller.allows(p, m, host) {
		return nil
	}
	b := &Binding{Model: m, Host: host, Shapes: host.shapes(), UpstreamName: name}
	if known := m.on(host); known != nil {
		b.Shapes, b.Pricing = known.Shapes, known.Pricing
	}
	pool := Pool{Name: "proxy", Selection: Prioritized, Candidates: []Candidate{{Key: p.Proxy.Keys[host.Index], Binding: b}}}
	return &Route{Model: m, Pools: []Pool{pool}, bindings: []*Binding{b}}
}

// proxyHost is the first host on which the caller may use the model in the shape.
func (p *Plan) proxyHost(caller *Caller, m *Model, shape store.Shape) *Host {
	for _, b := range m.Bindings {
		if b.Speaks(shape) && caller.allows(p, m, b.Host) {
			return b.Host
		}
	}
	return nil
}

// allows reports whether every rung grants the model on the host. Who has no
// relay key may go where a credential is wanted.
func (c *Caller) allows(p *Plan, m *Model, host *Host) bool {
	if c.Proxied {
		return host.Record.Spec.Auth != "none"
	}
	f := fold{compiler: p.compiled, grants: c.Access.grants}
	return f.allowed(m, host)
}

// on is the model's binding on the host, or nil.
func (m *Model) on(host *Host) *Binding {
	if i := slices.IndexFunc(m.Bindings, func(b *Binding) bool { return b.Host == host }); i >= 0 {
		return m.Bindings[i]
	}
	return nil
}
