package catalogdata

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"relay/store"
)

// meters lists what usd may price, in the order in which rates are written.
func meters() []string {
	return []string{"input", "cache_read", "cache_creation", "cache_creation_1h", "output", "reasoning", "audio_input", "audio_output"}
}

// pricingRow makes one pricing of all prices of the offer. It is of no use
// without the host.
func (o *Offer) pricingRow() row {
	rec := &store.Pricing{
		Metadata: store.Metadata{Name: o.name(), DisplayName: o.Model + " at " + o.Host, Annotations: o.citation()},
		Spec:     store.PricingSpec{Currency: "USD"},
	}
	for i, p := range o.Prices {
		to := ""
		if i+1 < len(o.Prices) {
			to = o.Prices[i+1].From
		}
		rec.Spec.Rates = append(rec.Spec.Rates, p.rates(to)...)
	}
	return row{rec: rec, since: o.Since, needs: []need{needOf(store.KindHost, o.Host)}}
}

// citation tells where the price of today comes from.
func (o *Offer) citation() map[string]string {
	p := o.Prices[len(o.Prices)-1]
	about := noted{"source": p.Source, "checked": p.Checked, "agree": strings.Join(p.Agree, ", ")}
	var others []string
	for _, id := range slices.Sorted(maps.Keys(p.Differs)) {
		others = append(others, id+" "+p.Differs[id])
	}
	about["differs"] = strings.Join(others, ", ")
	return annotate(about)
}

// rates writes the price out. Tiers hold for the same days as the rest of it.
func (p *Price) rates(to string) []store.Rate {
	rates := ratesOf(p.USD, 0)
	if p.Requests != "" {
		rates = append(rates, store.Rate{Meter: "requests", Unit: "per_thousand", Amount: p.Requests})
	}
	for _, t := range p.Above {
		rates = append(rates, ratesOf(t.USD, t.Tokens)...)
	}
	for i := range rates {
		rates[i].From, rates[i].To = p.From, to
	}
	return rates
}

func ratesOf(usd map[string]string, above int64) []store.Rate {
	rates := make([]store.Rate, 0, len(usd))
	for meter, amount := range usd {
		rates = append(rates, store.Rate{Meter: "tokens." + meter, Unit: "per_million", Amount: amount, AboveTokens: above})
	}
	order := meters()
	slices.SortFunc(rates, func(a, b store.Rate) int {
		return cmp.Compare(slices.Index(order, a.Meter[len("tokens."):]), slices.Index(order, b.Meter[len("tokens."):]))
	})
	return rates
}
