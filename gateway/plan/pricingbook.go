package plan

import (
	"math"
	"slices"
	"time"

	"relay/store"
)

// PriceBook prices usage events of the past with the price lists of one catalog,
// each at the time of its request. It is for one goroutine.
type PriceBook struct {
	catalog  *store.Catalog
	bindings map[[2]string]string // pricing ids by model and host
	pricings map[string]*Pricing  // compiled so far; nil: of no use
}

// NewPriceBook takes the price lists of the catalog.
func NewPriceBook(c *store.Catalog) *PriceBook {
	b := &PriceBook{catalog: c, bindings: map[[2]string]string{}, pricings: map[string]*Pricing{}}
	for rec := range c.HostBindings.All() {
		b.bindings[[2]string{rec.Spec.ModelID, rec.Spec.HostID}] = rec.Spec.PricingID
	}
	return b
}

// Price puts cost, breakdown and pricing of the event as the book has them. The
// pricing is that of the binding which the request went through, else the one
// that the event was recorded with. Where neither has a price for the time, or no
// host has answered, the event stays as it is: a known cost never becomes an
// unknown one.
func (b *PriceBook) Price(e *store.Event) {
	if e.Host == "" {
		return
	}
	for _, id := range []string{b.bindings[[2]string{e.Model, e.Host}], e.Pricing} {
		p := b.pricing(id)
		if p == nil || !p.HoldsAt(e.At) {
			continue
		}
		cost, parts := p.Cost(unitsOf(e), e.At, slices.Clip(e.CostBreakdown[:0]))
		e.CostNanos, e.CostBreakdown, e.Pricing = &cost, parts, id
		return
	}
}

func (b *PriceBook) pricing(id string) *Pricing {
	if p, known := b.pricings[id]; known || id == "" {
		return p
	}
	var p *Pricing
	if rec := b.catalog.Pricings.Get(id); rec != nil && store.Enabled(rec.Spec.Enabled) {
		p, _ = newPricing(rec) // nil where it does not compile, of which the plan warns
	}
	b.pricings[id] = p
	return p
}

// unitsOf is what the request of an event was priced by.
func unitsOf(e *store.Event) Units {
	t := &e.Tokens
	return Units{
		Input: t.Input, CacheRead: t.CacheRead, CacheCreation: t.CacheCreation, Output: t.Output,
		CacheCreation1h: t.CacheCreation1h, AudioInput: t.AudioInput, AudioOutput: t.AudioOutput, Reasoning: t.Reasoning,
		ServerToolUseInput: t.ServerToolUseInput, ServerToolUseOutput: t.ServerToolUseOutput,
		Requests: 1, Images: e.Units.Images, Millis: int64(math.Round(e.Units.Seconds * float64(time.Second/time.Millisecond))),
	}
}
