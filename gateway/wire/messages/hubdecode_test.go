package messages_test

import (
	"slices"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"

	"github.com/google/go-cmp/cmp"
)

func text(s string) hub.Part { return hub.Part{Text: hub.Text(s)} }

func TestDecode_ReadsEveryKindOfBlock(t *testing.T) {
	mark := []byte(`{"type":"ephemeral","ttl":"1h"}`)
	for name, test := range map[string]struct {
		role, content string
		want          []hub.Item
	}{
		"a text":       {"user", `"a\nb"`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text(`a\nb`)}}}},
		"nothing":      {"user", `[]`, nil},
		"null":         {"assistant", `null`, nil},
		"citations":    {"assistant", `[{"type":"text","text":"a","citations":[{"type":"x"}]}]`, []hub.Item{{Role: hub.RoleAssistant, Parts: []hub.Part{text("a")}}}},
		"a mark":       {"user", `[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a"), Mark: mark}}}}},
		"mark null":    {"user", `[{"type":"text","text":"a","cache_control":null}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("a")}}}},
		"base64":       {"user", `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, MediaType: hub.Text("image/png"), Data: hub.Text("QUJD")}}}}},
		"an address":   {"user", `[{"type":"image","source":{"type":"url","url":"https://a.example/b"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, URL: hub.Text("https://a.example/b")}}}}},
		"data":         {"user", `[{"type":"image","source":{"type":"url","url":"data:image/gif;base64,QUJD"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, MediaType: hub.Text("image/gif"), Data: hub.Text("QUJD")}}}}},
		"a file":       {"user", `[{"type":"image","source":{"type":"file","file_id":"f_1"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, FileID: hub.Text("f_1")}}}}},
		"a PDF":        {"user", `[{"type":"document","title":"t.pdf","context":"c","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("c"), {Kind: hub.PartFile, Name: hub.Text("t.pdf"), MediaType: hub.Text("application/pdf"), Data: hub.Text("QUJD")}}}}},
		"plain text":   {"user", `[{"type":"document","title":"t","source":{"type":"text","media_type":"text/plain","data":"d"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("t"), text("d")}}}},
		"content":      {"user", `[{"type":"document","cache_control":{"type":"ephemeral","ttl":"1h"},"source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("a"), {Text: hub.Text("b"), Mark: mark}}}}},
		"as a text":    {"user", `[{"type":"document","source":{"type":"content","content":"a"}}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("a")}}}},
		"found":        {"user", `[{"type":"search_result","title":"t","source":"https://a.example","content":[{"type":"text","text":"a"}]}]`, []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{text("t"), text("https://a.example"), text("a")}}}},
		"compaction":   {"assistant", `[{"type":"compaction","content":"so far"}]`, []hub.Item{{Role: hub.RoleAssistant, Parts: []hub.Part{text("so far")}}}},
		"system":       {"system", `[{"type":"text","text":"a"}]`, []hub.Item{{Role: hub.RoleSystem, Parts: []hub.Part{text("a")}}}},
		"unsigned":     {"assistant", `[{"type":"thinking","thinking":"t","signature":""}]`, []hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t")}}},
		"no signature": {"assistant", `[{"type":"thinking","thinking":"t"},{"type":"thinking","thinking":""}]`, []hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t")}}},
		"signed":       {"assistant", `[{"type":"thinking","thinking":"t","signature":"SIG=="}]`, []hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: hub.Opaque{Shape: "anthropic", Data: hub.Text("SIG==")}}}},
		"redacted":     {"assistant", `[{"type":"redacted_thinking","data":"RED"}]`, []hub.Item{{Kind: hub.ItemReasoning, Opaque: hub.Opaque{Shape: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("RED")}}}},
		"a call": {"assistant", "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{ \"b\": \"\\\"x\",\n\"a\":9007199254740993}}]", []hub.Item{
			{Role: hub.RoleAssistant, Parts: []hub.Part{text("a")}},
			{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text(`{ \"b\": \"\\\"x\",\n\"a\":9007199254740993}`)},
		}},
		"no input": {"assistant", `[{"type":"tool_use","id":"c1","name":"f"}]`, []hub.Item{{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text(`{}`)}}},
		"results": {"user", `[{"type":"tool_result","tool_use_id":"c1","content":"r","is_error":true,"cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"a"},{"type":"tool_reference","tool_name":"g"},{"type":"image","source":{"type":"url","url":"https://a.example/b"}}]},{"type":"tool_result","tool_use_id":"c3"},{"type":"text","text":"go on"}]`, []hub.Item{
			{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c1")}, Failed: true, Mark: mark, Parts: []hub.Part{text("r")}},
			{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c2")}, Parts: []hub.Part{text("a"), text("g"), {Kind: hub.PartImage, URL: hub.Text("https://a.example/b")}}},
			{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c3")}},
			{Role: hub.RoleUser, Parts: []hub.Part{text("go on")}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := asked(t, `[{"content":`+test.content+`,"role":"`+test.role+`"}]`)
			if diff := cmp.Diff(test.want, r.Items); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecode_SystemComesFirstWhereverItStands(t *testing.T) {
	for name, system := range map[string]string{
		"text": `"be brief"`, "blocks": `[{"type":"text","text":"be brief"}]`,
	} {
		r := asked(t, hi, `"system":`+system)
		if len(r.Items) != 2 || r.Items[0].Role != hub.RoleSystem || !r.Items[0].Parts[0].Text.Is("be brief") {
			t.Errorf("%s: %+v", name, r.Items)
		}
	}
}

func TestDecode_ReadsMembers(t *testing.T) {
	for name, test := range map[string]struct {
		members string
		is      func(r *hub.Request) bool
		dropped []string
	}{
		"numbers": {`"temperature":0.50,"top_p":1e-1,"top_k":5`, func(r *hub.Request) bool {
			return string(r.Param(hub.Temperature)) == "0.50" && string(r.Param(hub.TopP)) == "1e-1" && string(r.Param(hub.TopK)) == "5"
		}, nil},
		"the most": {`"stream":false`, func(r *hub.Request) bool {
			return string(r.Param(hub.MaxTokens)) == "9000" && !r.Streamed && r.WantsUsage
		}, nil},
		"stops":    {`"stop_sequences":["a","b"]`, func(r *hub.Request) bool { return string(r.Param(hub.Stop)) == `["a","b"]` }, nil},
		"no stops": {`"stop_sequences":[]`, func(r *hub.Request) bool { return r.Param(hub.Stop) == nil }, nil},
		"nulls":    {`"temperature":null,"tools":null,"tool_choice":null,"thinking":null,"system":null,"metadata":null,"container":null,"speed":null,"output_config":{"effort":null,"format":null},"stop_sequences":null`, func(r *hub.Request) bool { return r.Param(hub.Temperature) == nil && !r.Reasoning.Asked() }, nil},
		"user": {`"metadata":{"user_id":"u","plan":"p"}`, func(r *hub.Request) bool {
			return string(r.Param(hub.User)) == `"u"` && r.Params[hub.User].Name == "metadata.user_id"
		}, []string{"metadata.user_id", "metadata.plan"}},
		"budget": {`"thinking":{"type":"enabled","budget_tokens":2000}`, func(r *hub.Request) bool { return r.Reasoning == hub.Reasoning{Budget: 2000} }, nil},
		"adaptive": {`"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"}`, func(r *hub.Request) bool {
			return r.Reasoning == hub.Reasoning{Budget: -1, Effort: "max", Summary: "auto"}
		}, nil},
		"omitted": {`"thinking":{"type":"adaptive","display":"omitted"}`, func(r *hub.Request) bool { return r.Reasoning == hub.Reasoning{Budget: -1, Summary: "none"} }, nil},
		"off":     {`"thinking":{"type":"disabled"},"output_config":{"effort":"low"}`, func(r *hub.Request) bool { return r.Reasoning.Off() }, []string{"output_config.effort"}},
		"between": {`"thinking":{"type":"between_tools"}`, func(r *hub.Request) bool { return !r.Reasoning.Asked() }, []string{"thinking"}},
		"format": {`"output_config":{"format":{"type":"json_schema","schema":{"b":1,"a":2}},"task_budget":{}}`, func(r *hub.Request) bool {
			return r.Format.Kind == hub.FormatSchema && string(r.Format.Schema) == `{"b":1,"a":2}`
		}, []string{"output_config.task_budget"}},
		"old format":  {`"output_format":{"type":"json_schema","schema":{}}`, func(r *hub.Request) bool { return r.Format.Kind == hub.FormatSchema }, nil},
		"servers":     {`"mcp_servers":[{"url":"https://a.example"}]`, func(r *hub.Request) bool { return r.Param(hub.RemoteTools) != nil }, []string{"mcp_servers"}},
		"no servers":  {`"mcp_servers":[]`, func(r *hub.Request) bool { return r.Param(hub.RemoteTools) == nil }, nil},
		"container":   {`"container":"c"`, func(r *hub.Request) bool { return r.Param(hub.Container) != nil }, []string{"container"}},
		"tier":        {`"service_tier":"auto"`, func(r *hub.Request) bool { return len(r.Unknown) == 0 }, nil},
		"other hints": {`"service_tier":"standard_only","inference_geo":"eu","speed":"fast","context_management":{"edits":[]},"cache_control":{"type":"ephemeral"}`, func(r *hub.Request) bool { return true }, []string{"service_tier", "inference_geo", "speed", "context_management", "cache_control"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := asked(t, hi, test.members)
			if !test.is(r) {
				t.Errorf("it is %+v", r)
			}
			every := hub.Fates{hub.User: hub.Ignored, hub.RemoteTools: hub.Ignored, hub.Container: hub.Ignored}
			if dropped, err := r.Check("x", &every); err != nil || !slices.Equal(dropped, test.dropped) {
				t.Errorf("%v is left out, %v", dropped, err)
			}
		})
	}
}

func TestDecode_ReadsTools(t *testing.T) {
	r := asked(t, hi, `"tools":[{"name":"f","description":"d","input_schema":{"type":"object","b":1,"a":2},"strict":true,"cache_control":{"type":"ephemeral"},"eager_input_streaming":true,"defer_loading":false,"input_examples":[{}]},`+
		`{"type":"custom","name":"g","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","max_uses":3},{"type":"bash_20250124","name":"bash"}]`)
	want := []hub.Tool{
		{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"type":"object","b":1,"a":2}`), Strict: []byte("true"), Mark: []byte(`{"type":"ephemeral"}`)},
		{Name: hub.Text("g"), Parameters: []byte(`{"type":"object"}`)},
		{Kind: hub.ToolServer, Name: hub.Text("web_search"), Raw: []byte(`{"type":"web_search_20250305","name":"web_search","max_uses":3}`)},
		{Kind: hub.ToolServer, Name: hub.Text("bash"), Raw: []byte(`{"type":"bash_20250124","name":"bash"}`)},
	}
	if diff := cmp.Diff(want, r.Tools); diff != "" {
		t.Error(diff)
	}
}

func TestDecode_ReadsTheChoiceOfTools(t *testing.T) {
	const tools = `"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":`
	for choice, want := range map[string]hub.Request{
		`{"type":"auto"}`:            {Choice: hub.Choice{Mode: hub.ChoiceAuto}},
		`{"type":"any"}`:             {Choice: hub.Choice{Mode: hub.ChoiceRequired}},
		`{"type":"none"}`:            {Choice: hub.Choice{Mode: hub.ChoiceNone}},
		`{"type":"tool","name":"f"}`: {Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("f")}},
		`{"type":"auto","disable_parallel_tool_use":true}`: {Choice: hub.Choice{Mode: hub.ChoiceAuto}, Parallel: hub.No},
		`{"type":"any","disable_parallel_tool_use":false}`: {Choice: hub.Choice{Mode: hub.ChoiceRequired}, Parallel: hub.Yes},
	} {
		r := asked(t, hi, tools+choice)
		if diff := cmp.Diff(want, hub.Request{Choice: r.Choice, Parallel: r.Parallel}); diff != "" {
			t.Errorf("%s: %s", choice, diff)
		}
	}
	if r := asked(t, hi, `"tools":[],"tool_choice":{"type":"any"}`); r.Choice.Mode != hub.ChoiceUnset {
		t.Errorf("a choice among no tools is %v", r.Choice)
	}
}

// TestDecode_PutsSealsBackOnTheirCalls is for hosts that sign calls.
func TestDecode_PutsSealsBackOnTheirCalls(t *testing.T) {
	first := hub.Opaque{Shape: "gemini", Provider: "g", ID: hub.Text("c1"), Data: hub.Text("S1")}
	second := hub.Opaque{Shape: "gemini", Provider: "g", ID: hub.Text("c2"), Data: hub.Text("S2")}
	other := hub.Opaque{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("E")}
	redacted := func(o hub.Opaque) string { return `{"type":"redacted_thinking","data":"` + string(o.Seal()) + `"}` }
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{}}` }
	r := asked(t, `[{"role":"assistant","content":[`+redacted(other)+`,`+redacted(first)+`,`+call("c1")+`,`+call("c2")+`,`+redacted(second)+`]}]`)
	want := []hub.Item{
		{Kind: hub.ItemReasoning, Opaque: other},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text("{}"), Opaque: first},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("f")}, Arguments: hub.Text("{}"), Opaque: second},
	}
	if diff := cmp.Diff(want, r.Items); diff != "" {
		t.Error(diff)
	}
}

func TestDecode_RefusesWhatIsNotTheShape(t *testing.T) {
	for body, param := range map[string]string{
		`{}`:                "messages",
		`{"messages":"hi"}`: "messages",
		`{"messages":[]}`:   "messages",
		`{"messages":[{"role":"tool","content":"a"}]}`:                                                                        "messages[0].role",
		`{"messages":[{"role":"user","content":7}]}`:                                                                          "messages[0].content",
		`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`:                                                          "messages[0].content[0].text",
		`{"messages":[{"role":"user","content":[{"text":"a"}]}]}`:                                                             "messages[0].content[0].type",
		`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"x"}}]}]}`:                                   "messages[0].content[0].source.type",
		`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64"}}]}]}`:                              "messages[0].content[0].source.data",
		`{"messages":[{"role":"user","content":[{"type":"tool_result","content":"a"}]}]}`:                                     "messages[0].content[0].tool_use_id",
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_use"}]}]}]}`: "messages[0].content[0].content[0]",
		`{"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f"}]}]}`:                                      "messages[0].content[0].id",
		`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":"x"}]}]}`:                 "messages[0].content[0].input",
		`{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"a","name":"web_search","input":{}}]}]}`:  "messages[0].content[0]",
		`{"messages":[{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"a","content":[]}]}]}`:    "messages[0].content[0]",
		`{"system":7,"messages":[{"role":"user","content":"hi"}]}`:                                                            "system",
		`{"system":[{"type":"container_upload"}],"messages":[]}`:                                                              "system[0]",
		`{"max_tokens":"9","messages":[{"role":"user","content":"hi"}]}`:                                                      "max_tokens",
		`{"stop_sequences":"a","messages":[{"role":"user","content":"hi"}]}`:                                                  "stop_sequences",
		`{"tools":[{"name":"f"}],"messages":[{"role":"user","content":"hi"}]}`:                                                "tools[0].input_schema",
		`{"tools":[{"input_schema":{}}],"messages":[{"role":"user","content":"hi"}]}`:                                         "tools[0].name",
		`{"tools":[{"name":"f","input_schema":{}}],"tool_choice":"auto","messages":[{"role":"user","content":"hi"}]}`:         "tool_choice.type",
		`{"thinking":{"type":"enabled"},"messages":[{"role":"user","content":"hi"}]}`:                                         "thinking.budget_tokens",
		`{"output_config":{"effort":"huge"},"messages":[{"role":"user","content":"hi"}]}`:                                     "output_config.effort",
		`{"output_config":{"format":{"type":"json"}},"messages":[{"role":"user","content":"hi"}]}`:                            "output_config.format.type",
		`{"metadata":{"user_id":7},"messages":[{"role":"user","content":"hi"}]}`:                                              "metadata.user_id",
	} {
		var r hub.Request
		if e := refusal(t, messages.Hub{}.Decode([]byte(body), &r)); e.Param != param || e.Status != 400 {
			t.Errorf("%s: %s: %s", body, e.Param, e.Message)
		}
	}
}
