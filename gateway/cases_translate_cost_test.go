package gateway_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// prices changes what the models of newTongues cost, in dollars for a million.
func (r *rig) prices(rates ...string) {
	r.tb.Helper()
	spec := store.PricingSpec{Currency: "USD"}
	for i := 0; i < len(rates); i += 2 {
		spec.Rates = append(spec.Rates, store.Rate{Meter: rates[i], Unit: "per_million", Amount: rates[i+1]})
	}
	put(r, "chat", spec)
}

// counted is what a host of the shape says with that usage, whole or streamed.
func (k kind) counted(usage string) gatewaytest.Script {
	texts := k.answer(1, 1)
	for i, text := range texts {
		for _, name := range []string{`"usage":{`, `"usageMetadata":{`} {
			before, rest, found := strings.Cut(text, name)
			if !found {
				continue
			}
			depth, end := 1, 0
			for depth > 0 {
				switch rest[end] {
				case '{':
					depth++
				case '}':
					depth--
				}
				end++
			}
			texts[i] = before + name + usage + rest[end-1:]
		}
	}
	if k.streamed {
		return k.streams(texts...)
	}
	return gatewaytest.JSON(200, texts[0])
}

// TestTranslatedCost_IsExactForEveryCaller is cases B83 and B85's other half: one
// usage costs the same, whoever asked and whether it was streamed.
func TestTranslatedCost_IsExactForEveryCaller(t *testing.T) {
	r, up := newTongues(t)
	r.prices("tokens.input", "3", "tokens.output", "15", "tokens.cache_creation", "3.75", "tokens.cache_read", "0.30")
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, p := range append(pairs(), pair{kindsNamed("messages whole")[0], kindsNamed("messages whole")[0]}, pair{kindsNamed("messages stream")[0], kindsNamed("messages stream")[0]}) {
		if p.upstream.shape != store.ShapeAnthropic {
			continue
		}
		up.Play(p.upstream.counted(`"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550`))
		a := r.ask(p.asks(), key)
		calls++
		e := r.events(calls)[calls-1]
		if e.CostNanos == nil || *e.CostNanos != 54_399_000 || e.Tokens.Input != 3 || e.Tokens.CacheCreation != 12304 || e.Tokens.Output != 550 {
			t.Errorf("%s: recorded %+v, cost %v: %s", p.name(), e.Tokens, e.CostNanos, a.Body)
		}
		if got := a.Header.Get("X-Relay-Cost-Usd"); !p.caller.streamed && got != "0.054399" {
			t.Errorf("%s: the answer costs %q", p.name(), got)
		}
	}
}

// usageTold is the usage that an answer tells, whole or in the last event that has
// one.
func (k kind) usageTold(body string) (usage gjson.Result) {
	if !k.streamed {
		return gjson.Get(body, "usage")
	}
	for _, event := range k.read(body) {
		_, data, _ := strings.Cut(event, " ")
		for _, at := range []string{"usage", "response.usage"} {
			if u := gjson.Get(data, at); u.IsObject() {
				usage = u
			}
		}
	}
	return usage
}

// TestTranslatedCost_TellsCachedTokensAsTheCallersShapeCountsThem is case B85.
func TestTranslatedCost_TellsCachedTokensAsTheCallersShapeCountsThem(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	const anthropic = `"input_tokens":7,"cache_read_input_tokens":9000,"cache_creation_input_tokens":993,"output_tokens":20`
	const openai = `"prompt_tokens":10000,"prompt_tokens_details":{"cached_tokens":9000},"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":8},"total_tokens":10020`
	const responses = `"input_tokens":10000,"input_tokens_details":{"cached_tokens":9000},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":8},"total_tokens":10020`
	for _, c := range []struct {
		caller, host, to, usage string
		want                    string // members and numbers
	}{
		{"chat", "messages", "anthropic", anthropic, "prompt_tokens 10000 prompt_tokens_details.cached_tokens 9000 completion_tokens 20 total_tokens 10020"},
		{"responses", "messages", "anthropic", anthropic, "input_tokens 10000 input_tokens_details.cached_tokens 9000 output_tokens 20 total_tokens 10020"},
		{"messages", "chat", "openai", openai, "input_tokens 1000 cache_read_input_tokens 9000 output_tokens 20"},
		{"messages", "responses", "openai-responses", responses, "input_tokens 1000 cache_read_input_tokens 9000 output_tokens 20"},
		{"responses", "chat", "openai", openai, "input_tokens 10000 input_tokens_details.cached_tokens 9000 output_tokens 20 output_tokens_details.reasoning_tokens 8"},
	} {
		for _, how := range []string{" whole", " stream"} {
			k, host := kindsNamed(c.caller + how)[0].of("to-"+c.to), kindsNamed(c.host + how)[0]
			if k.name == "chat stream" {
				k.asks += `"stream_options":{"include_usage":true},`
			}
			up.Play(host.counted(c.usage))
			a := r.ask(k, key)
			told, wants := k.usageTold(a.Body), strings.Fields(c.want)
			for i := 0; i < len(wants); i += 2 {
				if got := told.Get(wants[i]).Raw; got != wants[i+1] {
					t.Errorf("%s to %s: %s is %s in %s", k.name, c.to, wants[i], got, told)
				}
			}
		}
	}
}

// TestTranslatedCost_OfSoundHasItsOwnPriceOrThatOfText is case B87; reasoning is part
// of the output, and not added again.
func TestTranslatedCost_OfSoundHasItsOwnPriceOrThatOfText(t *testing.T) {
	const usage = `"prompt_tokens":1000,"prompt_tokens_details":{"text_tokens":30,"audio_tokens":970},"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":8},"total_tokens":1020`
	for name, c := range map[string]struct {
		rates []string
		want  int64
	}{
		"no price of its own": {[]string{"tokens.input", "3", "tokens.output", "15"}, 1000*3_000 + 20*15_000},
		"ten times as much":   {[]string{"tokens.input", "3", "tokens.output", "15", "tokens.audio_input", "30"}, 30*3_000 + 970*30_000 + 20*15_000},
	} {
		r, up := newTongues(t)
		r.prices(c.rates...)
		key := r.key("k", store.RelayKeySpec{})
		calls := 0
		for _, p := range pairs() {
			if p.upstream.shape != store.ShapeOpenAI {
				continue
			}
			up.Play(p.upstream.counted(usage))
			r.ask(p.asks(), key)
			calls++
			if e := r.events(calls)[calls-1]; e.CostNanos == nil || *e.CostNanos != c.want || e.Tokens.AudioInput != 970 || e.Tokens.Reasoning != 8 {
				t.Errorf("%s, %s: recorded %+v, cost %v", name, p.name(), e.Tokens, e.CostNanos)
			}
		}
	}
}
