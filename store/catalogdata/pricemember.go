package catalogdata

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// mapMeters are the meters by the members of a price map.
func mapMeters() map[string]string {
	return map[string]string{
		"input_cost_per_token": "input", "output_cost_per_token": "output", "cache_read_input_token_cost": "cache_read",
		"cache_creation_input_token_cost": "cache_creation", "cache_creation_input_token_cost_above_1hr": "cache_creation_1h",
		"output_cost_per_reasoning_token": "reasoning", "input_cost_per_audio_token": "audio_input", "output_cost_per_audio_token": "audio_output",
	}
}

// price reads what an entry of a price map costs. Other members are passed over.
func (t *taking) price(entry map[string]json.RawMessage) (Price, error) {
	p := Price{From: t.source.Date, Source: t.source.ID, Checked: t.source.Date, USD: map[string]string{}}
	tiers := map[int64]map[string]string{}
	for member, value := range entry {
		meter, above := meterOf(member)
		if meter == "" || string(value) == "null" {
			continue
		}
		amount, err := perMillion(string(value))
		if err != nil {
			return p, fmt.Errorf("%s: %w", member, err)
		}
		usd := p.USD
		if above > 0 {
			if tiers[above] == nil {
				tiers[above] = map[string]string{}
			}
			usd = tiers[above]
		}
		usd[meter] = amount
	}
	for above, usd := range tiers {
		if usd["input"] != "" && usd["output"] != "" {
			p.Above = append(p.Above, Tier{Tokens: above, USD: usd, Source: t.source.ID})
		}
	}
	slices.SortFunc(p.Above, func(a, b Tier) int { return int(a.Tokens - b.Tokens) })
	return p, nil
}

// meterOf tells which meter a member prices, and above how many tokens of input:
// input_cost_per_token_above_200k_tokens.
func meterOf(member string) (meter string, above int64) {
	if meter := mapMeters()[member]; meter != "" {
		return meter, 0
	}
	name, edge, tiered := strings.Cut(member, "_above_")
	thousands, isEdge := strings.CutSuffix(edge, "k_tokens")
	n, err := strconv.ParseInt(thousands, 10, 32)
	if !tiered || !isEdge || err != nil {
		return "", 0
	}
	return mapMeters()[name], n * 1000
}

// perMillion writes a price of a token as that of a million, exactly. It fails for
// what is negative, or finer than a pico-dollar a token.
func perMillion(number string) (string, error) {
	usd, ok := new(big.Rat).SetString(number)
	if !ok || usd.Sign() < 0 {
		return "", fmt.Errorf("%s is no price", number)
	}
	usd.Mul(usd, big.NewRat(1_000_000, 1))
	text := usd.FloatString(6)
	if exact, _ := new(big.Rat).SetString(text); exact.Cmp(usd) != 0 {
		return "", fmt.Errorf("%s is finer than a pico-dollar", number)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "0" && fraction == "" {
		return "0", nil
	}
	return whole + "." + fraction + strings.Repeat("0", max(0, 2-len(fraction))), nil
}
