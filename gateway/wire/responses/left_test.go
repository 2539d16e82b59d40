package responses_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

func TestEncode_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	file := func(p hub.Part) *hub.Request {
		p.Kind = hub.PartFile
		return &hub.Request{Items: []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{p}}}}
	}
	reasoning := func(r hub.Reasoning) *hub.Request { return &hub.Request{Reasoning: r} }
	short := &hub.Request{}
	short.Set(hub.MaxTokens, "max_tokens", []byte("1"))
	name := hub.Text("a.pdf")
	for _, c := range []struct {
		about, want string
		r           *hub.Request
	}{
		{"nothing", "", reasoning(hub.Reasoning{Budget: 5000, Summary: "none"})},
		{"a limit that is raised", "", short},
		{"as many thoughts as the model likes", "reasoning.budget_tokens", reasoning(hub.Reasoning{Budget: -1})},
		{"that in a runner's word", "think", reasoning(hub.Reasoning{Budget: -1, Think: "true"})},
		{"that beside an effort", "", reasoning(hub.Reasoning{Budget: -1, Effort: "high"})},
		{"a budget beside an effort", "reasoning.budget_tokens", reasoning(hub.Reasoning{Budget: 5000, Effort: "low"})},
		{"a failure", "is_error", &hub.Request{Items: []hub.Item{{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("a")}, Failed: true}}}},
		{"a document's name", "", file(hub.Part{Name: name, Data: hub.Text("AA=="), MediaType: hub.Text("application/pdf")})},
		{"that of one by address", "file name", file(hub.Part{Name: name, URL: hub.Text("https://e.test/a")})},
		{"that of one by id", "file name", file(hub.Part{Name: name, FileID: hub.Text("file-1")})},
	} {
		c.r.Items = append([]hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}}, c.r.Items...)
		var left hub.Left
		if body := encoded(t, c.r, hub.Target{Model: "up", Left: &left}); body != encoded(t, c.r, hub.Target{Model: "up"}) {
			t.Errorf("%s: another body: %s", c.about, body)
		}
		if got := strings.Join(left.After(nil), ", "); got != c.want {
			t.Errorf("%s: left %q, want %q", c.about, got, c.want)
		}
	}
}
