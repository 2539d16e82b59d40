package responses_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire/hub"
)

func TestDecode_ReadsEveryTool(t *testing.T) {
	for tools, want := range map[string][]hub.Tool{
		`[{"type":"function","name":"f","description":"d","parameters":{"z":9007199254740993,"a":1},"strict":false,"cache_control":{"type":"ephemeral"}}]`: {
			{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"z":9007199254740993,"a":1}`), Strict: []byte("false"), Mark: []byte(`{"type":"ephemeral"}`)},
		},
		`[{"type":"function","name":"f","parameters":null,"strict":null}]`: {{Name: hub.Text("f")}},
		`[{"type":"custom","name":"p","description":"d","format":{"type":"grammar","syntax":"lark","definition":"start: x"}}]`: {
			{Kind: hub.ToolCustom, Name: hub.Text("p"), Description: hub.Text("d"), Format: []byte(`{"type":"grammar","syntax":"lark","definition":"start: x"}`)},
		},
		`[{"type":"namespace","name":"ns","description":"About.","tools":[{"type":"function","name":"f","description":"d"},{"type":"custom","name":"g"}]},{"type":"function","name":"f"}]`: {
			{Name: hub.Text("f"), Namespace: hub.Text("ns"), Description: hub.Text(`About.\n\nd`)},
			{Kind: hub.ToolCustom, Name: hub.Text("g"), Namespace: hub.Text("ns")}, {Name: hub.Text("f")},
		},
		`[{"type":"web_search","external_web_access":true}]`: {
			{Kind: hub.ToolServer, Name: hub.Text("web_search"), Raw: []byte(`{"type":"web_search","external_web_access":true}`)},
		},
		`[{"type":"mcp","server_label":"x"}]`: {{Kind: hub.ToolServer, Name: hub.Text("mcp"), Raw: []byte(`{"type":"mcp","server_label":"x"}`)}},
		`[]`:                                  nil,
	} {
		r := decoded(t, `{"input":"a","tools":`+tools+`}`)
		if diff := cmp.Diff(want, r.Tools); diff != "" {
			t.Errorf("%s\n%s", tools, diff)
		}
	}
}

func TestDecode_TakesToolsFromTheConversation(t *testing.T) {
	r := decoded(t, `{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"g"}]},{"role":"user","content":"a"}],"tools":[{"type":"function","name":"f"}]}`)
	if len(r.Items) != 1 || r.ToolNamed(hub.Call{Name: hub.Text("f")}) == nil || r.ToolNamed(hub.Call{Name: hub.Text("g")}) == nil {
		t.Errorf("items %+v, tools %+v", r.Items, r.Tools)
	}
}

func TestDecode_ReadsEveryChoice(t *testing.T) {
	for choice, want := range map[string]hub.Choice{
		`null`: {}, `"auto"`: {Mode: hub.ChoiceAuto}, `"none"`: {Mode: hub.ChoiceNone}, `"required"`: {Mode: hub.ChoiceRequired},
		`{"type":"function","name":"f"}`:      {Mode: hub.ChoiceNamed, Name: hub.Text("f")},
		`{"type":"custom","name":"p"}`:        {Mode: hub.ChoiceNamed, Name: hub.Text("p")},
		`{"type":"function","name":"g"}`:      {Mode: hub.ChoiceNamed, Name: hub.Text("ns__g")},
		`{"type":"function","name":"absent"}`: {Mode: hub.ChoiceNamed, Name: hub.Text("absent")},
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]}`: {Mode: hub.ChoiceRequired},
	} {
		r := decoded(t, `{"input":"a","tool_choice":`+choice+`,"tools":[{"type":"function","name":"f"},{"type":"custom","name":"p"},{"type":"namespace","name":"ns","tools":[{"type":"function","name":"g"}]}]}`)
		if diff := cmp.Diff(want, r.Choice); diff != "" {
			t.Errorf("%s\n%s", choice, diff)
		}
	}
}

func TestDecode_LeavesTheToolsThatAreAllowed(t *testing.T) {
	for allowed, want := range map[string][]string{
		`[{"type":"function","name":"f"},{"type":"custom","name":"p"}]`: {"f", "p"},
		`[{"type":"namespace","name":"ns"}]`:                            {"g"},
		`[{"type":"web_search"}]`:                                       {"web_search"},
		`[]`:                                                            nil,
	} {
		r := decoded(t, `{"input":"a","tool_choice":{"type":"allowed_tools","mode":"auto","tools":`+allowed+`},"tools":[{"type":"function","name":"f"},{"type":"custom","name":"p"},{"type":"namespace","name":"ns","tools":[{"type":"function","name":"g"}]},{"type":"web_search"}]}`)
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name.String())
		}
		if diff := cmp.Diff(want, names); diff != "" || r.Choice.Mode != hub.ChoiceAuto {
			t.Errorf("%s: %v\n%s", allowed, r.Choice, diff)
		}
	}
}

// TestCheck_RefusesToolsThatTheProviderRuns is a search of the web that the caller
// has asked for.
func TestCheck_RefusesToolsThatTheProviderRuns(t *testing.T) {
	r := decoded(t, `{"input":"a","tools":[{"type":"web_search"}]}`)
	_, err := r.Check("anthropic", &hub.Fates{hub.ServerTools: hub.Refused})
	if code, _ := refused(t, err); code != "unsupported_param" {
		t.Error(err)
	}
}

func TestDecode_ReadsWhatElseIsSaidOfTheAnswer(t *testing.T) {
	for members, want := range map[string]hub.Request{
		`"text":{"format":{"type":"text"}}`:        {},
		`"text":{"format":{"type":"json_object"}}`: {Format: hub.Format{Kind: hub.FormatJSON}},
		`"text":{"format":{"type":"json_schema","name":"n","description":"d","schema":{"b":1,"a":2},"strict":true}}`: {
			Format: hub.Format{Kind: hub.FormatSchema, Name: hub.Text("n"), About: hub.Text("d"), Schema: []byte(`{"b":1,"a":2}`), Strict: hub.Yes},
		},
		`"reasoning":{"effort":"xhigh","summary":"auto"}`:            {Reasoning: hub.Reasoning{Effort: "xhigh", Summary: "auto"}},
		`"reasoning":{"effort":null,"generate_summary":"detailed"}`:  {Reasoning: hub.Reasoning{Summary: "detailed"}},
		`"reasoning":null,"text":null,"stream":false`:                {},
		`"parallel_tool_calls":false,"stream":true`:                  {Parallel: hub.No, Streamed: true},
		`"parallel_tool_calls":true`:                                 {Parallel: hub.Yes},
		`"think":"low","reasoning":{"summary":"auto"},"model":"a/b"`: {Reasoning: hub.Reasoning{Effort: "low", Think: "low", Summary: "auto"}},
	} {
		r := decoded(t, `{"input":"a",`+members+`}`)
		got := hub.Request{Format: r.Format, Reasoning: r.Reasoning, Parallel: r.Parallel, Streamed: r.Streamed}
		if diff := cmp.Diff(want, got); diff != "" || !r.WantsUsage {
			t.Errorf("%s\n%s", members, diff)
		}
	}
}

func TestDecode_PutsInstructionsFirst(t *testing.T) {
	r := decoded(t, `{"input":[{"role":"developer","content":"b"},{"role":"user","content":"c"}],"instructions":"a"}`)
	want := []hub.Item{{Parts: text("a")}, {Parts: text("b")}, {Role: hub.RoleUser, Parts: text("c")}}
	if diff := cmp.Diff(want, r.Items); diff != "" {
		t.Error(diff)
	}
}
