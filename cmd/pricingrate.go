package cmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"relay/store"
)

// given reports whether any rate is named.
func (p *pricingFlags) given(flags *pflag.FlagSet) bool {
	return flags.Changed("rate") || slices.ContainsFunc(pricingMeters(), func(meter [2]string) bool { return flags.Changed(meter[1]) })
}

// apply returns the present rates as the flags change them.
func (p *pricingFlags) apply(flags *pflag.FlagSet, present []store.Rate) ([]store.Rate, error) {
	rates := slices.Clone(present)
	for _, meter := range pricingMeters() {
		if !flags.Changed(meter[1]) {
			continue
		}
		rate := store.Rate{Meter: meter[0], Unit: "per_million", Amount: *p.prices[meter[0]]}
		if err := checkAmount(rate); err != nil {
			return nil, usagef("--%s %s: %v", meter[1], rate.Amount, err)
		}
		rates = putRate(rates, rate)
	}
	for _, text := range p.rates {
		rate, err := parseRate(text)
		if err != nil {
			return nil, usagef("--rate %s: %v", text, err)
		}
		rates = putRate(rates, rate)
	}
	return rates, nil
}

// putRate replaces the rate of the same meter, size and date, or with the
// amount none takes it away.
func putRate(rates []store.Rate, rate store.Rate) []store.Rate {
	at := slices.IndexFunc(rates, func(r store.Rate) bool {
		return r.Meter == rate.Meter && r.AboveTokens == rate.AboveTokens && r.From == rate.From
	})
	switch {
	case rate.Amount == none && at < 0:
	case rate.Amount == none:
		rates = slices.Delete(rates, at, at+1)
	case at < 0:
		rates = append(rates, rate)
	default:
		rates[at] = rate
	}
	return rates
}

func checkAmount(rate store.Rate) error {
	if rate.Amount == none {
		return nil
	}
	_, err := store.ParsePicoDollars(rate.Amount, unitSize(rate.Unit))
	return err
}

func unitSize(unit string) int64 {
	switch unit {
	case "per_million":
		return 1_000_000
	case "per_thousand":
		return 1_000
	}
	return 1
}

// parseRate reads METER:DOLLARS/UNIT[,above=TOKENS][,from=DATE][,to=DATE].
func parseRate(text string) (store.Rate, error) {
	head, options, _ := strings.Cut(text, ",")
	meter, price, found := strings.Cut(head, ":")
	amount, unit, whole := strings.Cut(price, "/")
	if !found || !whole {
		return store.Rate{}, fmt.Errorf("write METER:DOLLARS/UNIT, such as tokens.input:2.50/million or images:0.04/unit")
	}
	if !slices.Contains([]string{"million", "thousand", "unit"}, unit) {
		return store.Rate{}, fmt.Errorf("the unit must be million, thousand or unit")
	}
	rate := store.Rate{Meter: meter, Unit: "per_" + unit, Amount: amount}
	if err := checkAmount(rate); err != nil {
		return store.Rate{}, err
	}
	for _, option := range splitList(options) {
		if err := setRateOption(&rate, option); err != nil {
			return store.Rate{}, err
		}
	}
	return rate, nil
}

func setRateOption(rate *store.Rate, option string) (err error) {
	switch name, value, _ := strings.Cut(option, "="); name {
	case "above":
		if rate.AboveTokens, err = strconv.ParseInt(strings.ReplaceAll(value, "_", ""), 10, 64); err != nil {
			err = fmt.Errorf("above=%s must be a number of tokens", value)
		}
	case "from":
		rate.From = value
	case "to":
		rate.To = value
	default:
		err = fmt.Errorf("%q is none of above=TOKENS, from=DATE, to=DATE", option)
	}
	return err
}

// ratesInWords says what is charged: "$2.50 a million input tokens, $10 a
// million output tokens".
func ratesInWords(rates []store.Rate) string {
	parts := make([]string, len(rates))
	for i, rate := range rates {
		parts[i] = rateInWords(rate)
	}
	return strings.Join(parts, ", ")
}

func rateInWords(rate store.Rate) string {
	text := "$" + rate.Amount + " "
	switch rate.Unit {
	case "per_million":
		text += "a million " + meterInWords(rate.Meter)
	case "per_thousand":
		text += "a thousand " + meterInWords(rate.Meter)
	default:
		text += "per " + strings.TrimSuffix(meterInWords(rate.Meter), "s")
	}
	if rate.AboveTokens > 0 {
		text += " above " + grouped(rate.AboveTokens) + " input tokens"
	}
	if rate.From != "" {
		text += " from " + rate.From
	}
	if rate.To != "" {
		text += " until " + rate.To
	}
	return text
}

// meterInWords writes "tokens.cache_read" as "cache read tokens".
func meterInWords(meter string) string {
	kind, isTokens := strings.CutPrefix(meter, "tokens.")
	kind = strings.ReplaceAll(kind, "_", " ")
	if isTokens {
		return kind + " tokens"
	}
	return kind
}
