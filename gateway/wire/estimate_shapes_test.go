package wire_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// spoken is what the bodies of all shapes say in these tests, in place of TEXT.
const spoken = "The harbour was quiet at five in the morning, and nobody had asked for the shipping forecast yet."

// spokenTokens is what OpenAI's tokenizers count of it.
const spokenTokens = 20

// sayings holds, for each shape, the places where a text may stand in a body.
func sayings() map[string][]string {
	return map[string][]string{
		"chat": {
			`{"messages":[{"role":"user","content":"TEXT"}]}`,
			`{"messages":[{"role":"system","content":"TEXT"}],"model":"m","temperature":0.2,"stream":true}`,
			`{"messages":[{"content":[{"text":"TEXT","type":"text"}],"role":"user"}]}`,
			`{"messages":[{"role":"tool","tool_call_id":"c1","content":"TEXT"}]}`,
			`{"messages":[{"role":"assistant","content":null,"refusal":"TEXT"}]}`,
			`{"messages":[{"role":"assistant","reasoning_content":"TEXT","content":""}]}`,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"TEXT\"}"}}]}]}`,
			`{"messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":\"TEXT\"}"}}]}`,
			`{"messages":[],"prediction":{"type":"content","content":"TEXT"}}`,
			`{"messages":[],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","description":"TEXT"}}}}`,
		},
		"responses": {
			`{"input":"TEXT"}`, `{"instructions":"TEXT","input":""}`,
			`{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"TEXT"}]}]}`,
			`{"input":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT","annotations":[],"logprobs":[]}]}]}`,
			`{"input":[{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":\"TEXT\"}"}]}`,
			`{"input":[{"type":"function_call_output","call_id":"c1","output":"TEXT"}]}`,
			`{"input":[{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"TEXT"}]}]}`,
			`{"input":[{"type":"custom_tool_call","call_id":"c1","name":"f","input":"TEXT"}]}`,
			`{"input":[{"type":"reasoning","summary":[{"type":"summary_text","text":"TEXT"}]}]}`,
			`{"input":[],"prompt":{"id":"pmpt_1","variables":{"role":"TEXT"}}}`,
			`{"input":"","text":{"format":{"type":"json_schema","name":"n","schema":{"description":"TEXT"}}}}`,
		},
		"messages": {
			`{"system":"TEXT","messages":[]}`, `{"system":[{"type":"text","text":"TEXT","cache_control":{"type":"ephemeral"}}],"messages":[]}`,
			`{"messages":[{"role":"user","content":"TEXT"}],"max_tokens":100,"metadata":{"user_id":"u"}}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"TEXT"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"TEXT"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"TEXT"}]}]}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"a":"TEXT"}}]}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"TEXT","signature":"c2ln"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"TEXT"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"source":{"data":"TEXT","media_type":"text/plain","type":"text"},"type":"document"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"TEXT"}]}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"search_result","source":"https://a.example","title":"t","content":[{"type":"text","text":"TEXT"}]}]}]}`,
			`{"messages":[],"output_config":{"format":{"type":"json_schema","schema":{"description":"TEXT"}}}}`,
		},
		"gemini": {
			`{"contents":[{"role":"user","parts":[{"text":"TEXT"}]}]}`, `{"contents":{"parts":[{"text":"TEXT"}]}}`,
			`{"systemInstruction":{"parts":[{"text":"TEXT"}]},"contents":[]}`, `{"system_instruction":{"parts":{"text":"TEXT"}},"contents":[]}`,
			`{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"a":"TEXT"}}}]}]}`,
			`{"contents":[{"parts":[{"function_response":{"name":"f","response":{"a":"TEXT"}}}]}]}`,
			`{"contents":[{"parts":[{"executableCode":{"language":"PYTHON","code":"TEXT"}}]}]}`,
			`{"contents":[],"generationConfig":{"responseSchema":{"type":"OBJECT","description":"TEXT"}}}`,
			`{"generateContentRequest":{"model":"m","contents":[{"parts":[{"text":"TEXT"}]}]}}`,
			`{"content":{"parts":[{"text":"TEXT"}]},"taskType":"RETRIEVAL_QUERY"}`, `{"requests":[{"model":"m","content":{"parts":[{"text":"TEXT"}]}}]}`,
		},
		"ollama": {
			`{"messages":[{"role":"user","content":"TEXT"}],"options":{"num_ctx":4096},"keep_alive":"5m"}`,
			`{"prompt":"TEXT","stream":false}`, `{"system":"TEXT","prompt":""}`, `{"prompt":"","suffix":"TEXT"}`, `{"prompt":"","template":"TEXT"}`,
			`{"messages":[{"role":"assistant","thinking":"TEXT","content":""}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":"TEXT"}}}]}]}`,
			`{"messages":[],"format":{"type":"object","description":"TEXT"}}`,
		},
		"generate": {
			`{"input":"TEXT","sampling":{"max_tokens":100}}`, `{"instructions":"TEXT","input":"a"}`, `{"instructions":[{"type":"text","text":"TEXT"}]}`,
			`{"input":[{"type":"message","role":"user","content":"TEXT"}]}`,
			`{"input":[{"type":"function_call_output","call_id":"c1","content":[{"type":"text","text":"TEXT"}],"is_error":false}]}`,
			`{"input":[{"type":"reasoning","content":"TEXT","opaque":"b3BhcXVl"}]}`,
			`{"input":"a","output":{"format":{"type":"json_schema","schema":{"description":"TEXT"}}}}`,
			`{"input":"a","extensions":{"openai":{"prediction":{"type":"content","content":"TEXT"}}}}`,
		},
		"others": {
			`{"input":"TEXT","encoding_format":"float"}`, `{"input":["TEXT","a"]}`, `{"prompt":"TEXT","max_tokens":7}`, `{"prompt":["TEXT"]}`,
			`{"query":"a","documents":["TEXT"]}`, `{"query":"TEXT","documents":[{"text":"a"}]}`, `{"input":[{"type":"text","text":"TEXT"}]}`,
			`{"brand_new":{"deep":[{"text":"TEXT"}]},"prompt":"a"}`,
		},
	}
}

func TestEstimateTokens_FindsWhatIsSaidInEveryShape(t *testing.T) {
	for shape, bodies := range sayings() {
		for _, body := range bodies {
			with, without := estimate(t, strings.ReplaceAll(body, "TEXT", spoken)), estimate(t, strings.ReplaceAll(body, "TEXT", ""))
			if more := with - without; more < spokenTokens || more > 2*spokenTokens {
				t.Errorf("%s: %s says %d tokens, %d with the text", shape, body, without, with)
			}
			if without > 60 {
				t.Errorf("%s: %s says %d tokens without a text", shape, body, without)
			}
			if twice := estimate(t, strings.ReplaceAll(body, "TEXT", spoken+" "+spoken)); twice-with < spokenTokens || twice-with > 2*spokenTokens {
				t.Errorf("%s: %s says %d tokens, %d with the text twice", shape, body, with, twice)
			}
		}
	}
}

// TestEstimateTokens_CountsAllOfTheJSONThatModelsRead: names, numbers and brackets, too.
func TestEstimateTokens_CountsAllOfTheJSONThatModelsRead(t *testing.T) {
	for _, s := range samples(t) {
		if !strings.HasPrefix(s.Text, "{") || !json.Valid([]byte(s.Text)) {
			continue
		}
		for _, body := range []string{
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":JSON}]}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":JSON}}]}]}`,
			`{"contents":[{"parts":[{"functionCall":{"name":"f","args":JSON}}]}]}`, `{"contents":[{"parts":[{"functionResponse":{"name":"f","response":JSON}}]}]}`,
			`{"contents":[],"generationConfig":{"responseJsonSchema":JSON}}`, `{"messages":[],"format":JSON}`, `{"messages":[],"response_format":JSON}`,
			`{"input":[{"type":"function_call","arguments":` + quoted(s.Text) + `}]}`,
		} {
			if got, count := estimate(t, strings.Replace(body, "JSON", s.Text, 1)), s.provider(); got < count+3 || got > 2*count+60 {
				t.Errorf("%s: %d tokens, %d of them JSON, in %.80s", s.Name, got, count, body)
			}
		}
	}
}

// TestEstimateTokens_SettingsCountNothing adds long ones to a body.
func TestEstimateTokens_SettingsCountNothing(t *testing.T) {
	const plain = `"messages":[{"role":"user","content":"hi"}]`
	want, long := estimate(t, "{"+plain+"}"), quoted(strings.Repeat(spoken, 100))
	for _, settings := range []string{
		`"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.1,"n":2`, `"metadata":{"a":` + long + `}`,
		`"user":` + long, `"safety_identifier":` + long, `"prompt_cache_key":` + long, `"stop":[` + long + `]`, `"logit_bias":{"1":2,"3":4}`,
		`"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false`, `"reasoning_effort":"high","verbosity":"low"`,
		`"thinking":{"type":"enabled","budget_tokens":2000}`, `"options":{"num_ctx":1,"stop":[` + long + `]},"keep_alive":"5m","think":true`,
		`"generationConfig":{"temperature":1,"stopSequences":[` + long + `],"thinkingConfig":{"thinkingBudget":0}},"safetySettings":[{"category":"c"}]`,
		`"sampling":{"max_tokens":7,"stop":[` + long + `]},"cache":{"tools":true}`, `"reasoning":{"effort":"low","summary":"auto"},"include":["a"],"store":false`,
		`"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"}`, `"metadata":null,"stop":null,"user":null`,
		`"extensions":{"openai":{"metadata":{"a":` + long + `}},"ollama":{"options":{"a":` + long + `}}}`,
		`"requests":[{"model":` + long + `}]`, `"extra_body":{"chat":{"user":` + long + `}}`,
	} {
		if got := estimate(t, "{"+plain+","+settings+"}"); got != want {
			t.Errorf("%.80s: %d tokens, %d without", settings, got, want)
		}
	}
}

func TestEstimateTokens_CountsWhatStandsAroundMessagesAndTexts(t *testing.T) {
	for body, want := range map[string]int64{
		`{}`: 3, `{"messages":[]}`: 3, `{"messages":[{"role":"user","content":""}]}`: 7, `{"messages":[{"role":"user","content":""},{"role":"assistant","content":""}]}`: 11,
		`{"input":""}`: 7, `{"input":["",""]}`: 7, `{"input":[1,2,3,4]}`: 7, `{"input":[[1,2],[3,4,5]]}`: 8, `{"prompt":[5,6]}`: 5, `{"context":[1,2,3],"prompt":""}`: 10,
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"c"},{"id":"d"}]}]}`: 3 + 4 + 2*(4+8),
	} {
		if got := estimate(t, body); got != want {
			t.Errorf("%s: %d tokens, want %d", body, got, want)
		}
	}
}

func TestEstimateTokens_IsNeverNothing(t *testing.T) {
	for body, least := range map[string]int64{"": 0, "{": 1, "\xff\xfe": 2, `{"input":"a"`: 12, `"a"`: 4, `[]`: 4, `{"input":"a"}`: 8, `{"messages":[{"content":"` + strings.Repeat("a", 1000) + "\xff" + `"}]}`: 1000} {
		if got := wire.EstimateTokens([]byte(body)); got < least {
			t.Errorf("%.20s: %d tokens, want at least %d", body, got, least)
		}
	}
}

// TestEstimateTokens_AllocatesNothing takes every body of every shape, and what is
// none.
func TestEstimateTokens_AllocatesNothing(t *testing.T) {
	bodies := append(slices.Concat(slices.Collect(maps.Values(sayings()))...), `{"images":["aaaa"],"\u0069nput":"\u00e9\ud83d\ude00"}`, `{`,
		`{"tools":[{"name":"f","input_schema":{"a":1}}]}`, `{"messages":[{"content":[{"type":"input_audio","input_audio":{"data":"UklGRiQAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQAAAAA=","format":"wav"}}]}]}`)
	for _, body := range bodies {
		bytes := []byte(body)
		if n := testing.AllocsPerRun(10, func() { wire.EstimateTokens(bytes) }); n != 0 {
			t.Errorf("%s: %v allocations", body, n)
		}
	}
}
