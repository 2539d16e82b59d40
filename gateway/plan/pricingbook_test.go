package plan_test

import (
	"slices"
	"testing"

	"relay/gateway/plan"
	"relay/store"
)

// booked is a book in which model chat at host up has the rates, and host down
// none.
func booked(w *world, rates ...store.Rate) *plan.PriceBook {
	w.t.Helper()
	pricing := put(w, "list", store.PricingSpec{Currency: "USD", Rates: rates})
	put(w, "chat-up", store.HostBindingSpec{ModelID: w.id(store.KindModel, "chat"), HostID: w.id(store.KindHost, "up"), PricingID: pricing.Metadata.ID})
	return plan.NewPriceBook(w.db.Catalog())
}

func (w *world) event(host, day string) *store.Event {
	w.t.Helper()
	return &store.Event{
		At: moment(w.t, day), Status: 200, Model: w.id(store.KindModel, "chat"), Host: w.id(store.KindHost, host),
		Tokens: store.Tokens{Input: 1000, Output: 100, Reasoning: 40}, Units: store.Units{Images: 2, Seconds: 9},
	}
}

func TestPriceBook_PricesByWhatHeldWhenTheRequestWasMade(t *testing.T) {
	w := newWorld(t)
	book := booked(w,
		store.Rate{Meter: "tokens.input", Unit: "per_million", Amount: "2", To: "2026-06-01"},
		store.Rate{Meter: "tokens.input", Unit: "per_million", Amount: "1", From: "2026-06-01"},
		per("tokens.output", "per_million", "10"), per("requests", "per_unit", "0.001"), per("images", "per_unit", "0.01"), per("seconds", "per_unit", "0.0001"))
	// requests 1000000, images 2 x 10000000, seconds 9 x 100000, output 100 x 10000
	const rest = 1_000_000 + 20_000_000 + 900_000 + 1_000_000
	for day, want := range map[string]int64{"2026-05-31T23:59:59Z": 2_000_000 + rest, "2026-06-01": 1_000_000 + rest} {
		e := w.event("up", day)
		book.Price(e)
		if e.CostNanos == nil || *e.CostNanos != want || e.Pricing != w.id(store.KindPricing, "list") || e.CostBreakdown != nil {
			t.Errorf("%s: %v by %q, want %d", day, e.CostNanos, e.Pricing, want)
		}
	}
}

func TestPriceBook_LeavesWhatItHasNoPriceFor(t *testing.T) {
	w := newWorld(t)
	book := booked(w, store.Rate{Meter: "tokens.input", Unit: "per_million", Amount: "2", From: "2026-06-01"})
	before, elsewhere, nowhere, gone := w.event("up", "2026-05-31"), w.event("down", "2026-06-02"), w.event("up", "2026-06-02"), w.event("down", "2026-06-02")
	nowhere.Host = ""
	known := int64(7)
	gone.CostNanos, gone.Pricing = &known, "01900000-0000-7000-8000-000000000000"
	for name, e := range map[string]*store.Event{"no price yet": before, "no pricing": elsewhere, "no host has answered": nowhere, "its pricing is gone": gone} {
		cost, pricing := e.CostNanos, e.Pricing
		book.Price(e)
		if e.CostNanos != cost || e.Pricing != pricing {
			t.Errorf("%s: %v by %q", name, e.CostNanos, e.Pricing)
		}
	}
}

func TestPriceBook_TakesTheRecordedPricingWhereTheBindingHasNone(t *testing.T) {
	w := newWorld(t)
	book := booked(w, per("tokens.input", "per_million", "2"), per("tokens.output", "per_million", "10"))
	e := w.event("down", today)
	e.Pricing, e.CostBreakdown = w.id(store.KindPricing, "list"), []store.CostPart{{Meter: "tokens.input", Nanos: 5}}
	book.Price(e)
	want := []store.CostPart{{Meter: "tokens.input", Nanos: 2_000_000}, {Meter: "tokens.output", Nanos: 1_000_000}}
	if e.CostNanos == nil || *e.CostNanos != 3_000_000 || !slices.Equal(e.CostBreakdown, want) {
		t.Errorf("%v, %v", e.CostNanos, e.CostBreakdown)
	}
}

func TestPriceBook_DoesNotUseAPricingThatIsSwitchedOff(t *testing.T) {
	w, off := newWorld(t), false
	booked(w, per("tokens.input", "per_million", "2"))
	put(w, "list", store.PricingSpec{Enabled: &off, Currency: "USD", Rates: []store.Rate{per("tokens.input", "per_million", "2")}})
	e := w.event("up", today)
	plan.NewPriceBook(w.db.Catalog()).Price(e)
	if e.CostNanos != nil {
		t.Errorf("cost %d", *e.CostNanos)
	}
}
