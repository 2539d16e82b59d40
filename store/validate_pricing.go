package store

import (
	"fmt"
	"strings"
)

const maxRates = 200

// PricingMeters lists what a rate may price.
func PricingMeters() []string {
	return []string{
		"tokens", "tokens.input", "tokens.output", "tokens.cache_read", "tokens.cache_creation",
		"tokens.cache_creation_1h", "tokens.reasoning", "tokens.audio_input", "tokens.audio_output",
		"tokens.server_tool_use_input", "tokens.server_tool_use_output", "requests", "images", "seconds",
	}
}

func (f *faults) pricing(s *PricingSpec) {
	switch {
	case len(s.Rates) == 0:
		f.add("spec.rates", "must hold at least one rate; for a free model give one with amount \"0\"")
	case len(s.Rates) > maxRates:
		f.add("spec.rates", "must be at most %d", maxRates)
	}
	seen := map[string]int{}
	for i, rate := range s.Rates {
		f.rate(item("spec.rates", i), rate)
		key := fmt.Sprintf("%s %d %s", rate.Meter, rate.AboveTokens, rate.From)
		if first, taken := seen[key]; taken {
			f.add(item("spec.rates", i), "has the meter, aboveTokens and from of rates[%d]: change one of them", first)
			continue
		}
		seen[key] = i
	}
}

func (f *faults) rate(field string, r Rate) {
	f.choice(field+".meter", r.Meter, PricingMeters())
	f.count(field+".aboveTokens", r.AboveTokens)
	f.date(field+".from", r.From)
	f.date(field+".to", r.To)
	if r.From != "" && r.To != "" && strings.Compare(r.To, r.From) <= 0 {
		f.add(field+".to", "must be after from: it is the first day on which the rate no longer holds")
	}
	if per := unitSize(r.Unit); per > 0 {
		_, err := ParsePicoDollars(r.Amount, per)
		f.addErr(field+".amount", err)
	}
}

// unitSize returns how many units a rate's amount pays for, or 0.
func unitSize(unit string) int64 {
	switch unit {
	case "per_million":
		return 1_000_000
	case "per_thousand":
		return 1_000
	case "per_unit":
		return 1
	}
	return 0
}
