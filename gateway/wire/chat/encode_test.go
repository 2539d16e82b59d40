package chat_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

// Requests that are written as they were read.
func TestEncode_WritesWhatItHasRead(t *testing.T) {
	for _, body := range []string{
		`{"model":"up","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"system","content":"later"}]}`,
		`{"model":"up","messages":[{"role":"user","content":[{"type":"text","text":"a"},
			{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},{"type":"image_url","image_url":{"url":"https://x/y"}},
			{"type":"input_audio","input_audio":{"data":"UklG","format":"mp3"}},
			{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"}},{"type":"file","file":{"file_id":"file-1"}}]}]}`,
		`{"model":"up","messages":[{"role":"user","content":"a"},
			{"role":"assistant","content":"b","tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},{"id":"j","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"i","content":"r"},{"role":"tool","tool_call_id":"j","content":[{"type":"text","text":"r"},{"type":"text","text":"s"}]},
			{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]},{"role":"assistant","content":"more"}],
			"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"z":{},"a":{}}},"strict":false}},{"type":"function","function":{"name":"g"}}],
			"tool_choice":{"type":"function","function":{"name":"g"}},"parallel_tool_calls":false}`,
		`{"model":"up","messages":[{"role":"user","content":"a"}],"temperature":0.50,"top_p":0.1,"stop":["x"],"seed":1,"frequency_penalty":0.1,"presence_penalty":0.2,
			"logit_bias":{"5":1},"prediction":{"type":"content","content":"c"},"user":"u","safety_identifier":"s","prompt_cache_key":"k","prompt_cache_retention":"24h",
			"verbosity":"low","web_search_options":{"search_context_size":"low"},"service_tier":"flex","store":true,"reasoning_effort":"none","max_completion_tokens":7,
			"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"type":"object"},"strict":true}}}`,
		`{"model":"up","messages":[{"role":"user","content":"a list, as JSON"}],"max_tokens":7,"response_format":{"type":"json_object"}}`,
		`{"model":"up","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}}`,
	} {
		r := decode(t, body)
		got, dropped := encode(t, r, hub.Target{Model: "up", Streamed: r.Streamed})
		equal(t, "written again", got, body)
		if dropped != nil {
			t.Errorf("%s\ndrops %q", body, dropped)
		}
	}
}

func TestEncode_LeavesOutWhatIsNotOpenAIs(t *testing.T) {
	r := decode(t, `{"model":"m","messages":[
		{"role":"system","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]},
		{"role":"user","content":"a","cache_control":{"type":"ephemeral"}},
		{"role":"assistant","content":"b","reasoning_content":"hm","tool_calls":[{"id":"i","function":{"name":"f","arguments":""},"cache_control":{}}]},
		{"role":"tool","tool_call_id":"i","content":"c","cache_control":{}}],
		"tools":[{"type":"function","function":{"name":"f"},"cache_control":{}}],
		"top_k":1,"min_p":1,"repetition_penalty":1,"metadata":{"a":"b"},"num_ctx":1,"keep_alive":1,"options":{"x":1},"odd":1,"reasoning":{"exclude":true}}`)
	got, dropped := encode(t, r, hub.Target{Model: "up"})
	equal(t, "strict", got, `{"model":"up","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},
		{"role":"assistant","content":"b","tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"i","content":"c"}],"tools":[{"type":"function","function":{"name":"f"}}]}`)
	slices.Sort(dropped)
	want := []string{"cache_control", "keep_alive", "metadata", "min_p", "num_ctx", "odd", "options", "reasoning.summary", "repetition_penalty", "top_k"}
	if !slices.Equal(dropped, want) {
		t.Errorf("dropped %q", dropped)
	}
}

func TestEncode_SaysNothingOfToolsWhereThereAreNone(t *testing.T) {
	r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[],"tool_choice":"required","parallel_tool_calls":false}`)
	got, _ := encode(t, r, hub.Target{Model: "up"})
	equal(t, "no tools", got, `{"model":"up","messages":[{"role":"user","content":"a"}]}`)
}

func TestEncode_WritesEveryChoiceOfTools(t *testing.T) {
	for _, choice := range []string{`"none"`, `"auto"`, `"required"`, `{"type":"function","function":{"name":"f"}}`} {
		tools := `"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":` + choice
		got, _ := encode(t, decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],`+tools+`}`), hub.Target{Model: "up"})
		equal(t, choice, got, `{"model":"up","messages":[{"role":"user","content":"a"}],`+tools+`}`)
	}
	unset, _ := encode(t, decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f"}}]}`), hub.Target{})
	if strings.Contains(unset, "tool_choice") || strings.Contains(unset, "parallel") {
		t.Error(unset)
	}
}

func TestEncode_WritesCustomToolsAndNamespacesAsFunctions(t *testing.T) {
	call := hub.Call{ID: hub.Text("i"), Name: hub.Text("patch"), Namespace: hub.Text("edit"), Custom: true}
	r := &hub.Request{
		Items: []hub.Item{
			{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a")}}},
			{Kind: hub.ItemCall, Call: call, Arguments: hub.Text(`say \"hi\"`)},
			{Kind: hub.ItemResult, Call: call, Parts: []hub.Part{{Text: hub.Text("ok")}}},
		},
		Tools: []hub.Tool{{
			Kind: hub.ToolCustom, Name: call.Name, Namespace: call.Namespace, Description: hub.Text("d"),
			Format: []byte(`{"type":"grammar","syntax":"lark","definition":"x"}`),
		}},
		Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: call.Name},
	}
	got, _ := encode(t, r, hub.Target{Model: "up"})
	equal(t, "custom", got, `{"model":"up","messages":[{"role":"user","content":"a"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"edit__patch","arguments":"{\"input\":\"say \\\"hi\\\"\"}"}}]},
		{"role":"tool","tool_call_id":"i","content":"ok"}],
		"tools":[{"type":"function","function":{"name":"edit__patch","description":"d\n\nThe input must follow this grammar:\nx",
			"parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}],
		"tool_choice":{"type":"function","function":{"name":"edit__patch"}}}`)
}

func TestEncode_PutsATurnIntoTheOrderThatHostsInsistOn(t *testing.T) {
	said := func(role hub.Role, s string) hub.Item {
		return hub.Item{Role: role, Parts: []hub.Part{{Text: hub.Text(s)}}}
	}
	called := func(id string) hub.Item {
		return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text("f")}}
	}
	r := &hub.Request{Items: []hub.Item{
		said(hub.RoleSystem, ""), said(hub.RoleUser, "a"), said(hub.RoleUser, "b"),
		said(hub.RoleAssistant, "one"), called("i"), said(hub.RoleAssistant, " \n"), called("j"), said(hub.RoleAssistant, "two"),
		{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("i")}, Parts: []hub.Part{{Text: hub.Text("r")}, {Kind: hub.PartImage, MediaType: hub.Text("image/png"), Data: hub.Text("AA==")}}},
		said(hub.RoleUser, "c"),
		{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("j")}, Parts: []hub.Part{{Text: hub.Text("s")}, {}, {Text: hub.Text("t")}}},
		said(hub.RoleAssistant, ""), said(hub.RoleUser, "d"), {Role: hub.RoleUser},
	}}
	got, _ := encode(t, r, hub.Target{Model: "up"})
	equal(t, "order", got, `{"model":"up","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},
		{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"tool_calls":[
			{"id":"i","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"j","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"i","content":"r"},
		{"role":"tool","tool_call_id":"j","content":[{"type":"text","text":"s"},{"type":"text","text":"t"}]},
		{"role":"user","content":[{"type":"text","text":"The result of the tool call i holds:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
		{"role":"user","content":"c"},{"role":"user","content":"d"}]}`)
}

func TestEncode_WritesHowMuchToThinkAsAnEffort(t *testing.T) {
	for want, reasoning := range map[string]hub.Reasoning{
		"":        {Budget: -1},
		"none":    {Effort: "none", Think: "false"},
		"minimal": {Effort: "minimal", Budget: 9000},
		"xhigh":   {Effort: "max"},
		"low":     {Budget: 1024},
		"medium":  {Budget: 4096},
		"high":    {Budget: 4097},
	} {
		r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":5}`)
		r.Reasoning = reasoning
		got, _ := encode(t, r, hub.Target{Model: "up"})
		effort := `,"reasoning_effort":"` + want + `"`
		if want == "" {
			effort = ""
		}
		equal(t, want, got, `{"model":"up","messages":[{"role":"user","content":"a"}],"max_completion_tokens":5`+effort+`}`)
	}
}

func TestEncode_TakesTheWordsOfOthersForTiersAndFormats(t *testing.T) {
	for tier, want := range map[string]string{
		`"standard_only"`: `,"service_tier":"default"`, `"auto"`: "", `"priority"`: `,"service_tier":"priority"`, `"batch"`: "", `1`: "",
	} {
		r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}]}`)
		r.Set(hub.ServiceTier, "service_tier", []byte(tier))
		r.Set(hub.Store, "store", []byte("false"))
		r.Format = hub.Format{Kind: hub.FormatSchema, Schema: []byte("{}")}
		got, _ := encode(t, r, hub.Target{Model: "up"})
		equal(t, tier, got, `{"model":"up","messages":[{"role":"user","content":"a"}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{}}}`+want+`}`)
	}
	for mediaType, want := range map[string]string{"audio/mpeg": "mp3", "audio/x-wav": "wav", "audio/WAVE": "wav", "audio/flac": "flac"} {
		r := &hub.Request{Items: []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartAudio, MediaType: hub.Text(mediaType), Data: hub.Text("AA==")}}}}}
		got, _ := encode(t, r, hub.Target{Model: "up"})
		equal(t, mediaType, got, `{"model":"up","messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"`+want+`"}}]}]}`)
	}
}

func TestEncode_AddsTheCallersExtensionButNotWhatRelayDecides(t *testing.T) {
	r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}]}`)
	r.Extensions = []hub.Extension{{Shape: "gemini", Object: []byte(`{"no":1}`)}, {Shape: "openai", Object: []byte(
		`{"top_k": 12345678901234567890,"model":"dear","stream":true,"stream_options":{},"n":9,"api_base":"http://x","m\u006fdel":"dear"}`)}}
	got, _ := encode(t, r, hub.Target{Model: "up"})
	if want := `{"model":"up","messages":[{"role":"user","content":"a"}],"top_k":12345678901234567890}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestEncode_RefusesAConversationThatSaysNothing(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{{Role: hub.RoleSystem}, {Role: hub.RoleAssistant}, {Kind: hub.ItemReasoning, Text: hub.Text("hm")}}}
	_, err := chat.Hub{}.Encode(nil, r, hub.Target{})
	if e, ok := err.(*wire.Error); !ok || e.Code != wire.CodeTranslateRequest { //nolint:errorlint // codecs return nothing else
		t.Errorf("%v", err)
	}
}

func TestEncode_NamesADocumentThatHasNoName(t *testing.T) {
	r := decode(t, conversation(`[{"role":"user","content":[{"type":"file","file":{"file_data":"JVBE"}}]}]`))
	got, _ := encode(t, r, hub.Target{Model: "up"})
	equal(t, "file", got, `{"model":"up","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,JVBE"}}]}]}`)
}
