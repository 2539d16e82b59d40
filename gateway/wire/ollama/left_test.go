package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

func TestEncode_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	strict := []hub.Tool{{Name: hub.Text("f"), Strict: []byte("true")}}
	image := hub.Item{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartImage, Data: hub.Text("AA=="), Detail: hub.Text("low")}}}
	failed := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("a")}, Failed: true}
	schema := hub.Format{Kind: hub.FormatSchema, Schema: []byte(`{}`), About: hub.Text("a"), Strict: hub.Yes}
	cut := &hub.Request{}
	cut.Set(hub.Truncation, "truncation", []byte(`"middle"`))
	for _, c := range []struct {
		about, want string
		r           *hub.Request
	}{
		{"nothing", "", &hub.Request{Reasoning: hub.Reasoning{Effort: "max", Summary: "auto"}}},
		{"strict", "tools[].strict", &hub.Request{Tools: strict}},
		{"tools of which none may be called", "tools", &hub.Request{Tools: strict, Choice: hub.Choice{Mode: hub.ChoiceNone}}},
		{"no tools", "", &hub.Request{Choice: hub.Choice{Mode: hub.ChoiceNone}}},
		{"what a schema is for", "json_schema.description", &hub.Request{Format: schema}},
		{"as many thoughts as the model likes", "reasoning.budget_tokens", &hub.Request{Reasoning: hub.Reasoning{Budget: -1}}},
		{"that in its own word", "", &hub.Request{Reasoning: hub.Reasoning{Budget: -1, Think: "true"}}},
		{"a budget", "", &hub.Request{Reasoning: hub.Reasoning{Budget: 5000}}},
		{"an effort beside it", "reasoning.effort", &hub.Request{Reasoning: hub.Reasoning{Budget: 5000, Effort: "low"}}},
		{"thoughts that are not to be told", "reasoning.summary", &hub.Request{Reasoning: hub.Reasoning{Effort: "low", Summary: "none"}}},
		{"no thoughts", "", &hub.Request{Reasoning: hub.Reasoning{Effort: "none", Summary: "none"}}},
		{"a way to cut", "truncation", cut},
		{"a failure", "is_error", &hub.Request{Items: []hub.Item{failed}}},
		{"detail", "image detail", &hub.Request{Items: []hub.Item{image}}},
	} {
		c.r.Items = append([]hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}}, c.r.Items...)
		var left hub.Left
		body, err := ollama.Hub{}.Encode(nil, c.r, hub.Target{Model: target.Model, Left: &left})
		if err != nil || string(body) != encoded(t, c.r) {
			t.Errorf("%s: another body: %v %s", c.about, err, body)
		}
		if got := strings.Join(left.After(nil), ", "); got != c.want {
			t.Errorf("%s: left %q, want %q", c.about, got, c.want)
		}
	}
}
