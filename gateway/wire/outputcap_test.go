package wire_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"relay/gateway/wire"
)

func TestAskedOutput_IsTheLargestCapTimesTheAnswers(t *testing.T) {
	for body, want := range map[string]int64{
		`"max_tokens":100`: 100, `"max_completion_tokens":100`: 100, `"max_output_tokens":100`: 100,
		`"generationConfig":{"maxOutputTokens":100}`: 100, `"generation_config":{"max_output_tokens":100}`: 100,
		`"generationConfig":{"max_output_tokens":7,"maxOutputTokens":100}`: 100, `"options":{"num_predict":100,"num_ctx":4096}`: 100,
		`"sampling":{"max_tokens":100}`:              100,
		`"max_tokens":100,"max_completion_tokens":7`: 100, `"max_tokens":7,"options":{"num_predict":100}`: 100, `"max_tokens":7,"max_tokens":100,"max_tokens":8`: 100,
		`"extensions":{"openai":{"max_completion_tokens":100},"anthropic":{"max_tokens":9}},"sampling":{"max_tokens":7}`:      100,
		`"sampling":{"max_tokens":7},"extensions":{"gemini":{"generationConfig":{"maxOutputTokens":100,"candidateCount":2}}}`: 200,
		`"sampling":{"max_tokens":7},"extensions":{"ollama":{"options":{"num_predict":100}}}`:                                 100, `"max_tokens":7,"extra_body":{"max_tokens":100}`: 100,
		`"n":3,"max_tokens":100`: 300, `"max_tokens":100,"n":3,"best_of":5`: 500, `"generationConfig":{"candidateCount":4,"maxOutputTokens":100}`: 400,
		`"generation_config":{"candidate_count":4,"max_output_tokens":100}`: 400, `"n":2,"n":6,"n":1,"max_tokens":10`: 60,
		`"n":0,"max_tokens":100`: 100, `"n":null,"max_tokens":100`: 100, `"n":"8","max_tokens":100`: 100, `"n":-2,"max_tokens":100`: 100, `"n":1.5,"max_tokens":100`: 200,
		`"max_tokens":100.0`: 100, `"max_tokens":1e2`: 100, `"max_tokens":1E+2`: 100, `"max_tokens":99.01`: 100, `"max_tokens":0.5`: 1, `"max_tokens":1e-9`: 1,
		`"max_tokens":0,"max_completion_tokens":100`: 100, `"max_tokens":null,"max_completion_tokens":100`: 100, `"max_tokens":-1,"max_output_tokens":100`: 100,
		`"m\u0061x_tokens":100`: 100, `"options":{"num_predi\u0063t":100}`: 100, `"\u006f\u0070tions":{"num_predict":100}`: 100,
		`"max_tokens":7,"MAX_TOKENS":100`: 100, `"Max_Tokens":100,"max_tokens":7`: 100, `"max_tokens":7,"N":4`: 28,
		`"max_tokens":9007199254740992`: 1 << 53, `"max_tokens":9007199254740993`: 1 << 53, `"max_tokens":1e300`: 1 << 53, `"max_tokens":99999999999999999999999999`: 1 << 53,
		`"max_tokens":9007199254740992,"n":9007199254740992`: 1 << 53, `"max_tokens":4503599627370497,"n":2`: 1 << 53, `"max_tokens":4503599627370496,"n":2`: 1 << 53,
		`"max_tokens":3002399751580330,"n":3`: 9007199254740990, `"max_tokens":1234567890123`: 1234567890123,
	} {
		if got, capped := askedOutput(t, body); got != want || !capped {
			t.Errorf("{%s}: %d, %v, want %d", body, got, capped, want)
		}
	}
}

func TestAskedOutput_IsNothingWithoutACap(t *testing.T) {
	const schema = `{"type":"object","properties":{"max_tokens":{"type":"integer","maximum":100}},"max_tokens":100}`
	for _, body := range []string{
		``, `"n":3`, `"max_tokens":null`, `"max_tokens":0`, `"max_tokens":-1`, `"max_tokens":-0.5`, `"max_tokens":0.0`, `"max_tokens":"100"`, `"max_tokens":true`,
		`"max_tokens":[100]`, `"max_tokens":{"max_tokens":100}`, `"max_tokens":0e9`,
		`"num_predict":100`, `"options":{"max_tokens":100}`, `"options":[{"num_predict":100}]`, `"options":null`, `"generationConfig":{"max_tokens":100}`,
		`"generationConfig":{"generationConfig":{"maxOutputTokens":100}}`, `"sampling":{"max_output_tokens":100}`, `"thinking":{"budget_tokens":100}`,
		`"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`, `"tools":[` + schema + `]`, `"response_format":` + schema,
		`"messages":[{"role":"user","content":"\"max_tokens\":100","max_tokens":100}]`, `"metadata":{"max_tokens":100}`, `"reasoning":{"max_tokens":100}`,
		`"maxTokens":100`, `"Max_Tokens":100`, `"MAX_TOKENS":100,"n":2`, `"options":{"NumPredict":100}`, `"max_tokens ":100`, `"max.tokens":100`, `"max_tokens\u0000":100`,
		`"maxOutputTokens":100`, `"extra_body":{"max_tokens":100}`, `"extensions":{"openai":{"max_tokens":100}}`,
		`"max_tokens":100,"max_tokens":null`, `"max_tokens":0,"max_tokens":100`, `"options":{"num_predict":100},"options":{"num_predict":-1}`,
		`"max_tokens":100,"options":{"num_predict":-1}`, `"max_tokens":100,"extra_body":{"max_tokens":null}`, `"sampling":{"max_tokens":100},"extensions":{"ollama":{"options":{"num_predict":0}}}`,
		`"extensions":{"max_tokens":100}`, `"extensions":{"openai":[{"max_tokens":100}]}`,
	} {
		if got, capped := askedOutput(t, body); got != 0 || capped {
			t.Errorf("{%s}: %d, %v", body, got, capped)
		}
	}
}

func askedOutput(t *testing.T, members string) (int64, bool) {
	t.Helper()
	body := []byte(`{"model":"m",` + members + `}`)
	if members == "" {
		body = []byte(`{}`)
	}
	if err := wire.Scan(body, &wire.Members{}); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return wire.AskedOutput(body, everyCap)
}

// everyCap is what some shape heeds.
const everyCap = wire.CapMaxTokens | wire.CapMaxCompletionTokens | wire.CapMaxOutputTokens | wire.CapGenerationConfig | wire.CapNumPredict | wire.CapSampling

// A host that does not know a member generates as if it were not there.
func TestAskedOutput_IsBoundedByWhatTheShapeHeeds(t *testing.T) {
	written := map[wire.Caps]string{
		wire.CapMaxTokens: `"max_tokens":9`, wire.CapMaxCompletionTokens: `"max_completion_tokens":9`, wire.CapMaxOutputTokens: `"max_output_tokens":9`,
		wire.CapGenerationConfig: `"generationConfig":{"maxOutputTokens":9}`, wire.CapNumPredict: `"options":{"num_predict":9}`, wire.CapSampling: `"sampling":{"max_tokens":9}`,
	}
	for place, members := range written {
		for heeded := range written {
			if tokens, capped := wire.AskedOutput([]byte("{"+members+"}"), heeded); capped != (place == heeded) || capped != (tokens == 9) {
				t.Errorf("{%s} where %b is heeded: %d, %v", members, heeded, tokens, capped)
			}
		}
		if tokens, capped := wire.AskedOutput([]byte(`{"max_tokens":5,`+members+"}"), wire.CapMaxTokens); !capped || tokens != 9 {
			t.Errorf("{%s} raises a cap of 5 to %d, %v", members, tokens, capped)
		}
	}
}

func TestAskedOutput_OfWhatIsNoBodyIsNothing(t *testing.T) {
	for _, body := range []string{"", "[]", `"max_tokens"`, `{"max_tokens":100`, `{"max_tokens":100}}`, `{"max_tokens":1e999}`, "{\"a\":\"\xff\",\"max_tokens\":100}"} {
		if got, capped := wire.AskedOutput([]byte(body), everyCap); got != 0 || capped {
			t.Errorf("%q: %d, %v", body, got, capped)
		}
	}
}

func TestAskedOutput_AllocatesNothing(t *testing.T) {
	body := []byte(`{"m\u0061x_tokens":1e3,"n":2.0,"options":{"num_predict":123456789012},"extensions":{"openai":{"max_tokens":7}},"messages":[{"content":"` + strings.Repeat("a", 4096) + `"}]}`)
	if n := testing.AllocsPerRun(100, func() { wire.AskedOutput(body, everyCap) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzAskedOutput: what is asked for is a number of tokens, and a cap that is added
// raises it at least to itself, unless it is lifted.
func FuzzAskedOutput(f *testing.F) {
	f.Add([]byte(`{"max_tokens":100,"n":2}`), uint32(7))
	f.Add([]byte(`{"extensions":{"openai":{"extensions":{"a":{"max_tokens":1.5}}}},"options":{"num_predict":3}}`), uint32(0))
	f.Add([]byte(`{"generationConfig":{"candidateCount":9e99,"maxOutputTokens":9e99}}`), uint32(math.MaxUint32))
	f.Fuzz(func(t *testing.T, body []byte, more uint32) {
		got, capped := wire.AskedOutput(body, everyCap)
		if got < 0 || got > 1<<53 || capped != (got > 0) {
			t.Fatalf("%q: %d, %v", body, got, capped)
		}
		if wire.Scan(body, &wire.Members{}) != nil {
			return
		}
		longer := []byte(fmt.Sprintf(`{"extra_body":%s,"max_tokens":%d}`, body, more))
		if wire.Scan(longer, &wire.Members{}) != nil {
			return // it is too deep now
		}
		if sum, capped := wire.AskedOutput(longer, everyCap); capped && sum < max(got, int64(more)) || capped != (sum > 0) {
			t.Errorf("%q: %d, with %d more %d, %v", body, got, more, sum, capped)
		}
	})
}
