package responses_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

func user(s string) hub.Item { return hub.Item{Role: hub.RoleUser, Parts: text(s)} }

func system(s string) hub.Item { return hub.Item{Role: hub.RoleSystem, Parts: text(s)} }

func call(id, name, arguments string) hub.Item {
	return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}, Arguments: hub.Text(arguments)}
}

func result(id, said string) hub.Item {
	return hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text(id)}, Parts: text(said)}
}

const always = `"model":"up","store":false,"include":["reasoning.encrypted_content"]`

func TestEncode_WritesTheConversation(t *testing.T) {
	long := strings.Repeat("x", 65)
	for name, c := range map[string]struct {
		items []hub.Item
		want  string
	}{
		"text":         {[]hub.Item{user(`h\u0069`)}, `"input":[{"type":"message","role":"user","content":"hi"}]`},
		"instructions": {[]hub.Item{system("a"), system("b"), user("c")}, `"instructions":"a\n\nb","input":[{"type":"message","role":"user","content":"c"}]`},
		"system alone": {[]hub.Item{system("a")}, `"input":[{"type":"message","role":"system","content":"a"}]`},
		"later system": {[]hub.Item{user("a"), system("b")}, `"input":[{"type":"message","role":"user","content":"a"},{"type":"message","role":"system","content":"b"}]`},
		"blank system": {[]hub.Item{system(" "), user("c")}, `"input":[{"type":"message","role":"user","content":"c"}]`},
		"assistant": {
			[]hub.Item{user("a"), {Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("b")}, {Kind: hub.PartRefusal, Text: hub.Text("c")}}}},
			`"input":[{"type":"message","role":"user","content":"a"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"},{"type":"refusal","refusal":"c"}]}]`,
		},
		"empty beside calls": {
			[]hub.Item{user("a"), {Role: hub.RoleAssistant, Parts: text("")}, call("c1", "f", ""), result("c1", "3"), {Role: hub.RoleAssistant}},
			`"input":[{"type":"message","role":"user","content":"a"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"3"}]`,
		},
		"custom call, whose result does not say so": {
			[]hub.Item{{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("p"), Namespace: hub.Text("ns"), Custom: true}, Arguments: hub.Text(`*** \"x\"`)}, result("c1", "ok")},
			`"input":[{"type":"custom_tool_call","call_id":"c1","name":"p","namespace":"ns","input":"*** \"x\""},{"type":"custom_tool_call_output","call_id":"c1","output":"ok"}]`,
		},
		"media": {
			[]hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{
				{Text: hub.Text("see")}, {Kind: hub.PartImage, Data: hub.Text("iVBO"), MediaType: hub.Text("image/png"), Detail: hub.Text("low")},
				{Kind: hub.PartImage, URL: hub.Text("https://e.x/a")}, {Kind: hub.PartImage, FileID: hub.Text("file-1")},
				{Kind: hub.PartFile, Data: hub.Text("JVBE"), MediaType: hub.Text("application/pdf")}, {Kind: hub.PartFile, Data: hub.Text("YQ=="), MediaType: hub.Text("text/plain"), Name: hub.Text("a.txt")},
				{Kind: hub.PartFile, URL: hub.Text("https://e.x/b")}, {Kind: hub.PartFile, FileID: hub.Text("file-2")},
			}}},
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,iVBO","detail":"low"},
			{"type":"input_image","image_url":"https://e.x/a","detail":"auto"},{"type":"input_image","file_id":"file-1","detail":"auto"},
			{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,JVBE"},{"type":"input_file","filename":"a.txt","file_data":"data:text/plain;base64,YQ=="},
			{"type":"input_file","file_url":"https://e.x/b"},{"type":"input_file","file_id":"file-2"}]}]`,
		},
		"a result that is an image, and one that is nothing": {
			[]hub.Item{call("c1", "f", "{}"), {Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c1")}, Parts: []hub.Part{{Kind: hub.PartImage, Data: hub.Text("iVBO"), MediaType: hub.Text("image/png")}}}, call("c2", "f", "{}"), {Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c2")}}},
			`"input":[{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,iVBO","detail":"auto"}]},
			{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c2","output":""}]`,
		},
		"an id that is too long": {
			[]hub.Item{call(long, "f", "{}"), result(long, "3")},
			`"input":[{"type":"function_call","call_id":"call_9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814d","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814d","output":"3"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, encoded(t, &hub.Request{Items: c.items}, hub.Target{Model: "up"}), `{`+always+`,`+c.want+`}`)
		})
	}
}

// TestEncode_SendsBackItsOwnReasoningAlone: what others have signed never goes up,
// nor does reasoning that led to nothing.
func TestEncode_SendsBackItsOwnReasoningAlone(t *testing.T) {
	thought := func(shape, provider string) hub.Item {
		return hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: hub.Opaque{Shape: shape, Provider: provider, Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("ENC")}}
	}
	own := `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"ENC"},`
	f := `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"3"}`
	for name, c := range map[string]struct {
		thought hub.Item
		want    string
	}{
		"own": {thought("openai_responses", "openai"), own}, "of an unknown provider": {thought("openai_responses", ""), own},
		"of another provider": {thought("openai_responses", "azure"), ""}, "of another shape": {thought("anthropic", "openai"), ""},
		"unsigned": {hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("t")}, ""},
	} {
		items := []hub.Item{user("a"), c.thought, {Role: hub.RoleAssistant, Parts: text("")}, call("c1", "f", "{}"), result("c1", "3"), thought("openai_responses", "openai"), user("b")}
		got := encoded(t, &hub.Request{Items: items}, hub.Target{Model: "up", Provider: "openai"})
		t.Run(name, func(t *testing.T) {
			same(t, got, `{`+always+`,"input":[{"type":"message","role":"user","content":"a"},`+c.want+f+`,{"type":"message","role":"user","content":"b"}]}`)
		})
	}
}

func TestEncode_WritesTools(t *testing.T) {
	tools := []hub.Tool{
		{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"z":9007199254740993,"a":1}`), Strict: []byte("true")}, {Name: hub.Text("g")},
		{Kind: hub.ToolCustom, Name: hub.Text("p"), Format: []byte(`{"type":"grammar","grammar":{"syntax":"lark","definition":"start: x"}}`)},
		{Kind: hub.ToolCustom, Name: hub.Text("q"), Format: []byte(`{"type":"grammar","syntax":"regex","definition":"x"}`)},
		{Name: hub.Text("h"), Namespace: hub.Text("ns")}, {Kind: hub.ToolCustom, Name: hub.Text("i"), Namespace: hub.Text("ns")}, {Name: hub.Text("j"), Namespace: hub.Text("other")},
	}
	want := `"tools":[{"type":"function","name":"f","description":"d","parameters":{"z":9007199254740993,"a":1},"strict":true},
		{"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":false},
		{"type":"custom","name":"p","format":{"type":"grammar","syntax":"lark","definition":"start: x"}},{"type":"custom","name":"q","format":{"type":"grammar","syntax":"regex","definition":"x"}},
		{"type":"namespace","name":"ns","description":"ns","tools":[{"type":"function","name":"h","parameters":{"type":"object","properties":{}},"strict":false},{"type":"custom","name":"i"}]},
		{"type":"namespace","name":"other","description":"other","tools":[{"type":"function","name":"j","parameters":{"type":"object","properties":{}},"strict":false}]}]`
	for name, c := range map[string]struct {
		asked hub.Request
		want  string
	}{
		"nothing said":   {hub.Request{}, ""},
		"auto, one":      {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceAuto}, Parallel: hub.No}, `,"tool_choice":"auto","parallel_tool_calls":false`},
		"none, several":  {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceNone}, Parallel: hub.Yes}, `,"tool_choice":"none","parallel_tool_calls":true`},
		"required":       {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceRequired}}, `,"tool_choice":"required"`},
		"function":       {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("f")}}, `,"tool_choice":{"type":"function","name":"f"}`},
		"custom":         {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("p")}}, `,"tool_choice":{"type":"custom","name":"p"}`},
		"in a namespace": {hub.Request{Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("ns__h")}}, `,"tool_choice":{"type":"function","name":"h"}`},
	} {
		r := c.asked
		r.Items, r.Tools = []hub.Item{user("a")}, tools
		t.Run(name, func(t *testing.T) {
			same(t, encoded(t, &r, hub.Target{Model: "up"}), `{`+always+`,"input":[{"type":"message","role":"user","content":"a"}],`+want+c.want+`}`)
		})
	}
	r := hub.Request{Items: []hub.Item{user("a")}, Choice: hub.Choice{Mode: hub.ChoiceRequired}, Parallel: hub.No}
	same(t, encoded(t, &r, hub.Target{Model: "up"}), `{`+always+`,"input":[{"type":"message","role":"user","content":"a"}]}`)
}

func TestEncode_WritesParameters(t *testing.T) {
	for name, c := range map[string]struct {
		asked func(r *hub.Request)
		want  string
	}{
		"streamed": {func(r *hub.Request) { r.Streamed = true }, `"stream":true`},
		"simple": {func(r *hub.Request) {
			for p, v := range map[hub.Param]string{
				hub.Temperature: "0.30", hub.TopP: "1", hub.User: `"u"`, hub.SafetyIdentifier: `"s"`, hub.Metadata: `{"a":"b"}`, hub.CacheKey: `"k"`,
				hub.CacheRetention: `"24h"`, hub.Truncation: `"auto"`, hub.MaxToolCalls: "3", hub.MaxTokens: "2000", hub.ServiceTier: `"flex"`,
			} {
				r.Set(p, "x", []byte(v))
			}
		}, `"temperature":0.30,"top_p":1,"user":"u","safety_identifier":"s","metadata":{"a":"b"},"prompt_cache_key":"k","prompt_cache_retention":"24h","truncation":"auto","max_tool_calls":3,"max_output_tokens":2000,"service_tier":"flex"`},
		"few tokens":          {func(r *hub.Request) { r.Set(hub.MaxTokens, "max_tokens", []byte("1")) }, `"max_output_tokens":16`},
		"a tier of Anthropic": {func(r *hub.Request) { r.Set(hub.ServiceTier, "service_tier", []byte(`"standard_only"`)) }, `"service_tier":"default"`},
		"what it has no place for": {func(r *hub.Request) {
			for _, p := range []hub.Param{hub.TopK, hub.MinP, hub.Seed, hub.FrequencyPenalty, hub.PresencePenalty, hub.RepeatPenalty, hub.Store, hub.NumCtx, hub.KeepAlive} {
				r.Set(p, "x", []byte("1"))
			}
		}, ``},
		"json":      {func(r *hub.Request) { r.Format.Kind = hub.FormatJSON }, `"text":{"format":{"type":"json_object"}}`},
		"verbosity": {func(r *hub.Request) { r.Set(hub.Verbosity, "verbosity", []byte(`"low"`)) }, `"text":{"verbosity":"low"}`},
		"schema": {func(r *hub.Request) {
			r.Format = hub.Format{Kind: hub.FormatSchema, Schema: []byte(`{"b":1}`), About: hub.Text("d"), Strict: hub.No}
			r.Set(hub.Verbosity, "verbosity", []byte(`"high"`))
		}, `"text":{"format":{"type":"json_schema","name":"answer","description":"d","schema":{"b":1},"strict":false},"verbosity":"high"}`},
		"effort":            {func(r *hub.Request) { r.Reasoning.Effort = "minimal" }, `"reasoning":{"effort":"minimal","summary":"auto"}`},
		"effort, summary":   {func(r *hub.Request) { r.Reasoning = hub.Reasoning{Effort: "max", Summary: "detailed"} }, `"reasoning":{"effort":"max","summary":"detailed"}`},
		"no summary":        {func(r *hub.Request) { r.Reasoning = hub.Reasoning{Effort: "low", Summary: "none"} }, `"reasoning":{"effort":"low"}`},
		"small budget":      {func(r *hub.Request) { r.Reasoning.Budget = 1024 }, `"reasoning":{"effort":"low","summary":"auto"}`},
		"medium budget":     {func(r *hub.Request) { r.Reasoning.Budget = 4096 }, `"reasoning":{"effort":"medium","summary":"auto"}`},
		"large budget":      {func(r *hub.Request) { r.Reasoning.Budget = 4097 }, `"reasoning":{"effort":"high","summary":"auto"}`},
		"as much as it may": {func(r *hub.Request) { r.Reasoning.Budget = -1 }, `"reasoning":{"summary":"auto"}`},
		"none":              {func(r *hub.Request) { r.Reasoning.Effort = "none" }, `"reasoning":{"effort":"none"}`},
	} {
		r := hub.Request{Items: []hub.Item{user("a")}}
		c.asked(&r)
		t.Run(name, func(t *testing.T) {
			want := `{` + always + `,"input":[{"type":"message","role":"user","content":"a"}],` + c.want
			same(t, encoded(t, &r, hub.Target{Model: "up", Streamed: r.Streamed}), strings.TrimSuffix(want, ",")+`}`)
		})
	}
}

func TestEncode_AddsTheCallersMembersForTheShape(t *testing.T) {
	r := hub.Request{Items: []hub.Item{user("a")}, Extensions: []hub.Extension{
		{Shape: "openai_responses", Object: []byte(`{"store":true,"model":"dear","stream":true,"x":{"b":1,"a":2}}`)}, {Shape: "gemini", Object: []byte(`{"y":1}`)},
	}}
	same(t, encoded(t, &r, hub.Target{Model: "up"}), `{"model":"up","store":true,"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":"a"}],"x":{"b":1,"a":2}}`)
}

func TestCheck_RefusesWhatResponsesCannotExpress(t *testing.T) {
	for p, name := range map[hub.Param]string{hub.Stop: "stop", hub.Choices: "n", hub.Logprobs: "logprobs", hub.LogitBias: "logit_bias", hub.AudioOutput: "modalities", hub.CachedContent: "cachedContent"} {
		r := hub.Request{Items: []hub.Item{user("a")}}
		r.Set(p, name, []byte("2"))
		codec := responses.Hub{}
		_, err := r.Check(codec.Shape(), codec.Fates())
		if code, param := refused(t, err); code != wire.CodeUnsupportedParam || param != name {
			t.Errorf("%s: %s of %s", name, code, param)
		}
	}
}
