package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"relay/admin"
	"relay/store"
)

// bindingFlags say how a model runs at a host and what it costs there.
type bindingFlags struct {
	host         string
	upstreamName string
	shapes       []string
	prices       map[string]*string // by meter
}

// pricedMeters are the meters with a flag, in the order of answers.
func pricedMeters() [][2]string {
	return [][2]string{{"tokens.input", "price-input"}, {"tokens.output", "price-output"}, {"tokens.cache_read", "price-cached"}}
}

func (b *bindingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&b.host, "host", "", "`HOST` that runs the model")
	b.registerRun(flags)
}

// registerRun adds the flags that say how the model runs there.
func (b *bindingFlags) registerRun(flags *pflag.FlagSet) {
	flags.StringVar(&b.upstreamName, "upstream-name", "", "the host's `NAME` for it (default: its own)")
	flags.StringSliceVar(&b.shapes, "shape", nil, "`SHAPE` that the host speaks for it, best first: openai, openai_responses, anthropic, gemini, ollama (default: the host's)")
	b.prices = map[string]*string{}
	for _, meter := range pricedMeters() {
		b.prices[meter[0]] = flags.String(meter[1], "", "US `DOLLARS` for a million tokens")
	}
}

// empty reports whether nothing about a binding is given, save the host.
func (b *bindingFlags) empty() bool {
	return b.upstreamName == "" && len(b.shapes) == 0 && len(b.rates()) == 0
}

// checkHost wants a host for what is said about one.
func (b *bindingFlags) checkHost() error {
	if b.host == "" && !b.empty() {
		return usagef("--upstream-name, --shape and prices are those of a host: add --host")
	}
	return b.check()
}

func (b *bindingFlags) check() error {
	for _, rate := range b.rates() {
		if _, err := store.ParsePicoDollars(rate.Amount, 1_000_000); err != nil {
			return usagef("price %s of %s: %v", rate.Amount, rate.Meter, err)
		}
	}
	return nil
}

func (b *bindingFlags) rates() []store.Rate {
	var rates []store.Rate
	for _, meter := range pricedMeters() {
		if amount := *b.prices[meter[0]]; amount != "" {
			rates = append(rates, store.Rate{Meter: meter[0], Unit: "per_million", Amount: amount})
		}
	}
	return rates
}

func (b *bindingFlags) spec() map[string]any {
	spec := map[string]any{}
	if b.upstreamName != "" {
		spec["upstreamName"] = b.upstreamName
	}
	if len(b.shapes) > 0 {
		spec["shapes"] = b.shapes
	}
	return spec
}

// create binds the model to the host, with a pricing when prices are given.
func (b *bindingFlags) create(ctx context.Context, made *creation, model string) error {
	_, err := b.bindAs(ctx, made, store.Metadata{ID: model, Name: model}, b.spec())
	return err
}

// bindAs binds the model to the host as the spec says.
func (b *bindingFlags) bindAs(ctx context.Context, made *creation, model store.Metadata, spec map[string]any) (*admin.Answer, error) {
	spec["modelId"], spec["hostId"] = model.ID, b.host
	if rates := b.rates(); len(rates) > 0 {
		pricing, err := b.createPricing(ctx, made, model.Name, rates)
		if err != nil {
			return nil, err
		}
		spec["pricingId"] = pricing
	}
	return made.create(ctx, store.KindHostBinding, map[string]any{}, spec)
}

func (b *bindingFlags) createPricing(ctx context.Context, made *creation, model string, rates []store.Rate) (id string, err error) {
	answer, err := made.create(ctx, store.KindPricing,
		map[string]any{"displayName": model + " at " + b.host}, map[string]any{"currency": "USD", "rates": rates})
	if err != nil {
		return "", err
	}
	head, err := decodeRow[envelope](answer.Body)
	return head.Metadata.ID, err
}

// change alters the binding of the model to the host.
func (b *bindingFlags) change(ctx context.Context, s *session, model store.Metadata) error {
	binding, err := b.bound(ctx, s, model)
	if err != nil {
		return err
	}
	_, err = b.alter(ctx, s, binding.Metadata.ID, binding.Spec.PricingID, model.Name, b.spec())
	return err
}

// alter changes the binding with the id, and its prices, and returns its row.
func (b *bindingFlags) alter(ctx context.Context, s *session, id, pricing, model string, spec map[string]any) (json.RawMessage, error) {
	made := &creation{session: s}
	if rates := b.rates(); len(rates) > 0 {
		id, err := b.reprice(ctx, made, pricing, model, rates)
		if err != nil {
			return nil, err
		}
		spec["pricingId"] = id
	}
	answer, err := s.Patch(ctx, store.KindHostBinding, id, "", map[string]any{"spec": spec})
	if err != nil {
		return nil, errors.Join(err, made.takeBack(ctx))
	}
	return answer.Body, nil
}

func (b *bindingFlags) bound(ctx context.Context, s *session, model store.Metadata) (*store.HostBinding, error) {
	host, err := find(ctx, s, noun{kind: store.KindHost, word: "host"}, b.host)
	if err != nil {
		return nil, err
	}
	bindings, err := admin.ListAll[store.HostBindingSpec](ctx, s.Client, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	for _, binding := range bindings {
		if binding.Spec.ModelID == model.ID && binding.Spec.HostID == host.Metadata.ID {
			return binding, nil
		}
	}
	return nil, &store.Error{
		Code:    store.CodeNotFound,
		Message: fmt.Sprintf("model %s does not run at host %s; relay model add %s --host %s binds it", model.Name, b.host, model.Name, b.host),
	}
}

// reprice replaces the rates of the meters that are given and returns the id
// of the pricing, which it makes when the binding has none.
func (b *bindingFlags) reprice(ctx context.Context, made *creation, id, model string, rates []store.Rate) (string, error) {
	if id == "" {
		return b.createPricing(ctx, made, model, rates)
	}
	pricing, err := admin.Get[store.PricingSpec](ctx, made.Client, id)
	if err != nil {
		return "", err
	}
	all := pricing.Spec.Rates
	for _, rate := range rates {
		all = putRate(all, rate)
	}
	_, err = made.Patch(ctx, store.KindPricing, id, "", map[string]any{"spec": map[string]any{"rates": all}})
	return id, err
}
