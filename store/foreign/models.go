package foreign

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"relay/store"
)

// model is a name that callers ask for.
type model struct {
	name      string
	facts     store.ModelSpec
	fallbacks []string // in order
	alias     bool     // stands for its fallbacks
}

// learn notes the name of a deployment and what is known of the model: from the
// configuration, else from the catalogue's model of the upstream's name.
func (b *builder) learn(d deployment) {
	m := b.byModel[strings.ToLower(d.model)]
	if m == nil {
		m = b.addModel(d.model)
	}
	known := d.facts
	if rec, ok := b.shipped[shippedKey(store.KindModel, lastSegment(d.upstream))].(*store.Model); ok {
		known.ProviderID = cmp.Or(known.ProviderID, rec.Spec.ProviderID)
		known.ContextWindow = cmp.Or(known.ContextWindow, rec.Spec.ContextWindow)
		known.MaxOutputTokens = cmp.Or(known.MaxOutputTokens, rec.Spec.MaxOutputTokens)
		known.Capabilities = joined(rec.Spec.Capabilities, known.Capabilities)
	}
	m.facts.ProviderID = cmp.Or(m.facts.ProviderID, known.ProviderID)
	m.facts.ContextWindow = smallest(m.facts.ContextWindow, known.ContextWindow)
	m.facts.MaxOutputTokens = smallest(m.facts.MaxOutputTokens, known.MaxOutputTokens)
	m.facts.Capabilities = joined(m.facts.Capabilities, known.Capabilities)
}

func lastSegment(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func joined(a, b store.Capabilities) store.Capabilities {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := store.Capabilities{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func smallest(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func (b *builder) addModel(name string) *model {
	m := &model{name: name}
	b.models = append(b.models, m)
	b.byModel[strings.ToLower(name)] = m
	return m
}

// find returns the model of the name, whatever its case, or nil.
func (b *builder) find(name string) *model { return b.byModel[strings.ToLower(name)] }

func (b *builder) putModels() {
	b.cutCircles()
	for _, m := range b.models {
		rec := &store.Model{Metadata: store.Metadata{Name: m.name}, Spec: m.facts}
		if known, ok := b.shipped[shippedKey(store.KindModel, m.name)].(*store.Model); ok {
			if len(m.fallbacks) == 0 {
				continue
			}
			rec = copyOf(known)
		}
		for _, name := range m.fallbacks {
			rec.Spec.Fallbacks = append(rec.Spec.Fallbacks, store.Fallback{ModelID: name})
		}
		b.put(rec)
	}
}

// copyOf copies a record of the catalogue without what says that it is one.
func copyOf[S any](rec *store.Record[S]) *store.Record[S] {
	out := &store.Record[S]{}
	text, err := json.Marshal(rec)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return rec
	}
	out.Metadata.Origin, out.Metadata.Owner, out.Metadata.Annotations = nil, nil, nil
	return out
}

// putBindings makes the bindings of a host, save those that the catalogue has
// the same way.
func (b *builder) putBindings(h *host) {
	for _, name := range slices.Sorted(maps.Keys(h.bindings)) {
		bound := h.bindings[name]
		rec := &store.HostBinding{
			Metadata: store.Metadata{Name: ""},
			Spec:     store.HostBindingSpec{ModelID: bound.model, HostID: h.name},
		}
		shipped := b.offer(bound.model, h.name)
		if shipped != nil && !h.emitted {
			rec = copyOf(shipped)
		}
		rec.Spec.UpstreamName = ""
		if bound.upstream != bound.model {
			rec.Spec.UpstreamName = bound.upstream
		}
		rec.Spec.Params, rec.Spec.Priority = bound.params, bound.order
		if bound.weight > 0 {
			rec.Spec.Weight = &bound.weight
		}
		rec.Spec.PricingID = b.price(h, bound)
		if shipped != nil && !h.emitted && equalJSON(rec.Spec, shipped.Spec) {
			continue
		}
		if rec.Metadata.Name == "" {
			rec.Metadata.Name = b.names.free(store.KindHostBinding, bound.model+" "+h.name)
		}
		b.put(rec)
	}
}

// offer returns the catalogue's binding of a model at a host, or nil.
func (b *builder) offer(model, host string) *store.HostBinding {
	name := store.NameFrom(model+" "+host, func(string) bool { return false })
	rec, _ := b.shipped[shippedKey(store.KindHostBinding, name)].(*store.HostBinding)
	if rec == nil || !strings.EqualFold(rec.Spec.ModelID, model) || rec.Spec.HostID != host {
		return nil
	}
	return rec
}

// price makes a pricing of the rates in the configuration, or names the
// catalogue's for the same model at the same endpoint.
func (b *builder) price(h *host, bound *binding) string {
	if len(bound.rates) > 0 {
		name := b.names.free(store.KindPricing, bound.model+" "+h.name)
		b.put(&store.Pricing{Metadata: store.Metadata{Name: name}, Spec: store.PricingSpec{Currency: "USD", Rates: bound.rates}})
		return name
	}
	for _, o := range b.data.Offers {
		if o.Host != h.endpoint.host || len(o.Prices) == 0 {
			continue
		}
		if strings.EqualFold(cmp.Or(o.As, o.Model), bound.upstream) || strings.EqualFold(o.Model, lastSegment(bound.upstream)) {
			return store.NameFrom(o.Model+" "+o.Host, func(string) bool { return false })
		}
	}
	if b.budgeted {
		b.report.add(Approximated, "model "+bound.model, "has no price at %s: its calls cost nothing against budgets until relay pricing sets one", h.name)
	}
	return ""
}
