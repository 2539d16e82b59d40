package messages_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestEncode_AsksForThinking(t *testing.T) {
	const adaptive = `{"type":"adaptive"}`
	budget := func(n string) string { return `{"type":"enabled","budget_tokens":` + n + `}` }
	for name, test := range map[string]struct {
		reasoning    hub.Reasoning
		model, most  string
		want, config string
	}{
		"nothing said":           {hub.Reasoning{}, "m", "50000", "", ""},
		"none":                   {hub.Reasoning{Effort: "none"}, "m", "50000", "", ""},
		"a summary alone":        {hub.Reasoning{Summary: "auto"}, "m", "50000", "", ""},
		"minimal":                {hub.Reasoning{Effort: "minimal"}, "m", "50000", budget("1024"), ""},
		"low":                    {hub.Reasoning{Effort: "low"}, "m", "50000", budget("1024"), ""},
		"medium":                 {hub.Reasoning{Effort: "medium"}, "m", "50000", budget("4096"), ""},
		"high":                   {hub.Reasoning{Effort: "high"}, "m", "50000", budget("16384"), ""},
		"xhigh":                  {hub.Reasoning{Effort: "xhigh"}, "m", "50000", budget("32768"), ""},
		"high in little room":    {hub.Reasoning{Effort: "high"}, "m", "9000", budget("4500"), ""},
		"low in little room":     {hub.Reasoning{Effort: "low"}, "m", "1025", budget("1024"), ""},
		"no room":                {hub.Reasoning{Effort: "low"}, "m", "1024", "", ""},
		"a budget":               {hub.Reasoning{Budget: 2000}, "m", "50000", budget("2000"), ""},
		"a small budget":         {hub.Reasoning{Budget: 5}, "m", "50000", budget("1024"), ""},
		"a budget of all":        {hub.Reasoning{Budget: 9000}, "m", "9000", budget("8999"), ""},
		"as the model likes":     {hub.Reasoning{Budget: -1, Effort: "high"}, "m", "9000", adaptive, `{"effort":"high"}`},
		"without an effort":      {hub.Reasoning{Budget: -1}, "claude-opus-4-6", "9000", adaptive, ""},
		"to an older Claude":     {hub.Reasoning{Budget: -1}, "claude-sonnet-4-5-20250929", "9000", budget("4096"), ""},
		"to an old Claude":       {hub.Reasoning{Effort: "low"}, "claude-3-7-sonnet-20250219", "9000", budget("1024"), ""},
		"to a newer Claude":      {hub.Reasoning{Effort: "minimal", Summary: "auto"}, "anthropic.claude-opus-4-7-v1:0", "9000", `{"type":"adaptive","display":"summarized"}`, `{"effort":"low"}`},
		"to a Claude 5":          {hub.Reasoning{Budget: 4000, Summary: "none"}, "claude-sonnet-5", "9000", adaptive, `{"effort":"medium"}`},
		"a large budget there":   {hub.Reasoning{Budget: 5000}, "claude-opus-4.10@20260101", "9000", adaptive, `{"effort":"high"}`},
		"a small budget there":   {hub.Reasoning{Budget: 1024}, "claude-opus-4-8", "9000", adaptive, `{"effort":"low"}`},
		"to a Claude 4.6, words": {hub.Reasoning{Effort: "medium"}, "claude-opus-4-6", "9000", budget("4096"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &hub.Request{Items: []hub.Item{user}, Reasoning: test.reasoning}
			r.Set(hub.MaxTokens, "max_tokens", []byte(test.most))
			body := sent(t, r, hub.Target{Model: test.model})
			sameJSON(t, "thinking", body["thinking"], test.want)
			sameJSON(t, "the effort", body["output_config"], test.config)
		})
	}
}

func TestEncode_LeavesThinkingOutWhereItIsRefused(t *testing.T) {
	tools := []hub.Tool{{Name: hub.Text("f")}}
	foreign := thought("hm", "gemini", "acme", "S")
	done := result("c1")
	for name, test := range map[string]struct {
		r      hub.Request
		thinks bool
	}{
		"a tool must be called":      {hub.Request{Tools: tools, Choice: hub.Choice{Mode: hub.ChoiceRequired}, Items: []hub.Item{user}}, false},
		"one tool must be called":    {hub.Request{Tools: tools, Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: hub.Text("f")}, Items: []hub.Item{user}}, false},
		"no tool must be called":     {hub.Request{Tools: tools, Choice: hub.Choice{Mode: hub.ChoiceAuto}, Items: []hub.Item{user}}, true},
		"the answer is begun":        {hub.Request{Items: []hub.Item{user, assistant}}, false},
		"a call with a thought":      {hub.Request{Tools: tools, Items: []hub.Item{user, signed, call("c1", "f", ""), done}}, true},
		"a call without one":         {hub.Request{Tools: tools, Items: []hub.Item{user, call("c1", "f", ""), done}}, false},
		"a call with another's":      {hub.Request{Tools: tools, Items: []hub.Item{user, foreign, call("c1", "f", ""), done}}, false},
		"a thought behind words":     {hub.Request{Tools: tools, Items: []hub.Item{user, assistant, signed, call("c1", "f", ""), done}}, false},
		"the first call of several":  {hub.Request{Tools: tools, Items: []hub.Item{user, signed, call("c1", "f", ""), done, call("c2", "f", ""), result("c2")}}, true},
		"and a text besides":         {hub.Request{Tools: tools, Items: []hub.Item{user, call("c1", "f", ""), done, user}}, false},
		"an earlier call, answered":  {hub.Request{Tools: tools, Items: []hub.Item{user, call("c1", "f", ""), done, assistant, user}}, true},
		"a call before, one without": {hub.Request{Tools: tools, Items: []hub.Item{user, signed, call("c1", "f", ""), done, assistant, user, call("c2", "f", ""), result("c2")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			test.r.Reasoning.Effort = "low"
			if _, thinks := sent(t, &test.r, to)["thinking"]; thinks != test.thinks {
				t.Errorf("it thinks: %v", thinks)
			}
		})
	}
}

func TestEncode_LeavesSamplingOutBesideThinking(t *testing.T) {
	for top, want := range map[string]string{"0.95": "0.95", "0.9": ""} {
		r := asked(t, hi, `"temperature":0.5,"top_k":5,"thinking":{"type":"enabled","budget_tokens":2000},"top_p":`+top)
		body := sent(t, r, to)
		sameJSON(t, "temperature", body["temperature"], "")
		sameJSON(t, "top_k", body["top_k"], "")
		sameJSON(t, "top_p", body["top_p"], want)
	}
}
