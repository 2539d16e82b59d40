package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

func user(text string) hub.Item {
	return hub.Item{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text(text)}}}
}

func said(role hub.Role, texts ...string) hub.Item {
	item := hub.Item{Kind: hub.ItemMessage, Role: role}
	for _, t := range texts {
		item.Parts = append(item.Parts, hub.Part{Text: hub.Text(t)})
	}
	return item
}

func call(id, name, arguments string) hub.Item {
	return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}, Arguments: hub.Quote(arguments)}
}

// up returns a body without the members that all bodies have.
func up(members string) string {
	return `{"model":"up:7b","messages":[{"role":"user","content":"x"}],"stream":false` + members + `}`
}

func TestHubEncode_WritesMessagesInTheirPlace(t *testing.T) {
	thought := hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: hub.Opaque{Shape: "anthropic", Data: hub.Text("SIG")}}
	result := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c1")}, Parts: []hub.Part{
		{Text: hub.Text("r")}, {Kind: hub.PartImage, Data: hub.Text(png)}, {Text: hub.Text("s")},
	}}
	for name, c := range map[string]struct {
		items []hub.Item
		want  string
	}{
		"system in the middle": {
			[]hub.Item{said(hub.RoleSystem, "a", "b"), user("x"), said(hub.RoleSystem, "c"), user("y")},
			`{"role":"system","content":"a\n\nb"},{"role":"user","content":"x"},{"role":"system","content":"c"},{"role":"user","content":"y"}`,
		},
		"thoughts, text and calls are one message": {
			[]hub.Item{user("x"), thought, said(hub.RoleAssistant, "o"), call("c1", "f", `{"a":1}`), call("c2", "g", ``), result},
			`{"role":"user","content":"x"},{"role":"assistant","content":"o","thinking":"t","tool_calls":[
				{"id":"c1","function":{"index":0,"name":"f","arguments":{"a":1}}},{"id":"c2","function":{"index":1,"name":"g","arguments":{}}}]},
				{"role":"tool","content":"r\n\ns","images":["` + png + `"],"tool_name":"f","tool_call_id":"c1"}`,
		},
		"in another order they are several": {
			[]hub.Item{user("x"), said(hub.RoleAssistant, "o"), thought, thought, call("c1", "f", `{}`), said(hub.RoleAssistant, "p"), said(hub.RoleAssistant, "q")},
			`{"role":"user","content":"x"},{"role":"assistant","content":"o"},
				{"role":"assistant","content":"","thinking":"t\n\nt","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{}}}]},
				{"role":"assistant","content":"p"},{"role":"assistant","content":"q"}`,
		},
		"what says nothing is left out": {
			[]hub.Item{said(hub.RoleSystem, ""), said(hub.RoleSystem), user(""), said(hub.RoleAssistant, " "), {Kind: hub.ItemReasoning}, user("x")},
			`{"role":"user","content":""},{"role":"user","content":"x"}`,
		},
		"a result of a call that nobody knows": {
			[]hub.Item{{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c9")}, Parts: []hub.Part{{Text: hub.Text("r")}}}},
			`{"role":"tool","content":"r","tool_call_id":"c9"}`,
		},
		"a refusal is what was said": {
			[]hub.Item{{Kind: hub.ItemMessage, Role: hub.RoleAssistant, Parts: []hub.Part{{Kind: hub.PartRefusal, Text: hub.Text("no")}}}},
			`{"role":"assistant","content":"no"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := encoded(t, &hub.Request{Items: c.items})
			saysSame(t, got, `{"model":"up:7b","messages":[`+c.want+`],"stream":false}`)
		})
	}
}

func TestHubEncode_NoMessagesWouldLoadTheModel(t *testing.T) {
	for _, items := range [][]hub.Item{nil, {said(hub.RoleSystem, " ")}, {{Kind: hub.ItemReasoning}}} {
		_, err := ollama.Hub{}.Encode(nil, &hub.Request{Items: items}, target)
		wantParam(t, err, "the conversation")
	}
}

func TestHubEncode_SaysWhetherToStream(t *testing.T) {
	body, err := ollama.Hub{}.Encode(nil, &hub.Request{Items: []hub.Item{user("x")}}, hub.Target{Model: `a"b`, Streamed: true})
	if err != nil {
		t.Fatal(err)
	}
	saysSame(t, string(body), `{"model":"a\"b","messages":[{"role":"user","content":"x"}],"stream":true}`)
}

func TestHubEncode_WritesHowMuchToThink(t *testing.T) {
	for said, r := range map[string]hub.Reasoning{
		``:                  {},
		`,"think":false`:    {Effort: "none"},
		`,"think":"low"`:    {Effort: "minimal"},
		`,"think":"medium"`: {Effort: "medium", Summary: "auto"},
		`,"think":"high"`:   {Effort: "xhigh"},
		`,"think":true`:     {Budget: 4096, Effort: "low"},
		`,"think":"max"`:    {Effort: "max", Think: "max"},
	} {
		saysSame(t, encoded(t, &hub.Request{Items: []hub.Item{user("x")}, Reasoning: r}), up(said))
	}
	// Models that cannot think refuse true, and one that may think as it likes need
	// not be told.
	adaptive := hub.Reasoning{Budget: -1, Effort: "high"}
	saysSame(t, encoded(t, &hub.Request{Items: []hub.Item{user("x")}, Reasoning: adaptive}), up(``))
	adaptive.Think = "true"
	saysSame(t, encoded(t, &hub.Request{Items: []hub.Item{user("x")}, Reasoning: adaptive}), up(`,"think":true`))
}

func TestHubEncode_WritesTheFormat(t *testing.T) {
	r := hub.Request{Items: []hub.Item{user("x")}, Format: hub.Format{Kind: hub.FormatJSON}}
	saysSame(t, encoded(t, &r), up(`,"format":"json"`))
	r.Format = hub.Format{Kind: hub.FormatSchema, Name: hub.Text("n"), Strict: hub.Yes, Schema: []byte(`{"type":"object"}`)}
	saysSame(t, encoded(t, &r), up(`,"format":{"type":"object"}`))
}

func TestHubEncode_OptionsOfTheRunnerCountBeforeParameters(t *testing.T) {
	r := hub.Request{Items: []hub.Item{user("x")}}
	r.Set(hub.NumCtx, "num_ctx", []byte("16384"))
	r.Set(hub.Temperature, "temperature", []byte("0.50"))
	r.Set(hub.Stop, "stop", []byte(`"a"`))
	r.Set(hub.MaxTokens, "max_completion_tokens", []byte("9"))
	r.Set(hub.RunnerOptions, "options", []byte(`{"num_ctx":1,"temperature":0.70,"mirostat":2,"num_gpu":null,"a":{"z":1,"b":2}}`))
	body := encoded(t, &r)
	if want := `"options":{"num_ctx":16384,"num_predict":9,"stop":["a"],"temperature":0.70,"mirostat":2,"a":{"z":1,"b":2}}`; !strings.Contains(body, want) {
		t.Error(body)
	}
}

func TestHubEncode_WritesToolsUnlessNoneIsToBeCalled(t *testing.T) {
	r := hub.Request{Items: []hub.Item{user("x")}, Parallel: hub.No, Choice: hub.Choice{Mode: hub.ChoiceAuto}, Tools: []hub.Tool{
		{Name: hub.Text("f"), Namespace: hub.Text("n"), Strict: []byte("true"), Parameters: []byte(`{"$defs":{"z":{},"a":{}},"type":"object"}`)},
		{Kind: hub.ToolCustom, Name: hub.Text("c"), Description: hub.Text("d"), Format: []byte(`{"type":"grammar","syntax":"lark","definition":"start: \"a\""}`)},
	}}
	saysSame(t, encoded(t, &r), up(`,"tools":[
		{"type":"function","function":{"name":"n__f","parameters":{"$defs":{"z":{},"a":{}},"type":"object"}}},
		{"type":"function","function":{"name":"c","description":"d\n\nThe input must follow this grammar:\nstart: \"a\"",
			"parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}]`))
	if !strings.Contains(encoded(t, &r), `{"$defs":{"z":{},"a":{}},"type":"object"}`) {
		t.Error("the schema is not as it was written")
	}
	dropped, err := r.Check("ollama", ollama.Hub{}.Fates())
	if err != nil || len(dropped) != 1 || dropped[0] != "parallel_tool_calls" {
		t.Error(dropped, err)
	}
	r.Choice.Mode = hub.ChoiceNone
	saysSame(t, encoded(t, &r), up(``))
}

func TestHubEncode_WhatCannotBeSaidIsRefused(t *testing.T) {
	image := func(p hub.Part) hub.Item {
		p.Kind = hub.PartImage
		return hub.Item{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: []hub.Part{p}}
	}
	tools := []hub.Tool{{Name: hub.Text("f")}}
	for param, r := range map[string]*hub.Request{
		"images by address":    {Items: []hub.Item{image(hub.Part{URL: hub.Text("https://a.example/b.png")})}},
		"images by file id":    {Items: []hub.Item{image(hub.Part{FileID: hub.Text("file-1")})}},
		"tool_choice required": {Items: []hub.Item{user("x")}, Tools: tools, Choice: hub.Choice{Mode: hub.ChoiceRequired}},
		"tool_choice by name":  {Items: []hub.Item{user("x")}, Tools: tools, Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("f")}},
	} {
		_, err := r.Check("ollama", ollama.Hub{}.Fates())
		wantParam(t, err, param)
	}
}

func TestHubEncode_ArgumentsMustBeAnObject(t *testing.T) {
	for _, arguments := range []string{`[1]`, `{"a":`, `"x"`, `{} {}`} {
		r := hub.Request{Items: []hub.Item{user("x"), call("c1", "f", arguments)}}
		_, err := ollama.Hub{}.Encode(nil, &r, target)
		wantParam(t, err, "the arguments of the call c1 of f")
	}
}

func TestHubEncode_TheTextOfACustomCallIsAnArgument(t *testing.T) {
	item := call("c1", "patch", `*** "begin"`)
	item.Call.Custom = true
	saysSame(t, encoded(t, &hub.Request{Items: []hub.Item{item}}), `{"model":"up:7b","messages":[{"role":"assistant","content":"",
		"tool_calls":[{"id":"c1","function":{"index":0,"name":"patch","arguments":{"input":"*** \"begin\""}}}]}],"stream":false}`)
}

func TestHubEncode_AddsTheMembersForItsOwnShape(t *testing.T) {
	r := hub.Request{Items: []hub.Item{user("x")}, Extensions: []hub.Extension{
		{Shape: "openai", Object: []byte(`{"n":2}`)}, {Shape: "ollama", Object: []byte(`{"shift":false,"b\"c":{"z":1}}`)},
	}}
	saysSame(t, encoded(t, &r), up(`,"shift":false,"b\"c":{"z":1}`))
}

func TestHubEncode_WritesTheSameRequestInTheSameBytes(t *testing.T) {
	var tools strings.Builder
	for i := range 30 {
		if i > 0 {
			tools.WriteByte(',')
		}
		tools.WriteString(`{"type":"function","function":{"name":"f","parameters":{"$defs":{"z":{},"a":{}},"properties":{"y":{},"b":{}}}}}`)
	}
	body := `{"model":"m","messages":[{"role":"user","content":"x"}],"options":{"z":1,"seed":2,"a":3},"tools":[` + tools.String() + `]}`
	first := encoded(t, decoded(t, ollama.Hub{}, body))
	for range 50 {
		if again := encoded(t, decoded(t, ollama.Hub{}, body)); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
	if !strings.Contains(first, `{"$defs":{"z":{},"a":{}},"properties":{"y":{},"b":{}}}`) {
		t.Error("the members of a schema have changed their order")
	}
}

func TestReadOptions_CountBeforeWhatTheBodySays(t *testing.T) {
	r := decoded(t, ollama.Hub{}, `{"model":"m","messages":[{"role":"user","content":"x"}],"think":false,"keep_alive":1,
		"options":{"num_ctx":2048,"mirostat":1,"num_gpu":9,"temperature":0.5}}`)
	err := ollama.ReadOptions("X-Relay-Ollama-Options", []byte(`{"num_ctx":16384,"keep_alive":"1h","think":"high","mirostat":2,
		"format":"json","truncate":true,"options":{"temperature":0.1,"use_mmap":false},"top_k":null}`), r)
	if err != nil {
		t.Fatal(err)
	}
	saysSame(t, encoded(t, r), up(`,"format":"json","keep_alive":"1h","think":"high","truncate":true,
		"options":{"num_ctx":16384,"mirostat":2,"temperature":0.1,"use_mmap":false,"num_gpu":9}`))
	if name := r.Params[hub.NumCtx].Name; name != "X-Relay-Ollama-Options" {
		t.Error(name)
	}
}

func TestReadOptions_RefusesWhatIsNoObjectOfOptions(t *testing.T) {
	for _, object := range []string{``, `[]`, `{`, `{"num_ctx":"many"}`, `{"think":7}`, `{"format":"xml"}`, `{"model":"m"}`, `{"messages":[]}`, `{"options":{"tools":[]}}`} {
		var r hub.Request
		wantParam(t, ollama.ReadOptions("X-Relay-Ollama-Options", []byte(object), &r), "X-Relay-Ollama-Options")
	}
}
