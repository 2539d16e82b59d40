package catalogdata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/store"
	"relay/store/catalogdata"
)

const priceMap = `{
 "sample_spec": {"litellm_provider": "one of https://docs.litellm.ai", "input_cost_per_token": 0},
 "gpt-4.1-mini": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 4e-07, "output_cost_per_token": 1.6e-06, "cache_read_input_token_cost": 1e-07, "supports_vision": true},
 "gpt-4.1": {"litellm_provider": "openai", "input_cost_per_token": 1.5e-06, "output_cost_per_token": 8e-06, "cache_read_input_token_cost": 3.75e-07, "input_cost_per_token_above_200k_tokens": 3e-06, "output_cost_per_token_above_200k_tokens": 12e-06},
 "gpt-9": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 500000, "max_output_tokens": 1000, "input_cost_per_token": 0.000001, "output_cost_per_token": 2e-6, "supports_function_calling": true},
 "groq/new-model": {"litellm_provider": "groq", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6},
 "whisper-1": {"litellm_provider": "openai", "input_cost_per_second": 0.0001},
 "elsewhere/x": {"litellm_provider": "elsewhere", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6}
}`

// describe tells the amount and the days of a rate.
func describe(r store.Rate) string {
	text := r.Amount
	if r.From != "" {
		text += " from " + r.From
	}
	if r.To != "" {
		text += " to " + r.To
	}
	if r.AboveTokens > 0 {
		text += fmt.Sprintf(" above %d", r.AboveTokens)
	}
	return text
}

func importSource(day string) catalogdata.Source {
	return catalogdata.Source{ID: "import", Title: "a price map", Date: day}
}

func TestWithPrices_DatesWhatDiffersAndAddsNewModelsOfMakers(t *testing.T) {
	m, err := catalogdata.ReadPriceMap([]byte(priceMap))
	if err != nil {
		t.Fatal(err)
	}
	base := load(t)
	next, taken, err := base.WithPrices(m, importSource("2026-12-15"))
	if err != nil {
		t.Fatal(err)
	}
	if next.Release != base.Release+1 || next.Date != "2026-12-15" || len(next.Offers) != len(base.Offers)+1 {
		t.Errorf("release %d of %s, %d offers", next.Release, next.Date, len(next.Offers))
	}
	if !slices.Equal(taken.Priced, []string{"gpt-4.1 at openai"}) || !slices.Equal(taken.Made, []string{"gpt-9 at openai"}) || taken.Left != 4 {
		t.Errorf("taken %+v", taken)
	}
	rates := pricingIn(t, next, "gpt-4-1-openai").Spec.Rates
	for _, r := range []string{"2.00 to 2026-12-15", "1.50 from 2026-12-15", "0.375 from 2026-12-15", "3.00 from 2026-12-15 above 200000"} {
		if !slices.ContainsFunc(rates, func(x store.Rate) bool { return describe(x) == r }) {
			t.Errorf("no rate of %s in %+v", r, rates)
		}
	}
	if old := pricingIn(t, base, "gpt-4-1-openai").Spec.Rates; len(old) == len(rates) {
		t.Error("the catalogue that it began with has changed")
	}
}

func TestWithPrices_RefusesWhatIsNoPriceOrNoDay(t *testing.T) {
	for text, want := range map[string]string{
		`{"gpt-4.1":{"litellm_provider":"openai","input_cost_per_token":-1,"output_cost_per_token":1}}`:     "input_cost_per_token: -1 is no price",
		`{"gpt-4.1":{"litellm_provider":"openai","input_cost_per_token":1e-13,"output_cost_per_token":1}}`:  "finer than a pico-dollar",
		`{"gpt-4.1":{"litellm_provider":"openai","input_cost_per_token":"x","output_cost_per_token":1}}`:    "is no price",
		`{"gpt-8":{"litellm_provider":"openai","input_cost_per_token":1e-99999,"output_cost_per_token":1}}`: "",
	} {
		m, err := catalogdata.ReadPriceMap([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := load(t).WithPrices(m, importSource("2026-12-15")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := catalogdata.ReadPriceMap([]byte(`[1]`)); err == nil {
		t.Error("a list was read")
	}
}
