package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

func TestPromptCache_MarksWhatGoesToAnthropicWhereTheBindingSaysSo(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	answer := kindsNamed("messages whole")[0].says(5, 5)
	for name, c := range map[string]struct {
		path, body string
		auto       string
		marks      int
	}{
		"its own shape":         {"/v1/messages", `{"model":"to-anthropic","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"hi"}]}`, "auto", 2},
		"translated":            {"/v1/chat/completions", `{"model":"to-anthropic","max_tokens":9,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`, "auto", 3},
		"marked by its caller":  {"/v1/messages", `{"model":"to-anthropic","max_tokens":9,"system":[{"type":"text","text":"be brief",` + mark + `}],"messages":[{"role":"user","content":"hi"}]}`, "auto", 1},
		"switched off":          {"/v1/messages", `{"model":"to-anthropic","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"hi"}]}`, "off", 0},
		"not said":              {"/v1/messages", `{"model":"to-anthropic","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"hi"}]}`, "", 0},
		"tokens that are asked": {"/v1/messages/count_tokens", `{"model":"to-anthropic","system":"be brief","messages":[{"role":"user","content":"hi"}]}`, "auto", 0},
	} {
		r, up := newTongues(t)
		edit(r, "to-anthropic-anthropic", func(b *store.HostBinding) { b.Spec.PromptCache = c.auto })
		key := r.key("k", store.RelayKeySpec{})
		up.Play(answer)
		if strings.HasSuffix(c.path, "count_tokens") {
			up.Otherwise(gatewaytest.JSON(200, `{"input_tokens":9}`))
		}
		r.want(r.post(c.path, key, c.body), 200, "")
		sent := string(up.Request(0).Body)
		if n := strings.Count(sent, mark); n != c.marks {
			t.Errorf("%s: %d marks in %s, want %d", name, n, sent, c.marks)
		}
		if plain := strings.ReplaceAll(sent, ","+mark, ""); c.path == "/v1/messages" && c.marks != 1 && !strings.Contains(plain, "be brief") {
			t.Errorf("%s: sent %s", name, sent)
		}
	}
}
