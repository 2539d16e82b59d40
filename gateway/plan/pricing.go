package plan

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"relay/store"
)

// Units is what one request used, in the classes that prices know. Input,
// CacheRead, CacheCreation and Output are disjoint wholes; the others are parts
// of a whole: CacheCreation1h of CacheCreation, AudioInput of Input, Reasoning
// and AudioOutput of Output. Millis is the length of audio in milliseconds.
type Units struct {
	Input, CacheRead, CacheCreation, Output             int64
	CacheCreation1h, AudioInput, AudioOutput, Reasoning int64
	ServerToolUseInput, ServerToolUseOutput             int64
	Requests, Images, Millis                            int64
}

// Pricing is a compiled price list. Immutable.
type Pricing struct {
	ID    string
	rates map[string][]rate // by meter; largest aboveTokens first, then latest from
}

// rate is one price in pico-dollars a unit.
type rate struct {
	pico     int64
	above    int64
	from, to time.Time // zero: open
}

func newPricing(rec *store.Pricing) (*Pricing, error) {
	p := &Pricing{ID: rec.Metadata.ID, rates: map[string][]rate{}}
	for i, r := range rec.Spec.Rates {
		compiled, err := newRate(r)
		if err != nil {
			return nil, fmt.Errorf("rate %d: %w", i+1, err)
		}
		p.rates[r.Meter] = append(p.rates[r.Meter], compiled)
	}
	for _, rates := range p.rates {
		slices.SortFunc(rates, func(a, b rate) int {
			return cmp.Or(cmp.Compare(b.above, a.above), b.from.Compare(a.from))
		})
	}
	return p, nil
}

func newRate(r store.Rate) (rate, error) {
	per := map[string]int64{"per_million": 1_000_000, "per_thousand": 1000, "per_unit": 1}[r.Unit]
	if per == 0 {
		return rate{}, fmt.Errorf("unit %q is not one of per_million, per_thousand, per_unit", r.Unit)
	}
	pico, err := store.ParsePicoDollars(r.Amount, per)
	if err != nil {
		return rate{}, err
	}
	from, err := date(r.From)
	if err != nil {
		return rate{}, err
	}
	to, err := date(r.To)
	return rate{pico: pico, above: r.AboveTokens, from: from, to: to}, err
}

func date(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, text)
}

// find returns the meter's rate that holds at the time for a request with so
// many input tokens: the one with the largest aboveTokens that the count
// exceeds.
func (p *Pricing) find(meter string, input int64, at time.Time) (rate, bool) {
	for _, r := range p.rates[meter] {
		if r.above > 0 && input <= r.above {
			continue
		}
		if r.holds(at) {
			return r, true
		}
	}
	return rate{}, false
}

// HoldsAt reports whether any rate holds at the time. Where none does, nothing is
// known of the price, and what was used is unpriced rather than free.
func (p *Pricing) HoldsAt(at time.Time) bool {
	for _, rates := range p.rates {
		for _, r := range rates {
			if r.holds(at) {
				return true
			}
		}
	}
	return false
}

// holds reports whether the time is within the days of the rate.
func (r rate) holds(at time.Time) bool {
	return (r.from.IsZero() || !at.Before(r.from)) && (r.to.IsZero() || at.Before(r.to))
}

// Cost prices the units in nano-dollars, rounded half up once. Each token is
// priced once: a part with a rate of its own leaves its whole, and what has none
// stays with it. Tokens of the provider's tools without a rate cost what input and
// output do, and the whole of all is the meter tokens. When parts is not nil the
// shares are appended to it.
func (p *Pricing) Cost(u Units, at time.Time, parts []store.CostPart) (int64, []store.CostPart) {
	b := bill{pricing: p, input: u.Input + u.CacheRead + u.CacheCreation, at: at, parts: parts}
	input, output, creation := u.Input, u.Output, u.CacheCreation
	input -= b.part("tokens.audio_input", min(u.AudioInput, input))
	output -= b.part("tokens.audio_output", min(u.AudioOutput, output))
	output -= b.part("tokens.reasoning", min(u.Reasoning, output))
	creation -= b.part("tokens.cache_creation_1h", min(u.CacheCreation1h, creation))
	creation -= b.part("tokens.cache_creation", creation)
	read := u.CacheRead - b.part("tokens.cache_read", u.CacheRead)
	toolInput := u.ServerToolUseInput - b.part("tokens.server_tool_use_input", u.ServerToolUseInput)
	toolOutput := u.ServerToolUseOutput - b.part("tokens.server_tool_use_output", u.ServerToolUseOutput)
	input += creation + read + toolInput
	output += toolOutput
	input -= b.part("tokens.input", input)
	output -= b.part("tokens.output", output)
	b.part("tokens", input+output)
	b.part("requests", u.Requests)
	b.part("images", u.Images)
	b.seconds(u.Millis)
	return b.total(), b.parts
}

// bill adds up one request in pico-dollars over 128 bits.
type bill struct {
	pricing *Pricing
	input   int64
	at      time.Time
	hi, lo  uint64
	parts   []store.CostPart
}

// part charges count at the meter's own rate and returns how many units that
// took: all, or none when the meter has no rate.
func (b *bill) part(meter string, count int64) int64 {
	if count <= 0 {
		return 0
	}
	r, ok := b.pricing.find(meter, b.input, b.at)
	if !ok {
		return 0
	}
	b.add(meter, count, r.pico, 1)
	return count
}

// seconds charges audio by its length.
func (b *bill) seconds(millis int64) {
	if r, ok := b.pricing.find("seconds", b.input, b.at); ok && millis > 0 {
		b.add("seconds", millis, r.pico, 1000)
	}
}

func (b *bill) add(meter string, count, pico int64, per uint64) {
	hi, lo := bits.Mul64(uint64(count), uint64(pico))
	if per > 1 {
		hi, lo = hi/per, divide(hi%per, lo, per)
	}
	var carry uint64
	b.lo, carry = bits.Add64(b.lo, lo, 0)
	b.hi, _ = bits.Add64(b.hi, hi, carry)
	if b.parts != nil {
		b.parts = append(b.parts, store.CostPart{Meter: meter, Nanos: toNanos(hi, lo)})
	}
}

func (b *bill) total() int64 { return toNanos(b.hi, b.lo) }

// toNanos rounds pico-dollars half up to nano-dollars; what does not fit is the
// largest amount.
func toNanos(hi, lo uint64) int64 {
	const most = 1<<63 - 1
	lo, carry := bits.Add64(lo, 500, 0)
	hi += carry
	if hi >= 1000 {
		return most
	}
	return int64(min(divide(hi, lo, 1000), most))
}

func divide(hi, lo, by uint64) uint64 {
	q, _ := bits.Div64(hi, lo, by)
	return q
}
