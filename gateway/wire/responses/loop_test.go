package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

// strict is an upstream that refuses what OpenAI refuses.
func strict(t *testing.T, body string) {
	t.Helper()
	var b struct {
		Input   []map[string]json.RawMessage
		Include []string
		Store   *bool
		Stop    any
		TopK    any `json:"top_k"`
		Seed    any
	}
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if b.Store == nil || *b.Store || len(b.Include) != 1 || b.Include[0] != "reasoning.encrypted_content" || b.Stop != nil || b.TopK != nil || b.Seed != nil {
		t.Errorf("it does not work without state: %s", body)
	}
	for i, item := range b.Input {
		if item["status"] != nil || item["type"] == nil {
			t.Errorf("input[%d] is an item of an answer: %s", i, body)
		}
		if string(item["type"]) != `"reasoning"` {
			continue
		}
		if i+1 == len(b.Input) || string(b.Input[i+1]["type"]) != `"function_call"` {
			t.Errorf("input[%d] leads to nothing: %s", i, body)
		}
		strictThought(t, item)
	}
}

func strictThought(t *testing.T, item map[string]json.RawMessage) {
	t.Helper()
	var summary []struct{ Type, Text string }
	if err := json.Unmarshal(item["summary"], &summary); err != nil || item["encrypted_content"] == nil || item["id"] == nil {
		t.Errorf("reasoning %s: %v", item, err)
	}
	for _, part := range summary {
		if part.Type != "summary_text" || part.Text == "" {
			t.Errorf("reasoning has the part %+v", part)
		}
	}
}

// TestLoop_OfTwoTurnsKeepsReasoningBeforeItsCall is a caller of another shape, who
// sends the answer back as it came.
func TestLoop_OfTwoTurnsKeepsReasoningBeforeItsCall(t *testing.T) {
	ask := &hub.Request{
		Items: []hub.Item{system("be"), user("add")}, Tools: []hub.Tool{{Name: hub.Text("f"), Parameters: []byte(`{"type":"object"}`)}},
		Parallel: hub.No, Reasoning: hub.Reasoning{Effort: "low"},
	}
	ask.Set(hub.TopK, "top_k", []byte("3"))
	ask.Set(hub.Seed, "seed", []byte("3"))
	to := hub.Target{Model: "up", Provider: "openai", Streamed: true}
	strict(t, encoded(t, ask, to))
	stream := item("0", reasoned, thoughts) + item("2", called, arguments) + named("response.completed", `,"response":{"status":"completed"}`)
	answer := played(t, ask, stream)
	if answer.Reason != hub.ReasonCalls {
		t.Errorf("reason %d", answer.Reason)
	}
	ask.Items = append(append(ask.Items, answer.Items...), result("call_1", "42"))
	second := encoded(t, ask, to)
	strict(t, second)
	if !strings.Contains(second, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"one\n\ntwo"}],"encrypted_content":"ENC"},{"type":"function_call","call_id":"call_1"`) {
		t.Error(second)
	}
	if !strings.Contains(second, `"parallel_tool_calls":false`) {
		t.Error(second)
	}
}

// TestLoop_OfACallerReturnsWhatItGot is a caller of this shape whose upstream
// speaks another one: turn after turn it sends back what Append has written.
func TestLoop_OfACallerReturnsWhatItGot(t *testing.T) {
	signature := hub.Opaque{Shape: "anthropic", Provider: "a", ID: hub.Text{}, Data: hub.Text("SIG==")}
	redacted := hub.Opaque{Shape: "anthropic", Provider: "a", Kind: hub.OpaqueRedacted, ID: hub.Text{}, Data: hub.Text("RED==")}
	ofCall := hub.Opaque{Shape: "gemini", Provider: "g", Data: hub.Text("GS")}
	stream, _ := tell(t, `{"input":"a"}`,
		delta(hub.PartReasoning, 0, `t \"1\"`), opaque(hub.PartReasoning, 0, signature), opaque(hub.PartReasoning, 1, redacted),
		begins(0, hub.Call{Name: hub.Text("f")}), opaque(hub.PartCall, 0, ofCall), delta(hub.PartCall, 0, "{}"), ends(0), finish(hub.ReasonStop))
	events := eventsOf(stream)
	var end struct {
		Response struct{ Output json.RawMessage }
	}
	if err := json.Unmarshal(events[len(events)-1].Data, &end); err != nil {
		t.Fatal(err)
	}
	output := strings.TrimSuffix(string(end.Response.Output), "]")
	r := decoded(t, `{"input":`+output+`,{"type":"function_call_output","call_id":"call_ID_1","output":"42"}]}`)
	if len(r.Items) != 4 {
		t.Fatalf("items are %+v", r.Items)
	}
	for i, want := range []hub.Opaque{signature, redacted, ofCall} {
		if o := r.Items[i].Opaque; o.Shape != want.Shape || o.Provider != want.Provider || o.Kind != want.Kind || !o.Data.Is(want.Data.String()) {
			t.Errorf("item %d has %+v", i, o)
		}
	}
	if !r.Items[0].Text.Is(`t "1"`) || r.Items[2].Kind != hub.ItemCall {
		t.Errorf("items are %+v", r.Items)
	}
}

// TestEncode_WritesTheSameBytesEveryTime keeps prefixes that a cache knows: 30
// tools, whose members are in no order of the alphabet.
func TestEncode_WritesTheSameBytesEveryTime(t *testing.T) {
	schema := `{"type":"object","$defs":{"z":{"type":"string","a":1},"b":{}},"properties":{"y":{"$ref":"#/$defs/z"},"c":{"maximum":9007199254740993}},"required":["y"]}`
	var tools []string
	for i := range 30 {
		tools = append(tools, fmt.Sprintf(`{"type":"function","parameters":%s,"name":"f%d","description":"d"}`, schema, i))
	}
	body := `{"model":"m","input":[{"role":"system","content":"s"},{"role":"user","content":"a"}],"tools":[` + strings.Join(tools, ",") + `]}`
	first := encoded(t, decoded(t, body), hub.Target{Model: "up"})
	if strings.Count(first, `"parameters":`+schema) != 30 {
		t.Errorf("schemas have changed: %s", first)
	}
	for range 50 {
		if next := encoded(t, decoded(t, body), hub.Target{Model: "up"}); next != first {
			t.Fatalf("%s\n%s", first, next)
		}
	}
}

// TestDecode_TakesWhatCodexSends is codex 0.171 with a provider of its own: a
// namespace, and a search of the web that reaches nothing outside.
func TestDecode_TakesWhatCodexSends(t *testing.T) {
	r := decoded(t, `{"model":"m","input":[{"type":"message","id":"msg_1","role":"developer","content":[{"type":"input_text","text":"You are a coding agent"}]},
		{"type":"message","id":"msg_2","role":"user","content":[{"type":"input_text","text":"hi"}]}],
		"tools":[{"type":"function","name":"exec_command","description":"d","strict":false,"parameters":{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"],"additionalProperties":false}},
		{"type":"namespace","name":"multi_agent_v1","description":"Tools for spawning and managing sub-agents.","tools":[{"type":"function","name":"wait_agent","description":"w","strict":false,"parameters":{"type":"object"}}]},
		{"type":"web_search","external_web_access":false}],"tool_choice":"auto","parallel_tool_calls":true,"reasoning":{"summary":"auto"},"store":false,"stream":true,
		"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","client_metadata":{"session_id":"s"}}`)
	dropped, err := r.Check("anthropic", &hub.Fates{hub.ServerTools: hub.Refused, hub.CustomTools: hub.Refused})
	if err != nil || strings.Join(dropped, " ") != "client_metadata web_search" {
		t.Errorf("dropped %q: %v", dropped, err)
	}
	flat := r.Unflat(hub.Text("c"), hub.Text("multi_agent_v1__wait_agent"))
	if len(r.Tools) != 2 || !flat.Namespace.Is("multi_agent_v1") || !flat.Name.Is("wait_agent") {
		t.Errorf("tools %+v, call %+v", r.Tools, flat)
	}
	if r.Items[0].Role != hub.RoleSystem || !r.Streamed {
		t.Errorf("items are %+v", r.Items)
	}
}

// TestDecode_StaysQuickWithHostileBodies: nothing in a body makes others be looked
// at again and again.
func TestDecode_StaysQuickWithHostileBodies(t *testing.T) {
	const many = 20_000
	o := hub.Opaque{Shape: "gemini", ID: hub.Text("absent"), Data: hub.Text("GS")}
	for name, body := range map[string]string{
		"seals without calls": `{"input":[` + strings.Repeat(`{"type":"reasoning","summary":[],"encrypted_content":"`+string(o.Seal())+`"},`, many) + `{"role":"user","content":"a"}]}`,
		"results":             `{"input":[` + strings.Repeat(`{"type":"custom_tool_call","call_id":"c","name":"f","input":""},{"type":"function_call_output","call_id":"d","output":""},`, many/4) + `{"role":"user","content":"a"}]}`,
		"unknown members":     `{"input":"a"` + numbered(many, `,"x%d":1`) + `}`,
		"echoed members":      `{"input":"a"` + strings.Repeat(`,"user":"u"`, many) + `}`,
		"texts":               `{"input":[{"type":"reasoning","summary":[` + strings.Repeat(`{"text":"a"},`, many) + `{"text":"b"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := decoded(t, body)
			if _, err := (responses.Hub{}).Encode(nil, r, hub.Target{Model: "up"}); err != nil || len(r.Unknown) > 64 {
				t.Errorf("%d unknown: %v", len(r.Unknown), err)
			}
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
