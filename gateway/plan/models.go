package plan

import (
	"cmp"
	"slices"

	"relay/limiter"
	"relay/store"
)

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
		c.linkFallbacks(m, rec)
	}
	for rec := range c.catalog.Models.All() {
		c.warnOfModel(c.models[rec.Metadata.ID], rec)
	}
}

func (c *compiler) compileModel(rec *store.Model) *Model {
	m := &Model{
		ID: rec.Metadata.ID, Name: rec.Metadata.Name, Created: rec.Metadata.CreatedAt,
		Disabled: !store.Enabled(rec.Spec.Enabled), makerID: rec.Spec.ProviderID,
	}
	if p := c.catalog.Providers.Get(rec.Spec.ProviderID); p != nil {
		m.Provider, m.ProviderID = p.Metadata.Name, p.Metadata.ID
	}
	if d := rec.Spec.Deprecation; d != nil {
		m.Deprecated = d.Status == "deprecated" || d.Status == "sunset"
	}
	m.Limits = c.shorthand(rec.Metadata.ID, rec.Spec.Limits, limiter.Source{
		Scope: limiter.ScopeModel, Rung: limiter.ScopeModel, Owner: "model " + m.Name,
	})
	return m
}

func (c *compiler) compileBinding(rec *store.HostBinding) {
	m, h := c.models[rec.Spec.ModelID], c.hosts[rec.Spec.HostID]
	if m == nil {
		return
	}
	m.bound = true
	if h == nil {
		return
	}
	b := &Binding{
		Model: m, Host: h, Shapes: rec.Spec.Shapes, UpstreamName: cmp.Or(rec.Spec.UpstreamName, m.Name),
		Priority: rec.Spec.Priority, Weight: 1,
	}
	h.serve(b.UpstreamName, m)
	if !store.Enabled(rec.Spec.Enabled) {
		return
	}
	if len(b.Shapes) == 0 {
		b.Shapes = h.shapes()
	}
	if rec.Spec.Weight != nil {
		b.Weight = *rec.Spec.Weight
	}
	b.CachesPrompts = rec.Spec.PromptCache == "auto"
	b.Pricing, b.Params = c.pricing(rec.Spec.PricingID), c.params(rec)
	c.warnOfBinding(b, rec)
	m.Bindings = append(m.Bindings, b)
}

// shapes are those that the host speaks where a binding does not say.
func (h *Host) shapes() []store.Shape {
	if len(h.Record.Spec.Shapes) == 0 {
		return []store.Shape{store.ShapeOpenAI}
	}
	return h.Record.Spec.Shapes
}

func (c *compiler) warnOfModel(m *Model, rec *store.Model) {
	switch {
	case m.Disabled:
	case m.Alias && !m.leadsSomewhere():
		c.warn(rec, "spec.fallbacks", "lead to no enabled binding: calls for it are refused with no_host_binding")
	case !m.Alias && len(m.Bindings) == 0:
		c.warn(rec, "", "has no enabled binding: calls for it are refused with no_host_binding (relay model add %s --host HOST)", m.Name)
	case !m.Alias && m.weighted():
		c.warn(rec, "spec.fallbacks", "have weights, which count only for a model that no host is bound to: they are tried in order")
	}
}

func (c *compiler) warnOfBinding(b *Binding, rec *store.HostBinding) {
	if rec.Spec.PromptCache == "auto" && !b.Speaks(store.ShapeAnthropic) {
		c.warn(rec, "spec.promptCache", "auto has no effect: only hosts of shape anthropic are told what to cache")
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
