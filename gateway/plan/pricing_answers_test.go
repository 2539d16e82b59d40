package plan_test

import (
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
	"relay/limiter"
	"relay/store"
	"relay/store/catalogdata"
	"relay/store/storetest"
)

// today is a day on which the shipped prices of the tests hold.
const today = "2026-11-30"

// answered is an answer of an upstream with what it costs. One dollar for a
// million tokens is a thousand nano-dollars a token.
type answered struct {
	name   string
	codec  wire.Codec
	answer string // whole, or the stream when it begins with data: or event:
	model  string // MODEL at HOST: what the catalogue says that it costs there
	rates  []store.Rate
	at     string // a day or a time; empty: today
	want   int64  // nano-dollars
}

func per(meter, unit, amount string) store.Rate {
	return store.Rate{Meter: meter, Unit: unit, Amount: amount}
}

// check reads each answer by its codec and prices what the codec has found.
func check(t *testing.T, cases []answered) {
	t.Helper()
	shipped := shippedPrices(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := shipped[c.model]
			if c.rates != nil {
				p = priced(t, c.rates)
			}
			if p == nil {
				t.Fatalf("the catalogue has no price of %s", c.model)
			}
			units := c.units(t)
			if got, _ := p.Cost(units, moment(t, c.at), nil); got != c.want {
				t.Errorf("%d nano-dollars, want %d; read %+v", got, c.want, units)
			}
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		text = today
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	t.Fatalf("%q is no time", text)
	return time.Time{}
}

func (c answered) units(t *testing.T) plan.Units {
	t.Helper()
	var tap wire.Tap
	if c.answer[0] == '{' {
		if kind := c.codec.ReadAnswer(&tap, []byte(c.answer)); kind != wire.Content {
			t.Fatalf("the answer is of kind %v", kind)
		}
	} else if o := wiretest.Play(t, c.codec, &tap, wiretest.Bytewise(c.answer)...); o.Broken {
		t.Fatalf("the stream is broken: %s", o.Sent())
	}
	u := tap.Usage
	return plan.Units{
		Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, Output: u.Output,
		CacheCreation1h: u.CacheCreation1h, AudioInput: u.AudioInput, AudioOutput: u.AudioOutput, Reasoning: u.Reasoning,
		ServerToolUseInput: u.ServerToolUseInput, ServerToolUseOutput: u.ServerToolUseOutput,
		Requests: 1, Images: u.Images, Millis: u.Seconds * 1000,
	}
}

// shippedPrices are those of the embedded catalogue by MODEL at HOST.
func shippedPrices(t *testing.T) map[string]*plan.Pricing {
	t.Helper()
	data, err := catalogdata.Load()
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t)
	if _, err := db.Write(func(e *store.Edit) error { _, err := data.Apply(e); return err }); err != nil {
		t.Fatal(err)
	}
	return pricesIn(plan.Compile(plan.Input{Catalog: db.Catalog(), Registry: limiter.NewRegistry(), KeyValue: db.HostKeyValue}), data)
}

func pricesIn(p *plan.Plan, data *catalogdata.Data) map[string]*plan.Pricing {
	prices := map[string]*plan.Pricing{}
	for _, m := range data.Models {
		if found, _, ok := p.Find(m.Name); ok {
			for _, b := range found.Bindings {
				prices[m.Name+" at "+b.Host.Name()] = b.Pricing
			}
		}
	}
	return prices
}

// priced compiles rates.
func priced(t *testing.T, rates []store.Rate) *plan.Pricing {
	t.Helper()
	w := newWorld(t)
	pricing := put(w, "list", store.PricingSpec{Currency: "USD", Rates: rates})
	put(w, "chat-up", store.HostBindingSpec{ModelID: w.id(store.KindModel, "chat"), HostID: w.id(store.KindHost, "up"), PricingID: pricing.Metadata.ID})
	m, _, _ := w.plan().Find("chat")
	return m.Bindings[0].Pricing
}
