package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

func TestEncode_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	part := func(p hub.Part) *hub.Request {
		return &hub.Request{Items: []hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{p}}}}
	}
	image := func(detail string) *hub.Request {
		return part(hub.Part{Kind: hub.PartImage, URL: hub.Text("https://e.test/a.png"), Detail: hub.Text(detail)})
	}
	tier := func(word string) *hub.Request {
		r := &hub.Request{}
		r.Set(hub.ServiceTier, "serviceTier", []byte(word))
		return r
	}
	reasoning := func(r hub.Reasoning) *hub.Request { return &hub.Request{Reasoning: r} }
	extension := []hub.Extension{{Shape: "openai", Object: []byte(`{"n":2,"top_k":1}`)}}
	for _, c := range []struct {
		about, want string
		r           *hub.Request
	}{
		{"nothing", "", reasoning(hub.Reasoning{Effort: "max"})},
		{"as many thoughts as the model likes", "reasoning.budget_tokens", reasoning(hub.Reasoning{Budget: -1})},
		{"that in a runner's word", "think", reasoning(hub.Reasoning{Budget: -1, Think: "true"})},
		{"that beside an effort", "", reasoning(hub.Reasoning{Budget: -1, Effort: "high"})},
		{"a budget", "", reasoning(hub.Reasoning{Budget: 5000})},
		{"a budget beside an effort", "reasoning.budget_tokens", reasoning(hub.Reasoning{Budget: 5000, Effort: "low"})},
		{"a tier that is another's", "serviceTier", tier(`"batch"`)},
		{"the usual tier", "", tier(`"auto"`)},
		{"a tier", "", tier(`"standard_only"`)},
		{"a failure", "is_error", &hub.Request{Items: []hub.Item{{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("a")}, Failed: true}}}},
		{"detail", "", image("low")},
		{"detail that is another's", "image detail", image("original")},
		{"the name of a document by id", "file name", part(hub.Part{Kind: hub.PartFile, FileID: hub.Text("file-1"), Name: hub.Text("a.pdf")})},
		{"what Relay decides", "extensions.openai.n", &hub.Request{Extensions: extension}},
	} {
		c.r.Items = append([]hub.Item{{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}}, c.r.Items...)
		var left hub.Left
		body, _ := encode(t, c.r, hub.Target{Model: "up", Left: &left})
		if unasked, _ := encode(t, c.r, hub.Target{Model: "up"}); body != unasked {
			t.Errorf("%s: another body: %s", c.about, body)
		}
		if got := strings.Join(left.After(nil), ", "); got != c.want {
			t.Errorf("%s: left %q, want %q", c.about, got, c.want)
		}
	}
}
