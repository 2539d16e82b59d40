package catalogdata

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// PriceMap is a map of prices as LiteLLM publishes it
// (model_prices_and_context_window.json): dollars per token by model.
type PriceMap map[string]map[string]json.RawMessage

// Taken tells what WithPrices has made of a price map.
type Taken struct {
	Priced []string // MODEL at HOST whose price is another from the day on
	Made   []string // MODEL at HOST that are new
	Left   int      // entries of hosts that the catalogue does not know, or without a price for tokens
}

// ReadPriceMap reads a price map.
func ReadPriceMap(text []byte) (PriceMap, error) {
	var m PriceMap
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("this is no price map, which is a JSON object of models: %w", err)
	}
	return m, nil
}

// mapHosts are the hosts by the words of the map; the others are not known.
func mapHosts() map[string]string {
	return map[string]string{
		"openai": "openai", "text-completion-openai": "openai", "anthropic": "anthropic", "gemini": "google", "xai": "xai", "mistral": "mistral",
		"deepseek": "deepseek", "groq": "groq", "cerebras": "cerebras", "together_ai": "together", "fireworks_ai": "fireworks", "deepinfra": "deepinfra",
		"cohere_chat": "cohere", "perplexity": "perplexity", "moonshot": "moonshot", "zai": "zai", "minimax": "minimax", "dashscope": "alibaba",
	}
}

// WithPrices returns the catalogue of the next release with the prices of a map:
// a price that differs holds from the day of the source on, and models that are
// new at a host which makes its own are added. The catalogue itself stays.
func (d *Data) WithPrices(m PriceMap, source Source) (*Data, Taken, error) {
	next := *d
	next.Release, next.Date = d.Release+1, source.Date
	next.Sources = append(slices.Clone(d.Sources), source)
	next.Models, next.Offers = slices.Clone(d.Models), slices.Clone(d.Offers)
	t := taking{data: &next, source: source}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := t.entry(key, m[key]); err != nil {
			return nil, t.taken, fmt.Errorf("model %s: %w", key, err)
		}
	}
	faults := next.check()
	if len(faults) > 0 {
		return nil, t.taken, fmt.Errorf("the prices make no catalogue: %w", faults[0])
	}
	return &next, t.taken, nil
}

type taking struct {
	data   *Data
	source Source
	taken  Taken
}

func (t *taking) entry(key string, entry map[string]json.RawMessage) error {
	var provider string
	_ = json.Unmarshal(entry["litellm_provider"], &provider) // none is no host that is known
	host := mapHosts()[provider]
	price, err := t.price(entry)
	if err != nil {
		return err
	}
	if host == "" || price.USD["input"] == "" || price.USD["output"] == "" {
		t.taken.Left++
		return nil
	}
	name := strings.TrimPrefix(key, provider+"/")
	at := slices.IndexFunc(t.data.Offers, func(o Offer) bool { return o.Host == host && strings.EqualFold(o.Model, name) })
	if at < 0 {
		return t.make(name, host, entry, price)
	}
	o := &t.data.Offers[at]
	if present := len(o.Prices) - 1; present >= 0 && samePrice(o.Prices[present], price) || present >= 0 && o.Prices[present].From >= price.From {
		return nil
	}
	o.Prices = append(slices.Clone(o.Prices), price)
	t.taken.Priced = append(t.taken.Priced, o.Model+" at "+o.Host)
	return nil
}

// make adds a model at a host that has models of its own name, as makers do.
func (t *taking) make(name, host string, entry map[string]json.RawMessage, price Price) error {
	maker := slices.ContainsFunc(t.data.Providers, func(p Provider) bool { return p.Name == host })
	known := slices.ContainsFunc(t.data.Models, func(m Model) bool { return strings.EqualFold(m.Name, name) })
	if !maker || known {
		t.taken.Left++
		return nil
	}
	model := Model{Name: name, Title: name, Provider: host, Can: abilities(entry), Source: t.source.ID, Since: t.data.Release}
	model.Context, model.Output = tokensOf(entry["max_input_tokens"]), tokensOf(entry["max_output_tokens"])
	price.From = ""
	t.data.Models = append(t.data.Models, model)
	t.data.Offers = append(t.data.Offers, Offer{Model: name, Host: host, Prices: []Price{price}, Since: t.data.Release})
	t.taken.Made = append(t.taken.Made, name+" at "+host)
	return nil
}

func tokensOf(number json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return 0 // not known
	}
	return n
}

func abilities(entry map[string]json.RawMessage) []string {
	if string(entry["mode"]) == `"embedding"` {
		return []string{"embeddings"}
	}
	can := []string{"chat"}
	for _, one := range [][2]string{
		{"supports_function_calling", "tools"}, {"supports_vision", "vision"}, {"supports_reasoning", "reasoning"},
		{"supports_response_schema", "structuredOutputs"}, {"supports_prompt_caching", "promptCache"},
	} {
		if string(entry[one[0]]) == "true" {
			can = append(can, one[1])
		}
	}
	return can
}

func samePrice(a, b Price) bool {
	same := func(a, b map[string]string) bool {
		return maps.EqualFunc(a, b, func(x, y string) bool { return rat(x).Cmp(rat(y)) == 0 })
	}
	return same(a.USD, b.USD) && slices.EqualFunc(a.Above, b.Above, func(x, y Tier) bool { return x.Tokens == y.Tokens && same(x.USD, y.USD) })
}

func rat(amount string) *big.Rat {
	r, ok := new(big.Rat).SetString(amount)
	if !ok {
		return new(big.Rat)
	}
	return r
}
