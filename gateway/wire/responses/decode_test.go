package responses_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func text(s string) []hub.Part { return []hub.Part{{Text: hub.Text(s)}} }

func TestDecode_ReadsEveryItem(t *testing.T) {
	own := func(data, id string) hub.Opaque {
		return hub.Opaque{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, ID: hub.Text(id), Data: hub.Text(data)}
	}
	for input, want := range map[string][]hub.Item{
		`"hi \"you\""`: {{Role: hub.RoleUser, Parts: text(`hi \"you\"`)}},
		`[{"role":"user","content":"a"},{"type":"message","role":"developer","content":[{"type":"input_text","text":"b"}]},{"role":"system","content":"c"}]`: {
			{Role: hub.RoleUser, Parts: text("a")}, {Role: hub.RoleSystem, Parts: text("b")}, {Role: hub.RoleSystem, Parts: text("c")},
		},
		`[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]},{"type":"refusal","refusal":"no"}]}]`: {
			{Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("a")}, {Kind: hub.PartRefusal, Text: hub.Text("no")}}},
		},
		`[{"role":"assistant","content":[]}]`: {{Role: hub.RoleAssistant}},
		`[{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","namespace":"ns","arguments":"{\"a\":1}","status":"completed"},{"type":"function_call_output","call_id":"c1","output":"3"}]`: {
			{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f"), Namespace: hub.Text("ns")}, Arguments: hub.Text(`{\"a\":1}`)},
			{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c1")}, Parts: text("3")},
		},
		`[{"type":"custom_tool_call","call_id":"c2","name":"p","input":"*** x"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"ok"}]}]`: {
			{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("p"), Custom: true}, Arguments: hub.Text("*** x")},
			{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c2"), Custom: true}, Parts: text("ok")},
		},
		`[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"ENC"}]`: {
			{Kind: hub.ItemReasoning, Text: hub.Text(`a\n\nb`), Opaque: own("ENC", "rs_1")},
		},
		`[{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"raw"}],"encrypted_content":null}]`: {
			{Kind: hub.ItemReasoning, Text: hub.Text("raw")},
		},
		`[{"type":"reasoning","id":"rs_1","summary":[]}]`: nil,
		`[{"type":"image_generation_call","id":"ig_1","status":"completed","result":"/9j/AA"}]`: {
			{Role: hub.RoleAssistant, Parts: []hub.Part{{Kind: hub.PartImage, Data: hub.Text("/9j/AA"), MediaType: hub.Text("image/jpeg")}}},
		},
	} {
		r := decoded(t, `{"model":"m","input":`+input+`}`)
		if diff := cmp.Diff(want, r.Items, cmp.Transformer("none", func(i []hub.Item) []hub.Item { return slices.Clip(i) })); diff != "" && len(want)+len(r.Items) > 0 {
			t.Errorf("%s\n%s", input, diff)
		}
	}
}

func TestDecode_ReadsEveryPart(t *testing.T) {
	for part, want := range map[string]hub.Part{
		`{"type":"input_image","image_url":"https://e.x/a.png","detail":"low"}`:               {Kind: hub.PartImage, URL: hub.Text("https://e.x/a.png"), Detail: hub.Text("low")},
		`{"type":"input_image","image_url":"data:image/png;base64,iVBO/+=="}`:                 {Kind: hub.PartImage, Data: hub.Text("iVBO/+=="), MediaType: hub.Text("image/png")},
		`{"type":"input_image","image_url":"data:image\/png;base64,iVBO\/+=="}`:               {Kind: hub.PartImage, Data: hub.Text("iVBO/+=="), MediaType: hub.Text("image/png")},
		`{"type":"input_image","image_url":null,"file_id":"file-1"}`:                          {Kind: hub.PartImage, FileID: hub.Text("file-1")},
		`{"type":"input_file","file_data":"data:application/pdf;base64,JVBE","filename":"a"}`: {Kind: hub.PartFile, Data: hub.Text("JVBE"), MediaType: hub.Text("application/pdf"), Name: hub.Text("a")},
		`{"type":"input_file","file_data":"JVBE","filename":"a.txt"}`:                         {Kind: hub.PartFile, Data: hub.Text("JVBE"), MediaType: hub.Text("text/plain"), Name: hub.Text("a.txt")},
		`{"type":"input_file","file_url":"https://e.x/a.pdf"}`:                                {Kind: hub.PartFile, URL: hub.Text("https://e.x/a.pdf")},
		`{"type":"input_file","file_id":"file-2"}`:                                            {Kind: hub.PartFile, FileID: hub.Text("file-2")},
		`{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}}`:                 {Kind: hub.PartAudio, Data: hub.Text("UklG"), MediaType: hub.Text("audio/wav")},
		`{"type":"input_text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}`:    {Text: hub.Text("a"), Mark: []byte(`{"type":"ephemeral","ttl":"1h"}`)},
		`{"type":"input_text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}}`:      {Text: hub.Text("a"), Mark: []byte(`{"type":"ephemeral"}`)},
	} {
		for _, item := range []string{`{"role":"user","content":[` + part + `]}`, `{"type":"function_call_output","call_id":"c","output":[` + part + `]}`} {
			r := decoded(t, `{"model":"m","input":[`+item+`]}`)
			if diff := cmp.Diff([]hub.Part{want}, r.Items[0].Parts); diff != "" {
				t.Errorf("%s\n%s", item, diff)
			}
		}
	}
}

func TestDecode_RefusesWhatItCannotRead(t *testing.T) {
	for body, param := range map[string]string{
		`{"model":"m"}`: "input", `{"input":3}`: "input", `{"input":[3]}`: "input[0]", `{"input":"a","instructions":[]}`: "instructions",
		`{"input":[{"role":"user","content":"a"},{"role":"tool","content":"a"}]}`: "input[1].role",
		`{"input":[{"role":"user"}]}`:                                                           "input[0].content",
		`{"input":[{"role":"user","content":[{"type":"input_text"}]}]}`:                         "input[0].content[0].text",
		`{"input":[{"role":"user","content":[{"type":"input_image"}]}]}`:                        "input[0].content[0]",
		`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:,hi"}]}]}`: "input[0].content[0].image_url",
		`{"input":[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]}`:       "input[0].content[0].input_audio.format",
		`{"input":[{"type":"function_call","name":"f","arguments":"{}"}]}`:                      "input[0].call_id",
		`{"input":[{"type":"function_call","call_id":"c","arguments":"{}"}]}`:                   "input[0].name",
		`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":{}}]}`:          "input[0].arguments",
		`{"input":[{"type":"function_call_output","call_id":"c","output":{}}]}`:                 "input[0].output",
		`{"input":"a","tools":{}}`:                                                                "tools",
		`{"input":"a","tools":[{"name":"f"}]}`:                                                    "tools[0].type",
		`{"input":"a","tools":[{"type":"function","function":{"name":"f"}}]}`:                     "tools[0].name",
		`{"input":"a","tools":[{"type":"function","name":"f","parameters":"x"}]}`:                 "tools[0].parameters",
		`{"input":"a","tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search"}]}]}`: "tools[0].type",
		`{"input":"a","tool_choice":"any"}`:                                                       "tool_choice",
		`{"input":"a","tool_choice":{"type":"function"}}`:                                         "tool_choice.name",
		`{"input":"a","temperature":"warm"}`:                                                      "temperature",
		`{"input":"a","parallel_tool_calls":1}`:                                                   "parallel_tool_calls",
		`{"input":"a","text":{"format":{"type":"xml"}}}`:                                          "text.format.type",
		`{"input":"a","text":{"format":{"type":"json_schema","name":"n"}}}`:                       "text.format.schema",
		`{"input":"a","reasoning":{"effort":3}}`:                                                  "reasoning.effort",
		`{"input":"a","include":"x"}`:                                                             "include",
		`{"input":"a","think":3}`:                                                                 "think",
	} {
		_, err := decode(body)
		if code, got := refused(t, err); code != wire.CodeTranslateRequest || got != param {
			t.Errorf("%s: %s of %s", body, code, got)
		}
	}
}

// TestDecode_RefusesWhatOpenAIAloneCanTake names each of them.
func TestDecode_RefusesWhatOpenAIAloneCanTake(t *testing.T) {
	for body, param := range map[string]string{
		`{"input":[{"role":"user","content":"a"},{"type":"item_reference","id":"msg_1"}]}`: "input[1]",
		`{"input":[{"id":"msg_1"}]}`: "input[0]",
		`{"input":[{"type":"local_shell_call","id":"x","call_id":"y","action":{}}]}`:                "input[0]",
		`{"input":[{"type":"compaction","encrypted_content":"x"}]}`:                                 "input[0]",
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"video"}]}]}`: "input[0].content[1]",
		`{"input":"a","tool_choice":{"type":"file_search"}}`:                                        "tool_choice",
	} {
		_, err := decode(body)
		if code, got := refused(t, err); code != wire.CodeUnsupportedParam || got != param {
			t.Errorf("%s: %s of %s", body, code, got)
		}
	}
}

// TestDecode_LeavesOutWhatIsAHint tells what it is, once.
func TestDecode_LeavesOutWhatIsAHint(t *testing.T) {
	for body, want := range map[string][]string{
		`{"input":"a","client_metadata":{"a":"b"},"reasoning":{"context":"auto","mode":null}}`:                          {"client_metadata", "reasoning.context"},
		`{"input":[{"type":"web_search_call","id":"ws_1"},{"type":"web_search_call","id":"ws_2"}]}`:                     {"web_search_call"},
		`{"input":"a","tools":[{"type":"web_search","external_web_access":false}],"tool_choice":"auto"}`:                {"web_search"},
		`{"input":"a","tools":[{"type":"function","name":"f","output_schema":{},"defer_loading":false,"x":null}]}`:      {"tools.output_schema"},
		`{"input":"a","prompt_cache_options":{"mode":"explicit"},"text":{"x":1}}`:                                       {"prompt_cache_options", "text.x"},
		`{"input":"a","store":false,"background":false,"truncation":"disabled","top_logprobs":0,"service_tier":"auto"}`: nil,
		`{"input":"a","include":["reasoning.encrypted_content"],"stream_options":{"include_obfuscation":false}}`:        nil,
		`{"input":"a","user":null,"metadata":{},"text":{"verbosity":"medium"},"context_management":[],"x":null}`:        nil,
	} {
		r := decoded(t, body)
		var names []string
		for _, m := range r.Unknown {
			names = append(names, m.Name)
		}
		for p, m := range r.Params {
			if m.Value != nil {
				t.Errorf("%s: it holds %s", body, hub.Param(p))
			}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s\n%s", body, diff)
		}
	}
}

func TestDecode_KeepsParametersAsTheyAreWritten(t *testing.T) {
	r := decoded(t, `{"input":"a","temperature":0.30,"top_p":1e-1,"max_output_tokens":9007199254740993,"top_logprobs":3,"max_tool_calls":2,
		"metadata":{"b":"1","a":"2"},"user":"u","safety_identifier":"s","prompt_cache_key":"k","prompt_cache_retention":"24h","service_tier":"flex",
		"store":true,"truncation":"auto","previous_response_id":"resp_1","conversation":{"id":"c"},"background":true,"prompt":{"id":"p"},
		"context_management":[{"type":"compaction"}],"moderation":{"a":1},"num_ctx":4096,"keep_alive":-1,"options":{"num_gpu":1},
		"include":["file_search_call.results"],"stream_options":{"include_obfuscation":true},"text":{"verbosity":"low"}}`)
	for p, want := range map[hub.Param]hub.Member{
		hub.Temperature: {Name: "temperature", Value: []byte("0.30")}, hub.TopP: {Name: "top_p", Value: []byte("1e-1")},
		hub.MaxTokens: {Name: "max_output_tokens", Value: []byte("9007199254740993")}, hub.TopLogprobs: {Name: "top_logprobs", Value: []byte("3")},
		hub.MaxToolCalls: {Name: "max_tool_calls", Value: []byte("2")}, hub.Metadata: {Name: "metadata", Value: []byte(`{"b":"1","a":"2"}`)},
		hub.User: {Name: "user", Value: []byte(`"u"`)}, hub.SafetyIdentifier: {Name: "safety_identifier", Value: []byte(`"s"`)},
		hub.CacheKey: {Name: "prompt_cache_key", Value: []byte(`"k"`)}, hub.CacheRetention: {Name: "prompt_cache_retention", Value: []byte(`"24h"`)},
		hub.ServiceTier: {Name: "service_tier", Value: []byte(`"flex"`)}, hub.Store: {Name: "store", Value: []byte("true")},
		hub.Truncation: {Name: "truncation", Value: []byte(`"auto"`)}, hub.PreviousResponse: {Name: "previous_response_id", Value: []byte(`"resp_1"`)},
		hub.Conversation: {Name: "conversation", Value: []byte(`{"id":"c"}`)}, hub.Background: {Name: "background", Value: []byte("true")},
		hub.PromptTemplate: {Name: "prompt", Value: []byte(`{"id":"p"}`)}, hub.ContextManagement: {Name: "context_management", Value: []byte(`[{"type":"compaction"}]`)},
		hub.Moderation: {Name: "moderation", Value: []byte(`{"a":1}`)}, hub.NumCtx: {Name: "num_ctx", Value: []byte("4096")},
		hub.KeepAlive: {Name: "keep_alive", Value: []byte("-1")}, hub.RunnerOptions: {Name: "options", Value: []byte(`{"num_gpu":1}`)},
		hub.Include: {Name: "include", Value: []byte(`["file_search_call.results"]`)}, hub.Verbosity: {Name: "text.verbosity", Value: []byte(`"low"`)},
		hub.StreamOptions: {Name: "stream_options", Value: []byte(`{"include_obfuscation":true}`)},
	} {
		if diff := cmp.Diff(want, r.Params[p]); diff != "" {
			t.Errorf("%s\n%s", p, diff)
		}
	}
}

// TestDecode_GivesOpaquePartsBackToTheirCalls: they come in reasoning items of
// their own, before the call or behind it.
func TestDecode_GivesOpaquePartsBackToTheirCalls(t *testing.T) {
	o := hub.Opaque{Shape: "gemini", Provider: "google", ID: hub.Text("c1"), Data: hub.Text("GS")}
	seal := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + string(o.Seal()) + `"}`
	call := `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
	for _, input := range []string{seal + "," + call, call + "," + seal} {
		r := decoded(t, `{"input":[{"role":"user","content":"a"},`+input+`]}`)
		want := []hub.Item{
			{Role: hub.RoleUser, Parts: text("a")},
			{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text("{}"), Opaque: o},
		}
		if diff := cmp.Diff(want, r.Items); diff != "" {
			t.Errorf("%s\n%s", input, diff)
		}
	}
	r := decoded(t, `{"input":[`+seal+`]}`)
	if len(r.Items) != 1 || !cmp.Equal(r.Items[0].Opaque, o) {
		t.Errorf("without its call it is %+v", r.Items)
	}
}

// TestDecode_ReadsThoughtsOfOtherShapes is the signature of a thinking block.
func TestDecode_ReadsThoughtsOfOtherShapes(t *testing.T) {
	for _, o := range []hub.Opaque{
		{Shape: "anthropic", Provider: "anthropic", Kind: hub.OpaqueSignature, Data: hub.Text("SIG==")},
		{Shape: "anthropic", Provider: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("RED==")},
	} {
		r := decoded(t, `{"input":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"`+string(o.Seal())+`"}]}`)
		want := []hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: o}}
		o.ID = hub.Text{}
		want[0].Opaque.ID = hub.Text{}
		if diff := cmp.Diff(want, r.Items); diff != "" {
			t.Error(diff)
		}
	}
}
