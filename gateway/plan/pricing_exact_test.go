package plan_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"relay/gateway/plan"
	"relay/store"
)

// exactNanos rounds an amount of dollars half up to nano-dollars.
func exactNanos(usd *big.Rat) int64 {
	nanos := new(big.Rat).Mul(usd, big.NewRat(1_000_000_000, 1))
	nanos.Add(nanos, big.NewRat(1, 2))
	return new(big.Int).Div(nanos.Num(), nanos.Denom()).Int64()
}

// listed is a price list as the model below reads it: dollars for a million by
// meter, for at most edge tokens of input and above.
type listed struct {
	edge        int64
	base, above map[string]string
}

func (l listed) rates() (rates []store.Rate) {
	for meter, amount := range l.base {
		rates = append(rates, store.Rate{Meter: meter, Unit: "per_million", Amount: amount})
	}
	for meter, amount := range l.above {
		rates = append(rates, store.Rate{Meter: meter, Unit: "per_million", Amount: amount, AboveTokens: l.edge})
	}
	return rates
}

// price returns what a token of the first of the meters that has a price costs.
func (l listed) price(long bool, meters ...string) *big.Rat {
	for _, meter := range meters {
		amount, found := l.base[meter]
		if dearer, tiered := l.above[meter]; tiered && long {
			amount, found = dearer, true
		}
		if found {
			usd, _ := new(big.Rat).SetString(amount)
			return usd.Mul(usd, big.NewRat(1, 1_000_000))
		}
	}
	return new(big.Rat)
}

// cost works out the price the long way: each token by itself has a list of
// meters that it may be billed by, of which the first with a price counts.
func (l listed) cost(u plan.Units) int64 {
	long := l.edge > 0 && u.Input+u.CacheRead+u.CacheCreation > l.edge
	sum := new(big.Rat)
	add := func(count int64, meters ...string) {
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(count, 1), l.price(long, meters...)))
	}
	add(u.AudioInput, "tokens.audio_input", "tokens.input", "tokens")
	add(u.Input-u.AudioInput, "tokens.input", "tokens")
	add(u.CacheRead, "tokens.cache_read", "tokens.input", "tokens")
	add(u.CacheCreation1h, "tokens.cache_creation_1h", "tokens.cache_creation", "tokens.input", "tokens")
	add(u.CacheCreation-u.CacheCreation1h, "tokens.cache_creation", "tokens.input", "tokens")
	add(u.Reasoning, "tokens.reasoning", "tokens.output", "tokens")
	add(u.Output-u.Reasoning, "tokens.output", "tokens")
	return exactNanos(sum)
}

func someMeters() []string {
	return []string{
		"tokens", "tokens.input", "tokens.audio_input", "tokens.cache_read", "tokens.cache_creation", "tokens.cache_creation_1h",
		"tokens.output", "tokens.reasoning",
	}
}

func drawPrices(t *rapid.T, label string) map[string]string {
	return rapid.MapOfN(rapid.SampledFrom(someMeters()), rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,6})?`), 1, -1).Draw(t, label)
}

func drawUnits(t *rapid.T) plan.Units {
	count := rapid.Int64Range(0, 1_000_000)
	u := plan.Units{Input: count.Draw(t, "input"), CacheRead: count.Draw(t, "read"), CacheCreation: count.Draw(t, "written"), Output: count.Draw(t, "output")}
	u.AudioInput = rapid.Int64Range(0, u.Input).Draw(t, "audio")
	u.CacheCreation1h = rapid.Int64Range(0, u.CacheCreation).Draw(t, "hour")
	u.Reasoning = rapid.Int64Range(0, u.Output).Draw(t, "reasoning")
	return u
}

func TestCost_IsThatOfEachTokenByItselfForWhateverPricesAndCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := listed{edge: rapid.SampledFrom([]int64{0, 1, 200_000, 1_500_000}).Draw(rt, "edge"), base: drawPrices(rt, "base")}
		if l.edge > 0 {
			l.above = drawPrices(rt, "above")
		}
		p, err := plan.NewPricing(&store.Pricing{Spec: store.PricingSpec{Currency: "USD", Rates: l.rates()}})
		if err != nil {
			rt.Fatal(err)
		}
		for range 8 {
			u := drawUnits(rt)
			if got, _ := p.Cost(u, time.Time{}.AddDate(2026, 0, 0), nil); got != l.cost(u) {
				rt.Fatalf("%+v by %+v: %d nano-dollars, want %d", u, l, got, l.cost(u))
			}
		}
	})
}

// A million rows add up to what their exact prices add up to: each row is rounded
// once, to a nano-dollar, and no sum drifts. Prices are such that a row's exact
// amount of pico-dollars fits an int64.
func TestCost_OfAMillionRowsAddsUpExactly(t *testing.T) {
	const rows = 1_000_000
	p := priced(t, []store.Rate{
		per("tokens.input", "per_million", "0.1875"), per("tokens.cache_read", "per_million", "0.003625"), per("tokens.output", "per_million", "1.125"),
	})
	random, at := rand.New(rand.NewPCG(83, 85)), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	var sum, want int64
	exact := new(big.Int) // in pico-dollars, unrounded
	for range rows {
		u := plan.Units{Input: random.Int64N(100_000), CacheRead: random.Int64N(100_000), Output: random.Int64N(10_000)}
		nanos, _ := p.Cost(u, at, nil)
		sum += nanos
		pico := 187_500*u.Input + 3_625*u.CacheRead + 1_125_000*u.Output
		want += (pico + 500) / 1000
		exact.Add(exact, big.NewInt(pico))
	}
	if sum != want {
		t.Errorf("%d rows cost %d nano-dollars, want %d", rows, sum, want)
	}
	drift := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(sum), big.NewInt(1000)), exact)
	if most := big.NewInt(500 * rows); drift.CmpAbs(most) > 0 {
		t.Errorf("the sum is %v pico-dollars off, more than half a nano-dollar a row", drift)
	}
}

func TestCost_SharesAreThoseOfTheMeters(t *testing.T) {
	p := priced(t, []store.Rate{per("tokens.input", "per_million", "3"), per("tokens.output", "per_million", "15"), per("requests", "per_thousand", "14")})
	cost, parts := p.Cost(plan.Units{Input: 10, CacheRead: 5, Output: 2, Requests: 1}, time.Now(), []store.CostPart{})
	want := []store.CostPart{{Meter: "tokens.input", Nanos: 45_000}, {Meter: "tokens.output", Nanos: 30_000}, {Meter: "requests", Nanos: 14_000_000}}
	if cost != 14_075_000 || !slices.Equal(parts, want) {
		t.Errorf("%d, %v", cost, parts)
	}
}

func TestHoldsAt_TellsATimeWithoutAnyPriceFromAFreeOne(t *testing.T) {
	dated := priced(t, []store.Rate{
		{Meter: "tokens.input", Unit: "per_million", Amount: "0", From: "2026-03-01", To: "2026-04-01"},
		{Meter: "tokens.output", Unit: "per_million", Amount: "0", From: "2026-03-15"},
	})
	for at, want := range map[string]bool{"2026-02-28": false, "2026-03-01": true, "2026-04-01": true, "2030-01-01": true} {
		if got := dated.HoldsAt(moment(t, at)); got != want {
			t.Errorf("%s: %t", at, got)
		}
	}
	ended := priced(t, []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "1", To: "2026-04-01"}})
	if ended.HoldsAt(moment(t, "2026-04-01")) || !ended.HoldsAt(moment(t, "1999-01-01")) {
		t.Error("a price without a beginning ends with its last day")
	}
}
