package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// wholeAnswers plays what hosts of every shape answer whole, by what they are
// asked at.
func wholeAnswers(x *gatewaytest.Exchange) error {
	line := x.Request.Line()
	for path, name := range map[string]string{
		"/chat/completions": "chat whole", "/responses": "responses whole", "/messages": "messages whole", ":generateContent": "gemini whole", "/api/chat": "ollama whole",
	} {
		if strings.Contains(line, path) {
			return kindsNamed(name)[0].says(7, 3)(x)
		}
	}
	return gatewaytest.JSON(404, line)(x)
}

const (
	chatTools     = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	messagesTools = `"tools":[{"name":"f","input_schema":{"type":"object"}}]`
	chatHi        = `"messages":[{"role":"user","content":"hi"}]`
	messagesHi    = `"max_tokens":800,"messages":[{"role":"user","content":"hi"}]`
)

// chosen is a call with tools and what must come of one member upstream.
type chosen struct{ path, members, to, at, want string }

func (c chosen) check(t *testing.T, r *rig, up *gatewaytest.Upstream, key string) {
	t.Helper()
	body := fmt.Sprintf(`{"model":"to-%s",%s}`, c.to, c.members)
	if a := r.post(c.path, key, body); a.Status != 200 {
		t.Errorf("%s to %s: got %d %s", c.members, c.to, a.Status, a.Body)
		return
	}
	if got := lastBody(up).Get(c.at).Raw; got != c.want {
		t.Errorf("%s to %s: %s is %s, want %s", c.members, c.to, c.at, got, c.want)
	}
}

// TestToolChoice_OfParallelCallsIsKept is case B40.
func TestToolChoice_OfParallelCallsIsKept(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	for _, c := range []chosen{
		{"/v1/messages", messagesHi + "," + messagesTools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`, "openai", "parallel_tool_calls", "false"},
		{"/v1/messages", messagesHi + "," + messagesTools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`, "openai-responses", "parallel_tool_calls", "false"},
		{"/v1/messages", messagesHi + "," + messagesTools + `,"tool_choice":{"type":"auto"}`, "openai", "parallel_tool_calls", ""},
		{"/v1/messages", messagesHi + "," + messagesTools, "openai-responses", "parallel_tool_calls", ""},
		{"/v1/chat/completions", chatHi + "," + chatTools + `,"parallel_tool_calls":false`, "anthropic", "tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`},
		{"/v1/chat/completions", chatHi + "," + chatTools, "anthropic", "tool_choice", ""},
		{"/v1/responses", `"input":"hi","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"parallel_tool_calls":false`, "anthropic", "tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`},
	} {
		c.check(t, r, up, key)
	}
}

// TestToolChoice_MeansTheSameInEveryShape is case B51.
func TestToolChoice_MeansTheSameInEveryShape(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	const gemini = "toolConfig.functionCallingConfig"
	var all []chosen
	for _, c := range []struct{ asks, anthropic, responses, gemini string }{
		{`"none"`, `{"type":"none"}`, `"none"`, `{"mode":"NONE"}`},
		{`"auto"`, `{"type":"auto"}`, `"auto"`, `{"mode":"AUTO"}`},
		{`"required"`, `{"type":"any"}`, `"required"`, `{"mode":"ANY"}`},
		{`{"type":"function","function":{"name":"f"}}`, `{"type":"tool","name":"f"}`, `{"type":"function","name":"f"}`, `{"mode":"ANY","allowedFunctionNames":["f"]}`},
	} {
		members := chatHi + "," + chatTools + `,"tool_choice":` + c.asks
		all = append(all,
			chosen{"/v1/chat/completions", members, "anthropic", "tool_choice", c.anthropic},
			chosen{"/v1/chat/completions", members, "openai-responses", "tool_choice", c.responses},
			chosen{"/v1/chat/completions", members, "gemini", gemini, c.gemini})
	}
	for _, c := range []struct{ asks, openai, responses, gemini string }{
		{`{"type":"any"}`, `"required"`, `"required"`, `{"mode":"ANY"}`},
		{`{"type":"none"}`, `"none"`, `"none"`, `{"mode":"NONE"}`},
		{`{"type":"tool","name":"f"}`, `{"type":"function","function":{"name":"f"}}`, `{"type":"function","name":"f"}`, `{"mode":"ANY","allowedFunctionNames":["f"]}`},
	} {
		members := messagesHi + "," + messagesTools + `,"tool_choice":` + c.asks
		all = append(all,
			chosen{"/v1/messages", members, "openai", "tool_choice", c.openai},
			chosen{"/v1/messages", members, "openai-responses", "tool_choice", c.responses},
			chosen{"/v1/messages", members, "gemini", gemini, c.gemini})
	}
	for _, c := range all {
		c.check(t, r, up, key)
	}
}

// Of case B51: no tools are none, and nothing is left to choose.
func TestToolChoice_FromNoToolsIsLeftOut(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	for _, choice := range []string{"", `,"tool_choice":"auto"`, `,"tool_choice":"none","parallel_tool_calls":false`} {
		for _, to := range []string{"anthropic", "openai-responses", "gemini", "ollama"} {
			for _, at := range []string{"tools", "tool_choice", "toolConfig", "parallel_tool_calls"} {
				chosen{"/v1/chat/completions", chatHi + `,"tools":[]` + choice, to, at, ""}.check(t, r, up, key)
			}
		}
	}
}

// TestTranslation_WritesTheSameRequestInTheSameBytes is case B53: what differs
// from one call to the next misses the provider's cache.
func TestTranslation_WritesTheSameRequestInTheSameBytes(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	const schema = `{"type":"object","$defs":{"zebra":{"type":"object","properties":{"y":{"type":"string"},"b":{"$ref":"#/$defs/ant"}}},"ant":{"type":"integer","maximum":9007199254740993}},"properties":{"zulu":{"$ref":"#/$defs/zebra"},"alpha":{"type":"string"},"mike":{"type":"number"}},"required":["zulu","alpha"]}`
	var chat, messages []string
	for i := range 30 {
		name := fmt.Sprintf("tool_%d", (i*7)%30)
		chat = append(chat, `{"type":"function","function":{"name":"`+name+`","description":"d","parameters":`+schema+`}}`)
		messages = append(messages, `{"name":"`+name+`","description":"d","input_schema":`+schema+`}`)
	}
	for _, c := range []struct{ path, members, to, at string }{
		{"/v1/chat/completions", `"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"tools":[` + strings.Join(chat, ",") + "]", "anthropic", "tools.29.input_schema"},
		{"/v1/chat/completions", chatHi + `,"tools":[` + strings.Join(chat, ",") + "]", "openai-responses", "tools.29.parameters"},
		{"/v1/chat/completions", chatHi + `,"tools":[` + strings.Join(chat, ",") + "]", "ollama", "tools.29.function.parameters"},
		{"/v1/messages", messagesHi + `,"system":"s","tools":[` + strings.Join(messages, ",") + "]", "openai", "tools.29.function.parameters"},
		{"/v1/messages", messagesHi + `,"tools":[` + strings.Join(messages, ",") + "]", "gemini", "tools.0.functionDeclarations.29.parametersJsonSchema"},
	} {
		before := len(up.Requests())
		for range 50 {
			chosen{c.path, c.members, c.to, c.at, schema}.check(t, r, up, key)
		}
		all := up.Requests()[before:]
		for _, sent := range all {
			if string(sent.Body) != string(all[0].Body) {
				t.Fatalf("to %s: %s\nand then %s", c.to, all[0].Body, sent.Body)
			}
		}
	}
}
