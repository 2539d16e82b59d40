package messages_test

import (
	"bytes"
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

func TestEncode_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	const thinks = `"thinking":{"type":"enabled","budget_tokens":2000}`
	const called = `[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","is_error":true}]}]`
	const begun = `[{"role":"user","content":"hi"},{"role":"assistant","content":"So"}]`
	const marked = `[{"role":"user","content":[{"type":"text","text":" ","cache_control":{"type":"ephemeral"}},{"type":"text","text":"hi"}]}]`
	const tool = `"tools":[{"name":"f","input_schema":{"type":"object"}}]`
	for _, c := range []struct{ about, messages, more, want string }{
		{"nothing", hi, `"temperature":0.5,"top_p":0.5,"top_k":5,"stop_sequences":["a"]`, ""},
		{"a clamp", hi, `"temperature":1.5`, ""},
		{"beside thinking", hi, thinks + `,"temperature":0.5,"top_p":0.5,"top_k":5`, "temperature, top_p, top_k"},
		{"what is so anyway", hi, thinks + `,"temperature":1,"top_p":0.97`, ""},
		{"thinking beside a forced tool", hi, thinks + "," + tool + `,"tool_choice":{"type":"any"}`, "reasoning"},
		{"thinking of an answer that is begun", begun, thinks, "reasoning"},
		{"thinking within unsigned calls", called, thinks, "reasoning"},
		{"no thinking within unsigned calls", called, tool, ""},
		{"an effort beside a budget", hi, thinks + `,"output_config":{"effort":"high"}`, "reasoning.effort"},
		{"thoughts that are not to be told", hi, `"thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}`, "reasoning.summary"},
		{"a blank stop", hi, `"stop_sequences":["a"," "]`, "stop_sequences"},
		{"strict", hi, `"tools":[{"name":"f","strict":true,"input_schema":{"type":"object"}},{"name":"g","strict":true,"input_schema":{"type":"object"}}]`, "tools[].strict"},
		{"strict that is not", hi, `"tools":[{"name":"f","strict":false,"input_schema":{"type":"object"}}]`, ""},
		{"a mark on a blank text", marked, tool, "cache_control"},
	} {
		if got := leftOf(t, asked(t, c.messages, c.more), to); got != c.want {
			t.Errorf("%s: left %q, want %q", c.about, got, c.want)
		}
	}
}

func TestEncode_NamesWhatCallersOfOtherShapesLose(t *testing.T) {
	text := []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}}
	image := []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, Data: hub.Text("AA=="), MediaType: hub.Text("image/png"), Detail: hub.Text("low")}}}}
	auto := []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, Data: hub.Text("AA=="), MediaType: hub.Text("image/png"), Detail: hub.Text("auto")}}}}
	format := hub.Format{Kind: hub.FormatSchema, Schema: []byte(`{"type":"object"}`), About: hub.Text("a"), Strict: hub.Yes}
	small := hub.Request{Items: text, Reasoning: hub.Reasoning{Effort: "low"}}
	small.Set(hub.MaxTokens, "max_tokens", []byte("1024"))
	think := small
	think.Reasoning.Think = "low"
	for want, r := range map[string]*hub.Request{
		"image detail":            {Items: image},
		"":                        {Items: auto},
		"json_schema.strict":      {Items: text, Format: format},
		"json_schema.description": {Items: text, Format: format, Tools: []hub.Tool{{Name: hub.Text("f")}}},
		"reasoning":               &small,
		"think":                   &think,
		"extensions.anthropic.messages": {Items: text, Extensions: []hub.Extension{
			{Shape: "anthropic", Object: []byte(`{"messages":[],"betas":[]}`)},
		}},
	} {
		if got := leftOf(t, r, to); got != want {
			t.Errorf("left %q, want %q", got, want)
		}
	}
	twice := &hub.Request{Items: text, Reasoning: hub.Reasoning{Effort: "low", Budget: 5000}}
	if got := leftOf(t, twice, hub.Target{Model: "claude-opus-4-7"}); got != "reasoning.budget_tokens" {
		t.Errorf("beside an effort: left %q", got)
	}
}

// leftOf returns what Encode leaves out; what it writes is the same for who does not
// ask.
func leftOf(t *testing.T, r *hub.Request, to hub.Target) string {
	t.Helper()
	unasked, err := messages.Hub{}.Encode(nil, r, to)
	if err != nil {
		t.Fatal(err)
	}
	to.Left = &hub.Left{}
	if body, err := (messages.Hub{}).Encode(nil, r, to); err != nil || !bytes.Equal(body, unasked) {
		t.Errorf("%v: %s\n%s", err, body, unasked)
	}
	return strings.Join(to.Left.After(nil), ", ")
}
