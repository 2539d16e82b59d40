package messages_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestEncode_WritesTools(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{user}, Tools: []hub.Tool{
		{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"type":"object","properties":{"b":{},"a":{}}}`), Strict: []byte("true"), Mark: []byte(`{"type":"ephemeral"}`)},
		{Name: hub.Text("g"), Namespace: hub.Text("ns")},
		{Name: hub.Text("h"), Parameters: []byte(`{}`)},
		{Name: hub.Text("i"), Parameters: []byte(`{"properties":{}}`)},
		{Kind: hub.ToolCustom, Name: hub.Text("patch"), Description: hub.Text("d"), Format: []byte(`{"type":"grammar","syntax":"lark","definition":"start: X"}`)},
	}}
	sameJSON(t, "tools", sent(t, r, to)["tools"], `[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"b":{},"a":{}}},"cache_control":{"type":"ephemeral"}},`+
		`{"name":"ns__g","input_schema":{"type":"object","properties":{}}},{"name":"h","input_schema":{"type":"object"}},{"name":"i","input_schema":{"type":"object","properties":{}}},`+
		`{"name":"patch","description":"d\n\nThe input must follow this grammar:\nstart: X","input_schema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}]`)
}

func TestEncode_WritesTheChoiceOfTools(t *testing.T) {
	tools := []hub.Tool{{Name: hub.Text("f")}, {Name: hub.Text("g"), Namespace: hub.Text("ns")}}
	for want, r := range map[string]*hub.Request{
		``:                           {},
		`{"type":"auto"}`:            {Choice: hub.Choice{Mode: hub.ChoiceAuto}, Parallel: hub.Yes},
		`{"type":"none"}`:            {Choice: hub.Choice{Mode: hub.ChoiceNone}, Parallel: hub.No},
		`{"type":"any"}`:             {Choice: hub.Choice{Mode: hub.ChoiceRequired}},
		`{"type":"tool","name":"f"}`: {Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("f")}},
		`{"type":"tool","name":"ns__g","disable_parallel_tool_use":true}`: {Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("g")}, Parallel: hub.No},
		`{"type":"auto","disable_parallel_tool_use":true}`:                {Parallel: hub.No},
	} {
		r.Items, r.Tools = []hub.Item{user}, tools
		sameJSON(t, "the choice", sent(t, r, to)["tool_choice"], want)
		r.Tools = nil
		body := sent(t, r, to)
		sameJSON(t, "the choice among no tools", body["tool_choice"], "")
		sameJSON(t, "no tools", body["tools"], "")
	}
}

// TestEncode_TellsOfToolsThatHaveBeenCalled: Anthropic refuses their calls without.
func TestEncode_TellsOfToolsThatHaveBeenCalled(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{user, call("c1", "f", ""), call("c2", "g", ""), call("c3", "f", ""), result("c1"), result("c2"), result("c3")}}
	body := sent(t, r, to)
	sameJSON(t, "tools", body["tools"], `[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}}}]`)
	sameJSON(t, "the choice", body["tool_choice"], `{"type":"none"}`)
}

func TestEncode_WritesTheFormatOfTheAnswer(t *testing.T) {
	const schema = `{"type":"object","properties":{"b":{},"a":{}}}`
	const output = `{"format":{"type":"json_schema","schema":` + schema + `}}`
	tools := []hub.Tool{{Name: hub.Text("f")}}
	for name, test := range map[string]struct {
		r                     *hub.Request
		tools, choice, config string
	}{
		"any object": {&hub.Request{Format: hub.Format{Kind: hub.FormatJSON}, Reasoning: hub.Reasoning{Effort: "high"}},
			`[{"name":"json_output","input_schema":{"type":"object"}}]`, `{"type":"tool","name":"json_output","disable_parallel_tool_use":true}`, ""},
		"a schema": {&hub.Request{Format: hub.Format{Kind: hub.FormatSchema, Schema: []byte(schema), Name: hub.Text("my answer"), About: hub.Text("d")}},
			`[{"name":"my_answer","description":"d","input_schema":` + schema + `}]`, `{"type":"tool","name":"my_answer","disable_parallel_tool_use":true}`, ""},
		"no object":     {&hub.Request{Format: hub.Format{Kind: hub.FormatSchema, Schema: []byte(`{"anyOf":[]}`)}}, "", "", `{"format":{"type":"json_schema","schema":{"anyOf":[]}}}`},
		"with thinking": {&hub.Request{Format: hub.Format{Kind: hub.FormatSchema, Schema: []byte(schema)}, Reasoning: hub.Reasoning{Effort: "low"}}, "", "", output},
		"with tools": {&hub.Request{Format: hub.Format{Kind: hub.FormatSchema, Schema: []byte(schema)}, Tools: tools},
			`[{"name":"f","input_schema":{"type":"object","properties":{}}}]`, "", output},
	} {
		t.Run(name, func(t *testing.T) {
			test.r.Items = []hub.Item{user}
			body := sent(t, test.r, to)
			sameJSON(t, "tools", body["tools"], test.tools)
			sameJSON(t, "the choice", body["tool_choice"], test.choice)
			sameJSON(t, "the format", body["output_config"], test.config)
			if _, thinks := body["thinking"]; thinks != (name == "with thinking") {
				t.Errorf("it thinks: %v", body["thinking"])
			}
		})
	}
}

// TestTools_OfNamesThatDoNotFitAreFoundAgain: other shapes take dots and colons.
func TestTools_OfNamesThatDoNotFitAreFoundAgain(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{user, call("c", "a.b", ""), result("c")}, Tools: []hub.Tool{{Name: hub.Text("a.b")}, {Name: hub.Text("a:b")}, {Name: hub.Text("fit_a")}}}
	r.Choice = hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("a:b")}
	body := sent(t, r, to)
	sameJSON(t, "the choice", body["tool_choice"], `{"type":"tool","name":"fit_a_3ab"}`)
	for i, want := range []string{"fit_a_2eb", "fit_a_3ab", "fit_fit_5fa"} {
		if name := body["tools"].([]any)[i].(map[string]any)["name"]; name != want {
			t.Errorf("%s goes up as %v", r.Tools[i].Name, name)
		}
		a := heard(t, r, blockOf("0", `{"type":"tool_use","id":"c1","name":"`+want+`","input":{}}`)+endOf("0")+reason("tool_use"))
		if name := a.Items[0].Call.Name; !name.Is(r.Tools[i].Name.String()) {
			t.Errorf("%s comes back as %s", want, name)
		}
	}
}
