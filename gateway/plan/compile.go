package plan

import (
	"cmp"
	"fmt"
	"slices"

	"relay/limiter"
	"relay/store"
)

// Input is what Compile reads.
type Input struct {
	Catalog  *store.Catalog
	Registry *limiter.Registry
	// KeyValue gives the plaintext of a host key.
	KeyValue func(*store.HostKey) (store.Secret, error)
	AtCap    limiter.AtCap // for limits that do not say themselves
	Timezone string        // of budget periods; empty: UTC
}

// Compile folds the catalog into a plan. Records that cannot be used are left
// out or refuse the requests they govern, and stand in Plan.Warnings.
func Compile(in Input) *Plan {
	c := &compiler{
		Input:   in,
		catalog: in.Catalog,
		plan:    &Plan{Generation: in.Catalog.Generation, callers: map[[32]byte]*Caller{}},
		hosts:   map[string]*Host{}, models: map[string]*Model{}, keys: map[string]*HostKey{},
		pricings: map[string]*Pricing{}, bound: map[store.AccountRef]*store.Policy{},
		limits: map[limiter.Name]*limiter.Limit{}, sources: map[sourceKey]*limiter.Source{},
		accesses: map[string]*Access{}, modelLimits: map[string]ModelLimits{},
	}
	c.counter = func(name limiter.Name) *limiter.Counter { return in.Registry.Use(in.Catalog.Generation, name) }
	c.plan.compiled = c
	c.bindPolicies()
	c.compileHosts()
	c.compileModels()
	c.compileHostKeys()
	c.plan.names = c.indexNames()
	c.compileCallers()
	return c.plan
}

type compiler struct {
	Input
	catalog *store.Catalog
	plan    *Plan

	hosts    map[string]*Host // by record id, enabled ones
	models   map[string]*Model
	keys     map[string]*HostKey
	pricings map[string]*Pricing
	bound    map[store.AccountRef]*store.Policy

	counter     func(limiter.Name) *limiter.Counter
	known       map[limiter.Name]*limiter.Limit // of the plan that a question is about
	limits      map[limiter.Name]*limiter.Limit
	sources     map[sourceKey]*limiter.Source
	accesses    map[string]*Access
	modelLimits map[string]ModelLimits
}

func (c *compiler) warn(rec store.AnyRecord, field, format string, args ...any) {
	c.plan.Warnings = append(c.plan.Warnings, store.Problem{
		Kind: rec.Kind(), Name: rec.Meta().Name, Field: field, Message: fmt.Sprintf(format, args...),
	})
}

func (c *compiler) bindPolicies() {
	for b := range c.catalog.PolicyBindings.All() {
		if !store.Enabled(b.Spec.Enabled) {
			continue
		}
		policy := c.catalog.Policies.Get(b.Spec.PolicyID)
		if policy == nil {
			policy = missingPolicy(b)
		}
		c.bound[b.Spec.Account] = policy
	}
}

// missingPolicy stands for a policy that a binding names and nobody has: it is
// switched off, so that what it governs is refused.
func missingPolicy(b *store.PolicyBinding) *store.Policy {
	off := false
	return &store.Policy{
		Metadata: store.Metadata{ID: b.Spec.PolicyID, Name: b.Spec.PolicyID},
		Spec:     store.PolicySpec{Enabled: &off},
	}
}

func (c *compiler) compileHosts() {
	for rec := range c.catalog.Hosts.All() {
		if !store.Enabled(rec.Spec.Enabled) {
			c.warn(rec, "spec.enabled", "is switched off: nothing is sent to this host")
			continue
		}
		h := &Host{Record: rec, Index: len(c.plan.Hosts)}
		c.hosts[rec.Metadata.ID] = h
		c.plan.Hosts = append(c.plan.Hosts, h)
		if rec.Spec.UnknownModels == "forward" && rec.Metadata.Origin == nil {
			c.warn(rec, "spec.unknownModels", "forward has no effect in this version: only bound models are served")
		}
		if rec.Spec.DrainOnDisconnect != 0 {
			c.warn(rec, "spec.drainOnDisconnect", "has no effect in this version: the upstream is stopped when the caller leaves")
		}
	}
}

func (c *compiler) compileModels() {
	for rec := range c.catalog.Models.All() {
		c.models[rec.Metadata.ID] = c.compileModel(rec)
	}
	for rec := range c.catalog.HostBindings.All() {
		c.compileBinding(rec)
	}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		slices.SortStableFunc(m.Bindings, func(a, b *Binding) int { return cmp.Compare(a.Priority, b.Priority) })
		if len(m.Bindings) == 0 && !m.Disabled {
			c.warn(rec, "", "has no enabled binding: calls for it are refused with no_host_binding (relay model add %s --host HOST)", m.Name)
		}
	}
}

func (c *compiler) compileModel(rec *store.Model) *Model {
	m := &Model{
		ID: rec.Metadata.ID, Name: rec.Metadata.Name, Created: rec.Metadata.CreatedAt,
		Disabled: !store.Enabled(rec.Spec.Enabled),
	}
	if p := c.catalog.Providers.Get(rec.Spec.ProviderID); p != nil {
		m.Provider, m.ProviderID = p.Metadata.Name, p.Metadata.ID
	}
	if d := rec.Spec.Deprecation; d != nil {
		m.Deprecated = d.Status == "deprecated" || d.Status == "sunset"
	}
	if len(rec.Spec.Fallbacks) > 0 {
		c.warn(rec, "spec.fallbacks", "have no effect in this version")
	}
	m.Limits, m.Refused = c.shorthand(rec.Metadata.ID, rec.Spec.Limits, limiter.Source{
		Scope: limiter.ScopeModel, Rung: limiter.ScopeModel, Owner: "model " + m.Name,
	})
	return m
}

func (c *compiler) compileBinding(rec *store.HostBinding) {
	m, h := c.models[rec.Spec.ModelID], c.hosts[rec.Spec.HostID]
	if m == nil || h == nil || !store.Enabled(rec.Spec.Enabled) {
		return
	}
	b := &Binding{
		Model: m, Host: h, Shapes: rec.Spec.Shapes, UpstreamName: rec.Spec.UpstreamName,
		Priority: rec.Spec.Priority, Weight: 1,
	}
	if len(b.Shapes) == 0 {
		b.Shapes = h.Record.Spec.Shapes
	}
	if len(b.Shapes) == 0 {
		b.Shapes = []store.Shape{store.ShapeOpenAI}
	}
	if b.UpstreamName == "" {
		b.UpstreamName = m.Name
	}
	if rec.Spec.Weight != nil {
		b.Weight = *rec.Spec.Weight
	}
	b.Pricing = c.pricing(rec.Spec.PricingID)
	c.warnOfBinding(rec)
	m.Bindings = append(m.Bindings, b)
}

func (c *compiler) warnOfBinding(rec *store.HostBinding) {
	if rec.Spec.Params != nil {
		c.warn(rec, "spec.params", "have no effect in this version: members reach the host as the caller wrote them")
	}
	if rec.Spec.PromptCache == "auto" {
		c.warn(rec, "spec.promptCache", "auto has no effect in this version")
	}
}

func (c *compiler) pricing(id string) *Pricing {
	if id == "" {
		return nil
	}
	if p, done := c.pricings[id]; done {
		return p
	}
	var p *Pricing
	if rec := c.catalog.Pricings.Get(id); rec != nil && store.Enabled(rec.Spec.Enabled) {
		var err error
		if p, err = newPricing(rec); err != nil {
			c.warn(rec, "spec.rates", "cannot be used, calls are unpriced: %s", err)
		}
	}
	c.pricings[id] = p
	return p
}
