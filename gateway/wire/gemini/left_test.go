package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

func TestEncode_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	hi := hub.Item{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}
	said := func(role hub.Role, p hub.Part) []hub.Item {
		p.Data, p.MediaType = hub.Text("AA=="), hub.Text("image/png")
		return []hub.Item{{Role: role, Parts: []hub.Part{p}}, hi}
	}
	within := func(most string, r hub.Reasoning) *hub.Request {
		asked := &hub.Request{Items: []hub.Item{hi}, Reasoning: r}
		asked.Set(hub.MaxTokens, "max_tokens", []byte(most))
		return asked
	}
	schema := func(about string) *hub.Request {
		return &hub.Request{Items: []hub.Item{hi}, Format: hub.Format{
			Kind: hub.FormatSchema, Schema: []byte(`{}`), Name: hub.Text("n"), About: hub.Text(about), Strict: hub.Yes,
		}}
	}
	for _, c := range []struct {
		about, want string
		r           *hub.Request
	}{
		{"nothing", "", &hub.Request{Items: []hub.Item{hi}}},
		{"an effort without room", "reasoning.effort", within("512", hub.Reasoning{Effort: "low"})},
		{"an effort that is lowered", "", within("1000", hub.Reasoning{Effort: "high"})},
		{"a budget that is capped", "", within("100000", hub.Reasoning{Budget: 50000})},
		{"an effort beside a budget", "reasoning.effort", within("100000", hub.Reasoning{Effort: "low", Budget: 5000})},
		{"a runner's word", "think", within("512", hub.Reasoning{Effort: "low", Think: "low"})},
		{"no thoughts", "", within("100", hub.Reasoning{Effort: "none"})},
		{"strict", "tools[].strict", &hub.Request{Items: []hub.Item{hi}, Tools: []hub.Tool{{Name: hub.Text("f"), Strict: []byte("true")}}}},
		{"strict that is not", "", &hub.Request{Items: []hub.Item{hi}, Tools: []hub.Tool{{Name: hub.Text("f"), Strict: []byte("false")}}}},
		{"what a schema is for", "json_schema.description", schema("a")},
		{"a schema", "", schema("")},
		{"detail", "image detail", &hub.Request{Items: said(hub.RoleUser, hub.Part{Kind: hub.PartImage, Detail: hub.Text("high")})}},
		{"the usual detail", "", &hub.Request{Items: said(hub.RoleUser, hub.Part{Kind: hub.PartImage, Detail: hub.Text("auto")})}},
		{"a name", "file name", &hub.Request{Items: said(hub.RoleUser, hub.Part{Kind: hub.PartFile, Name: hub.Text("a.pdf")})}},
		{"a picture of the system's", "media in system messages", &hub.Request{Items: said(hub.RoleSystem, hub.Part{Kind: hub.PartImage})}},
	} {
		var left hub.Left
		to := hub.Target{Model: "gemini-3-pro", Left: &left}
		if body := encode(t, c.r, to); body != encode(t, c.r, hub.Target{Model: to.Model}) {
			t.Errorf("%s: another body: %s", c.about, body)
		}
		if got := strings.Join(left.After(nil), ", "); got != c.want {
			t.Errorf("%s: left %q, want %q", c.about, got, c.want)
		}
	}
}
