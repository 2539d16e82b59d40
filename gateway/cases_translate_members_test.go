package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/tidwall/gjson"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// strict answers like an OpenAI-compatible server that refuses members it does not
// know.
func strict(x *gatewaytest.Exchange) error {
	known := " model messages max_tokens max_completion_tokens temperature stream stream_options user stop tools tool_choice parallel_tool_calls reasoning_effort service_tier "
	unknown := ""
	gjson.ParseBytes(x.Request.Body).ForEach(func(name, _ gjson.Result) bool {
		if !strings.Contains(known, " "+name.Str+" ") {
			unknown = name.Str
		}
		return true
	})
	if unknown != "" {
		return gatewaytest.JSON(400, `{"error":{"message":"Unrecognized request argument supplied: `+unknown+`"}}`)(x)
	}
	return wholeAnswers(x)
}

// TestMembers_OfOneShapeAloneStayBehindAndAreNamed is case B47.
func TestMembers_OfOneShapeAloneStayBehindAndAreNamed(t *testing.T) {
	log := &journal{}
	r, up := newTongues(t, func(o *gateway.Options) { o.Log = zerolog.New(log) })
	up.Otherwise(strict)
	key := r.key("k", store.RelayKeySpec{})
	const members = `"model":"to-openai","max_tokens":8000,"top_k":5,"thinking":{"type":"enabled","budget_tokens":2000},"metadata":{"user_id":"u-1"},"service_tier":"auto","mcp_servers":[],"context_management":{"edits":[]},"betas":["x"],` +
		`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]`
	a := r.post("/v1/messages", key, "{"+members+"}", "anthropic-beta: context-management-2025-06-27", "anthropic-version: 2023-06-01")
	dropped := a.Header.Get("X-Relay-Dropped-Params")
	if a.Status != 200 || dropped != "top_k, cache_control, context_management, betas" {
		t.Errorf("got %d, dropped %q: %s", a.Status, dropped, a.Body)
	}
	if n := strings.Count(log.String(), `"dropped":["top_k","cache_control","context_management","betas"]`); n != 1 {
		t.Errorf("told %d times in the log: %s", n, log.String())
	}
	sent := up.Request(0)
	if body := lastBody(up); body.Get("user").Str != "u-1" || body.Get("reasoning_effort").Str != "medium" || len(sent.Header("Anthropic-Beta"))+len(sent.Header("Anthropic-Version")) > 0 {
		t.Errorf("sent %s %s", sent.Head, sent.Body)
	}
}

// Of case B47: what would change the meaning is refused by name.
func TestMembers_ThatChangeTheMeaningAreRefused(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(strict)
	key := r.key("k", store.RelayKeySpec{})
	for param, members := range map[string]string{
		"web_search_20250305": `"tools":[{"type":"web_search_20250305","name":"web_search"}]`,
		"mcp_servers":         `"mcp_servers":[{"type":"url","url":"https://m.test","name":"m"}]`,
		"container":           `"container":"c"`,
	} {
		a := r.post("/v1/messages", key, `{"model":"to-openai",`+messagesHi+","+members+"}")
		if a.Status != 400 || !strings.HasPrefix(a.Body, `{"type":"error","error":{"type":"invalid_request_error","message":"`) {
			t.Errorf("%s: got %d %s", param, a.Status, a.Body)
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d requests went up", n)
	}
}

// TestMembers_TheLimitOfTheOutputIsWhatTheHostNeeds is case B49.
func TestMembers_TheLimitOfTheOutputIsWhatTheHostNeeds(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	const chat, responses, messages = "/v1/chat/completions", "/v1/responses", "/v1/messages"
	for _, c := range []struct {
		most          int64 // of the catalog
		path, members string
		to, want      string
	}{
		{64000, chat, chatHi, "anthropic", `max_tokens:64000`},
		{0, chat, chatHi, "anthropic", `max_tokens:4096`},
		{64000, responses, `"input":"hi"`, "anthropic", `max_tokens:64000`},
		{64000, chat, chatHi + `,"max_tokens":1000,"max_completion_tokens":2000`, "anthropic", `max_tokens:2000`},
		{64000, chat, chatHi + `,"max_tokens":1000`, "anthropic", `max_tokens:1000`},
		{64000, responses, `"input":"hi","max_output_tokens":70`, "anthropic", `max_tokens:70`},
		{0, chat, chatHi + `,"max_tokens":1000,"max_completion_tokens":2000`, "openai-responses", `max_output_tokens:2000`},
		{0, messages, messagesHi, "openai", `max_tokens:800`},
		{0, messages, strings.Replace(messagesHi, "800", "8000", 1) + `,"thinking":{"type":"enabled","budget_tokens":2000}`, "openai", `max_completion_tokens:8000`},
		{0, responses, `"input":"hi","max_output_tokens":70,"reasoning":{"effort":"low"}`, "openai", `max_completion_tokens:70`},
		{0, chat, chatHi, "gemini", ""},
		{0, chat, chatHi + `,"max_tokens":9`, "ollama", "options.num_predict:9"},
	} {
		edit(r, "to-"+c.to, func(m *store.Model) { m.Spec.MaxOutputTokens = c.most })
		if a := r.post(c.path, key, fmt.Sprintf(`{"model":"to-%s",%s}`, c.to, c.members)); a.Status != 200 {
			t.Errorf("%s to %s: got %d %s", c.members, c.to, a.Status, a.Body)
			continue
		}
		if got := limitOf(lastBody(up)); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.members, c.to, got, c.want)
		}
	}
}

// limitOf is the member that limits the output, and any other that does.
func limitOf(sent gjson.Result) string {
	var found []string
	for _, at := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig.maxOutputTokens", "options.num_predict"} {
		if value := sent.Get(at); value.Exists() {
			found = append(found, at+":"+value.Raw)
		}
	}
	return strings.Join(found, " ")
}

// TestMembers_OfALocalRunnerReachIt is case B58: its own options stay as they are
// written, and those of other callers get where they are heeded.
func TestMembers_OfALocalRunnerReachIt(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	const options = `{"num_ctx":16384, "zeta":1,"alpha":0.50,"seed":9007199254740993}`
	for _, c := range []struct{ path, members, at, want string }{
		{"/api/chat", chatHi + `,"stream":false,"options":` + options, "options", options},
		{"/v1/chat/completions", chatHi + `,"options":{"num_ctx":16384}`, "options.num_ctx", "16384"},
		{"/v1/chat/completions", chatHi + `,"num_ctx":16384`, "options.num_ctx", "16384"},
		{"/v1/chat/completions", chatHi + `,"keep_alive":"5m"`, "keep_alive", `"5m"`},
		{"/v1/chat/completions", chatHi + `,"think":false`, "think", "false"},
		{"/v1/chat/completions", chatHi + `,"reasoning_effort":"low"`, "think", `"low"`},
		{"/v1/chat/completions", chatHi + `,"reasoning_effort":"none"`, "think", "false"},
	} {
		chosen{c.path, c.members, "ollama", c.at, c.want}.check(t, r, up, key)
	}
	r.want(r.post("/v1/messages", key, `{"model":"to-ollama",`+messagesHi+"}", `X-Relay-Ollama-Options: {"num_ctx":8192}`), 200, "hello")
	if got := lastBody(up).Get("options.num_ctx").Raw; got != "8192" {
		t.Errorf("num_ctx is %s", got)
	}
	a := r.post("/v1/messages", key, `{"model":"to-ollama",`+messagesHi+"}", `X-Relay-Ollama-Options: {"num_ctx":`)
	if a.Status != 400 || !strings.Contains(a.Body, "X-Relay-Ollama-Options") {
		t.Errorf("options that are no JSON get %d %s", a.Status, a.Body)
	}
}
