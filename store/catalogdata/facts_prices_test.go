package catalogdata_test

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/store"
	"relay/store/catalogdata"
)

// compareSource wants every source that the facts name to be cited, those that
// differ either as such or as agreeing with a former price.
func (want factModel) compareSource(t *testing.T, prices []catalogdata.Price) {
	t.Helper()
	present := prices[len(prices)-1]
	agree := []string{sources()[want.Source.From]}
	if present.Source != agree[0] || present.Checked != want.Source.Date {
		t.Errorf("price of %s, %s; want %s, %s", present.Source, present.Checked, agree[0], want.Source.Date)
	}
	for _, id := range want.Source.Agree {
		if name := sources()[id]; name != agree[0] && !slices.Contains(present.Agree, name) {
			t.Errorf("%s agrees and is not cited", name)
		}
	}
	if len(present.Agree) != len(want.Source.Agree)-1 {
		t.Errorf("agree %v, want %v", present.Agree, want.Source.Agree)
	}
	for id, says := range want.Source.Differs {
		former := slices.ContainsFunc(prices[:len(prices)-1], func(p catalogdata.Price) bool { return slices.Contains(p.Agree, sources()[id]) })
		if !former && present.Differs[sources()[id]] != says {
			t.Errorf("%s differs with %s and is not cited", sources()[id], says)
		}
	}
}

func (want factModel) comparePrices(t *testing.T, rates []store.Rate) {
	t.Helper()
	compareAmounts(t, "today", meterPrices(t, want.Price), ratesAt(t, rates, 0, today))
	above, tiers := want.above(t)
	compareAmounts(t, "tier", tiers, ratesAt(t, rates, above, today))
	want.compareChanges(t, rates)
	for _, rate := range rates {
		if rate.AboveTokens != 0 && rate.AboveTokens != above {
			t.Errorf("rate %+v is above a number of tokens that the facts do not have", rate)
		}
	}
}

// compareChanges looks at every price on its first and its last day. Of cache
// writes the facts tell nothing there; the catalogue has them from sources that
// say so.
func (want factModel) compareChanges(t *testing.T, rates []store.Rate) {
	t.Helper()
	if slices.ContainsFunc(want.Changes, hourly) {
		return
	}
	for i, change := range want.Changes {
		first, last := "2020-01-01", today
		if from := change["from"]; from != nil {
			first = *from
		}
		if i+1 < len(want.Changes) {
			last = dayBefore(t, *want.Changes[i+1]["from"])
		}
		prices := maps.Clone(change)
		delete(prices, "from")
		for _, day := range []string{first, max(first, last)} {
			got := ratesAt(t, rates, 0, day)
			delete(got, "cache_creation")
			delete(got, "cache_creation_1h")
			compareAmounts(t, day, meterPrices(t, prices), got)
		}
	}
}

// hourly reports a price for hours of the day. The facts have these of what a name
// has led to before only, as one of two sources that differ.
func hourly(change map[string]*string) bool {
	return change["from"] != nil && strings.Contains(*change["from"], "start_time")
}

func dayBefore(t *testing.T, day string) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return at.AddDate(0, 0, -1).Format(time.DateOnly)
}

func (want factModel) above(t *testing.T) (int64, map[string]*big.Rat) {
	t.Helper()
	if want.Tier == nil {
		return -1, map[string]*big.Rat{}
	}
	tokens, ok := new(big.Rat).SetString(*want.Tier["above_input_tokens"])
	if !ok || !tokens.IsInt() {
		t.Fatalf("tier %v", want.Tier)
	}
	prices := maps.Clone(want.Tier)
	delete(prices, "above_input_tokens")
	return tokens.Num().Int64(), meterPrices(t, prices)
}

// meterPrices writes the facts' prices by Relay's meters. What has none is left
// out.
func meterPrices(t *testing.T, prices map[string]*string) map[string]*big.Rat {
	t.Helper()
	meters := map[string]string{
		"input": "input", "output": "output", "cached_input": "cache_read",
		"cache_write": "cache_creation", "cache_write_1h": "cache_creation_1h",
	}
	out := map[string]*big.Rat{}
	for key, amount := range prices {
		if amount == nil {
			continue
		}
		if meters[key] == "" {
			t.Fatalf("the facts price %q, which this test does not know", key)
		}
		out[meters[key]] = number(t, *amount)
	}
	return out
}

// ratesAt returns what holds on the day, of the tier alone.
func ratesAt(t *testing.T, rates []store.Rate, above int64, day string) map[string]*big.Rat {
	t.Helper()
	out := map[string]*big.Rat{}
	for _, r := range rates {
		if r.Meter == "requests" || r.AboveTokens != above || r.From > day || r.To != "" && r.To <= day {
			continue
		}
		meter := strings.TrimPrefix(r.Meter, "tokens.")
		if out[meter] != nil || r.Unit != "per_million" {
			t.Errorf("on %s two rates hold for %s, or not per million: %+v", day, meter, r)
		}
		out[meter] = number(t, r.Amount)
	}
	return out
}

func compareAmounts(t *testing.T, when string, want, got map[string]*big.Rat) {
	t.Helper()
	if !maps.EqualFunc(want, got, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
		t.Errorf("%s: got %v, want %v", when, got, want)
	}
}

func number(t *testing.T, text string) *big.Rat {
	t.Helper()
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return n
}
