package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

const png, jpeg = "iVBORw0KGgoAAAANSUhEUg==", "/9j/4AAQSkZJRg=="

// kept are bodies of /api/chat and what of them goes up to an Ollama host: all
// that has a meaning, numbers and order as they are written.
var kept = map[string]struct{ body, up string }{
	"texts": {
		`{"model":"m","messages":[{"role":"System","content":"be brief"},{"role":"user","content":"\u00e9\n\"hi\""}]}`,
		`{"model":"up:7b","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"é\n\"hi\""}],"stream":false}`,
	},
	"options": {
		`{"model":"m","messages":[{"role":"user","content":"x"}],"options":{"mirostat":2,"num_ctx":16384,"temperature":0.70,"stop":["a"],
			"num_predict":9007199254740993,"top_p":0.9,"top_k":5,"min_p":0.1,"seed":7,"repeat_penalty":1.1,"presence_penalty":1,"frequency_penalty":2,"num_gpu":null}}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false,"options":{"mirostat":2,"num_ctx":16384,"temperature":0.70,"stop":["a"],
			"num_predict":9007199254740993,"top_p":0.9,"top_k":5,"min_p":0.1,"seed":7,"repeat_penalty":1.1,"presence_penalty":1,"frequency_penalty":2}}`,
	},
	"no limit": {
		`{"model":"m","messages":[{"role":"user","content":"x"}],"options":{"num_predict":-1,"stop":[]}}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false,"options":{"num_predict":-1}}`,
	},
	"images stand before the text": {
		`{"model":"m","messages":[{"role":"user","content":"what?","images":["` + png + `","\/9j\/4AAQSkZJRg=="]}]}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"what?","images":["` + png + `","` + jpeg + `"]}],"stream":false}`,
	},
	"hints": {
		`{"model":"m","messages":[{"role":"user","content":"x"}],"keep_alive":"10m","think":"low","format":"json","truncate":false,"logprobs":false,"top_logprobs":0}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false,"keep_alive":"10m","think":"low","format":"json","truncate":false}`,
	},
	"think and a schema": {
		`{"model":"m","messages":[{"role":"user","content":"x"}],"think":true,"format":{"type":"object","properties":{"z":{},"a":{}}},"keep_alive":0}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false,"think":true,"format":{"type":"object","properties":{"z":{},"a":{}}},"keep_alive":0}`,
	},
	"no thinking": {
		`{"model":"m","messages":[{"role":"user","content":"x"}],"think":false,"format":"","options":null,"tools":[]}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false,"think":false}`,
	},
	"a tool loop": {
		`{"model":"m","messages":[{"role":"user","content":"x"},
			{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"b":9007199254740993,"a":"\"q\""}}},{"id":"c2","function":{"index":1,"name":"g","arguments":{}}}]},
			{"role":"tool","content":"1","tool_name":"f"},{"role":"tool","content":"2","tool_call_id":"c2"}],
			"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"b":{"type":"integer"}}}}},{"type":"function","function":{"name":"g"}}]}`,
		`{"model":"up:7b","messages":[{"role":"user","content":"x"},
			{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"id":"call_relay_1","function":{"index":0,"name":"f","arguments":{"b":9007199254740993,"a":"\"q\""}}},{"id":"c2","function":{"index":1,"name":"g","arguments":{}}}]},
			{"role":"tool","content":"1","tool_name":"f","tool_call_id":"call_relay_1"},{"role":"tool","content":"2","tool_name":"g","tool_call_id":"c2"}],"stream":false,
			"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"b":{"type":"integer"}}}}},{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}]}`,
	},
}

func TestHub_KeepsWhatAChatAsksFor(t *testing.T) {
	for name, c := range kept {
		t.Run(name, func(t *testing.T) {
			saysSame(t, encoded(t, decoded(t, ollama.Hub{}, c.body)), c.up)
		})
	}
}

func TestHubDecode_AStreamIsWantedUnlessItIsRefused(t *testing.T) {
	const body = `{"model":"m",STREAM"messages":[{"role":"user","content":"x"}]}`
	for said, want := range map[string]bool{"": true, `"stream":null,`: true, `"stream":true,`: true, `"stream":false,`: false} {
		r := decoded(t, ollama.Hub{}, strings.Replace(body, "STREAM", said, 1))
		if r.Streamed != want || !r.WantsUsage {
			t.Errorf("%q: %v", said, r.Streamed)
		}
	}
}

func TestHubDecode_NamesMembersAsTheCallerWroteThem(t *testing.T) {
	r := decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"user","content":"x"}],
		"options":{"temperature":1,"mirostat":2},"truncate":true,"keep_alive":5,"shift":true,"brand_new":1,"old":null}`)
	for p, want := range map[hub.Param]string{
		hub.Temperature: "options.temperature", hub.RunnerOptions: "options", hub.Truncation: "truncate", hub.KeepAlive: "keep_alive",
	} {
		if got := r.Params[p].Name; got != want {
			t.Errorf("%s is %q", p, got)
		}
	}
	if len(r.Unknown) != 2 || r.Unknown[0].Name != "shift" || r.Unknown[1].Name != "brand_new" {
		t.Errorf("%+v", r.Unknown)
	}
}

func TestHubDecode_OfTwoMembersWithOneNameTheLastCounts(t *testing.T) {
	r := decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"user","content":"first"}],"options":{"seed":1},"format":"json",
		"messages":[{"role":"user","content":"last"}],"options":{"top_k":1},"format":""}`)
	saysSame(t, encoded(t, r), `{"model":"up:7b","messages":[{"role":"user","content":"last"}],"stream":false,"options":{"top_k":1}}`)
}

func TestHubDecode_ResultsWithoutAnIDGoToTheFirstOpenCallOfTheirTool(t *testing.T) {
	const call = `{"function":{"name":"NAME","arguments":{}}}`
	f, g := strings.Replace(call, "NAME", "f", 1), strings.Replace(call, "NAME", "g", 1)
	r := decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"assistant","tool_calls":[`+f+`,`+g+`,`+f+`]},
		{"role":"tool","tool_name":"g","content":"1"},{"role":"tool","tool_name":"f","content":"2"},{"role":"tool","content":"3"}]}`)
	var got []string
	for _, item := range r.Items {
		if item.Kind == hub.ItemResult {
			got = append(got, item.Call.ID.String()+" "+item.Call.Name.String())
		}
	}
	if want := "call_relay_2 g, call_relay_1 f, call_relay_3 f"; strings.Join(got, ", ") != want {
		t.Error(got)
	}
}

func TestHubDecode_RefusesByTheMemberThatIsWrong(t *testing.T) {
	message := func(m string) string { return `{"model":"m","messages":[{"role":"user","content":"x"},` + m + `]}` }
	member := func(m string) string { return `{"model":"m","messages":[{"role":"user","content":"x"}],` + m + `}` }
	for body, param := range map[string]string{
		`{"model":"m"}`:                                                 "messages",
		`{"model":"m","messages":[]}`:                                   "messages",
		`{"model":"m","messages":"hi"}`:                                 "messages",
		message(`"hi"`):                                                 "messages[1]",
		message(`{"role":"robot","content":"x"}`):                       "messages[1].role",
		message(`{"role":7,"content":"x"}`):                             "messages[1].role",
		message(`{"content":"x"}`):                                      "messages[1].role",
		message(`{"role":"user","content":["x"]}`):                      "messages[1].content",
		message(`{"role":"user","content":"x","images":"` + png + `"}`): "messages[1].images",
		message(`{"role":"user","content":"x","images":["` + png + `","https://a.example/b"]}`): "messages[1].images[1]",
		message(`{"role":"assistant","thinking":1}`):                                            "messages[1].thinking",
		message(`{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]}`):            "messages[1].tool_calls[0]",
		message(`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":[]}}]}`): "messages[1].tool_calls[0]",
		message(`{"role":"assistant","tool_calls":[{"id":"c"}]}`):                               "messages[1].tool_calls[0]",
		message(`{"role":"tool","content":"x"}`):                                                "messages[1].tool_name",
		message(`{"role":"tool","content":"x","tool_call_id":1}`):                               "messages[1].tool_call_id",
		member(`"tools":{}`): "tools",
		member(`"tools":[{"type":"function","function":{"name":"f"}},{"type":"function"}]`): "tools[1].function.name",
		member(`"options":[]`):                    "options",
		member(`"options":{"temperature":"hot"}`): "options.temperature",
		member(`"options":{"stop":3}`):            "options.stop",
		member(`"options":{"stop":["a",3]}`):      "options.stop",
		member(`"format":"xml"`):                  "format",
		member(`"think":"hard"`):                  "think",
	} {
		_, err := tryDecode(ollama.Hub{}, body)
		wantParam(t, err, param)
	}
}

func TestHubDecode_WhatOthersCannotExpressIsKeptForTheCheck(t *testing.T) {
	r := decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"user","content":"x"}],"logprobs":true,"top_logprobs":3}`)
	if string(r.Param(hub.Logprobs)) != "true" || string(r.Param(hub.TopLogprobs)) != "3" {
		t.Errorf("%s %s", r.Param(hub.Logprobs), r.Param(hub.TopLogprobs))
	}
	r = decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"user","content":"x"}],"_debug_render_only":true}`)
	_, err := r.Check("ollama", ollama.Hub{}.Fates())
	wantParam(t, err, "_debug_render_only")
}

func TestGenerateHubDecode_IsAConversationOfOneTurn(t *testing.T) {
	r := decoded(t, ollama.GenerateHub{}, `{"model":"m","prompt":"what?","system":"be brief","images":["`+png+`"],
		"format":"json","think":true,"options":{"num_ctx":4096},"keep_alive":"1m","raw":false,"suffix":"","template":"","context":[]}`)
	saysSame(t, encoded(t, r), `{"model":"up:7b","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"what?","images":["`+png+`"]}],
		"stream":false,"format":"json","think":true,"options":{"num_ctx":4096},"keep_alive":"1m"}`)
}

func TestGenerateHubDecode_APromptThatIsNoConversationIsRefusedElsewhere(t *testing.T) {
	for member, said := range map[string]string{"raw": "true", "suffix": `"x"`, "template": `"{{.Prompt}}"`, "context": "[1,2]"} {
		r := decoded(t, ollama.GenerateHub{}, `{"model":"m","prompt":"x","`+member+`":`+said+`}`)
		_, err := r.Check("ollama", ollama.Hub{}.Fates())
		wantParam(t, err, member)
	}
}

func TestGenerateHubDecode_RefusesByTheMemberThatIsWrong(t *testing.T) {
	for body, param := range map[string]string{
		`{"model":"m"}`:                             "prompt",
		`{"model":"m","prompt":""}`:                 "prompt",
		`{"model":"m","prompt":["x"]}`:              "prompt",
		`{"model":"m","prompt":"x","system":1}`:     "system",
		`{"model":"m","prompt":"x","images":["x"]}`: "images[0]",
		`{"model":"m","prompt":"x","options":"x"}`:  "options",
		`{"model":"m","prompt":"x","think":3}`:      "think",
	} {
		_, err := tryDecode(ollama.GenerateHub{}, body)
		wantParam(t, err, param)
	}
}
