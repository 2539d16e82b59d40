package foreign

import (
	"cmp"

	"relay/store"
)

// readFacts reads prices and what the model can do.
func (l *litellm) readFacts(d *deployment, params, about *object) {
	first := func(name string) (n float64, ok bool) {
		if n, ok = about.number(name); ok {
			return n, ok
		}
		return params.number(name)
	}
	for _, r := range [][2]string{
		{"input_cost_per_token", "tokens.input"}, {"output_cost_per_token", "tokens.output"},
		{"cache_read_input_token_cost", "tokens.cache_read"}, {"cache_creation_input_token_cost", "tokens.cache_creation"},
	} {
		n, given := first(r[0])
		if text, ok := perMillion(n); given && ok {
			d.rates = append(d.rates, store.Rate{Meter: r[1], Unit: "per_million", Amount: text})
		}
	}
	if n, given := first("input_cost_per_second"); given {
		d.rates = append(d.rates, store.Rate{Meter: "seconds", Unit: "per_unit", Amount: decimal(n)})
	}
	d.facts.ContextWindow, _ = about.whole("max_input_tokens")
	if n, ok := about.whole("max_tokens"); ok && d.facts.ContextWindow == 0 {
		d.facts.ContextWindow = n
	}
	d.facts.MaxOutputTokens, _ = about.whole("max_output_tokens")
	for _, c := range [][2]string{{"supports_function_calling", "tools"}, {"supports_vision", "vision"}, {"supports_reasoning", "reasoning"}, {"supports_prompt_caching", "promptCache"}, {"supports_response_schema", "structuredOutputs"}} {
		if about != nil && about.take(c[0]) != nil {
			d.facts.Capabilities = joined(d.facts.Capabilities, store.Capabilities{c[1]: about.boolean(c[0])})
		}
	}
	if base := about.text("base_model"); base != "" {
		_, name := l.split(base, "")
		l.describe(d, name)
	}
	about.take("mode")
}

// describe takes what the catalogue knows of a base model.
func (l *litellm) describe(d *deployment, name string) {
	if rec, ok := l.shipped[shippedKey(store.KindModel, lastSegment(name))].(*store.Model); ok {
		d.facts.ProviderID = rec.Spec.ProviderID
		d.facts.ContextWindow = cmp.Or(d.facts.ContextWindow, rec.Spec.ContextWindow)
		d.facts.MaxOutputTokens = cmp.Or(d.facts.MaxOutputTokens, rec.Spec.MaxOutputTokens)
		d.facts.Capabilities = joined(rec.Spec.Capabilities, d.facts.Capabilities)
	}
}
