package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// thoughtful is what Claude says with thoughts, as content and as the events of a
// stream.
const thoughtful = `[{"type":"thinking","thinking":"t","signature":"SIG=="},{"type":"redacted_thinking","data":"RED+/=="},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1,"a":2}}]`

func thoughtfulMessage() gatewaytest.Script {
	return gatewaytest.JSON(200, `{"id":"m","type":"message","role":"assistant","model":"m","content":`+thoughtful+`,"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":3}}`)
}

func thoughtfulEvents() gatewaytest.Script {
	var all []string
	for i, part := range []string{
		`{"type":"thinking","thinking":"","signature":""}|{"type":"thinking_delta","thinking":"t"}|{"type":"signature_delta","signature":"SIG=="}`,
		`{"type":"redacted_thinking","data":"RED+/=="}`,
		`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}|{"type":"input_json_delta","partial_json":"{\"b\":1,"}|{"type":"input_json_delta","partial_json":"\"a\":2}"}`,
	} {
		for j, piece := range strings.Split(part, "|") {
			name, member := "content_block_delta", "delta"
			if j == 0 {
				name, member = "content_block_start", "content_block"
			}
			all = append(all, fmt.Sprintf("event: %s\ndata: {\"type\":\"%s\",\"index\":%d,\"%s\":%s}\n\n", name, name, i, member, piece))
		}
		all = append(all, fmt.Sprintf("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":%d}\n\n", i))
	}
	all = append([]string{messagesEvents(7, 3)[0]}, all...)
	return gatewaytest.Stream(append(all, strings.Replace(messagesEvents(7, 3)[2], "end_turn", "tool_use", 1), messageStop)...)
}

// TestThoughts_OfClaudeComeBackByteForByte is case B43: what an OpenAI-shaped
// client has been given, whole or streamed, it sends back as its SDK does.
func TestThoughts_OfClaudeComeBackByteForByte(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		r, up := newTongues(t)
		key := r.key("k", store.RelayKeySpec{})
		body := `{"model":"to-anthropic","reasoning_effort":"low",` + chatTools + `,"messages":[{"role":"user","content":"hi"}`
		var said string
		if streamed {
			up.Play(thoughtfulEvents())
			said = accumulated(t, r.call(key, body+`],"stream":true}`).Body)
		} else {
			up.Play(thoughtfulMessage())
			said = gjson.Get(r.call(key, body+`]}`).Body, "choices.0.message").Raw
		}
		up.Play(kindsNamed("messages whole")[0].says(7, 3))
		r.want(r.call(key, body+`,`+said+`,{"role":"tool","tool_call_id":"toolu_1","content":"42"}]}`), 200, "hello")
		if got := lastBody(up).Get("messages.1.content").Raw; got != thoughtful {
			t.Errorf("streamed %v: of %s went up %s", streamed, said, got)
		}
		if got := lastBody(up).Get("messages.2.content.0.tool_use_id").Str; got != "toolu_1" {
			t.Errorf("streamed %v: the result is of %q", streamed, got)
		}
		up.Play(kindsNamed("messages whole")[0].says(7, 3)) // thoughts that nobody has signed
		unsigned := strings.ReplaceAll(said, "reasoning_details", "x_details")
		r.want(r.call(key, body+`,`+unsigned+`,{"role":"tool","tool_call_id":"toolu_1","content":"42"}]}`), 200, "hello")
		if sent := lastBody(up); sent.Get("messages.1.content.#").Int() != 1 || sent.Get("thinking").Exists() {
			t.Errorf("streamed %v: without signatures went up %s", streamed, sent)
		}
	}
}

// accumulated is the message that an OpenAI SDK makes of a stream.
func accumulated(t *testing.T, stream string) string {
	t.Helper()
	var thoughts string
	var details []string
	for _, event := range readEvents(stream) {
		delta := gjson.Get(strings.TrimSpace(event), "choices.0.delta")
		thoughts += delta.Get("reasoning_content").Str
		for _, d := range delta.Get("reasoning_details").Array() {
			details = append(details, d.Raw)
		}
	}
	var calls []string
	all, _ := callsOf(t, stream)
	for _, c := range all {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, c.id, c.name, c.text))
	}
	return fmt.Sprintf(`{"role":"assistant","content":null,"reasoning_content":%q,"reasoning_details":[%s],"tool_calls":[%s]}`, thoughts, strings.Join(details, ","), strings.Join(calls, ","))
}

// Of cases B43 and B45: a client of messages keeps what others think, and what they
// want back, in blocks of thinking.
func TestThoughts_OfOthersAreBlocksOfThinkingAndComeBack(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(gatewaytest.Stream(
		gatewaytest.Data(`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}]}`),
		gatewaytest.Data(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1}},"thoughtSignature":"R1M="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":1,"thoughtsTokenCount":2}}`)))
	a := r.ask(kindsNamed("messages stream")[0].of("to-gemini"), key)
	blocks, reason := blocksOf(t, a.Body)
	if len(blocks) != 3 || blocks[0].kind != "thinking" || blocks[0].text != "hm" || reason != "tool_use" {
		t.Fatalf("got %+v, %s of %s", blocks, reason, a.Body)
	}
	if e := r.events(1)[0]; e.Tokens.Output != 3 || e.Tokens.Reasoning != 2 {
		t.Errorf("recorded %+v", e.Tokens)
	}
	var said []string
	id := ""
	for _, b := range blocks {
		switch b.kind {
		case "thinking":
			said = append(said, fmt.Sprintf(`{"type":"thinking","thinking":%q,"signature":%q}`, b.text, b.signature))
		case "redacted_thinking":
			said = append(said, fmt.Sprintf(`{"type":"redacted_thinking","data":%q}`, b.signature))
		case "tool_use":
			id = b.id
			said = append(said, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, b.id, b.name, b.text))
		}
	}
	up.Play(kindsNamed("gemini whole")[0].says(7, 3))
	r.want(r.post("/v1/messages", key, `{"model":"to-gemini","max_tokens":800,`+messagesTools+`,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[`+strings.Join(said, ",")+
		fmt.Sprintf(`]},{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"42"}]}]}`, id)), 200, "hello")
	if parts := lastBody(up).Get("contents.1.parts"); parts.Get(`#(functionCall.name=="f").thoughtSignature`).Str != "R1M=" || parts.Get("#(thoughtSignature)#|#").Int() != 1 {
		t.Errorf("of %s went up %s", said, lastBody(up))
	}
}

// TestThoughts_GeminisSignaturesComeBackWhereTheyWere is case B45.
func TestThoughts_GeminisSignaturesComeBackWhereTheyWere(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	body := `{"model":"to-gemini",` + chatTools + `,"messages":[{"role":"user","content":"hi"}`
	const parts = `{"functionCall":{"name":"f","args":{"n":1}},"thoughtSignature":"R1M="},{"functionCall":{"name":"f","args":{"n":2}}}`
	answer := `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"finishReason":"STOP"}]}`
	for _, streamed := range []bool{false, true} {
		var said string
		if streamed {
			up.Play(gatewaytest.Stream(gatewaytest.Data(answer)))
			said = accumulated(t, r.call(key, body+`],"stream":true}`).Body)
		} else {
			up.Play(gatewaytest.JSON(200, answer))
			said = gjson.Get(r.call(key, body+`]}`).Body, "choices.0.message").Raw
		}
		ids := gjson.Get(said, "tool_calls.#.id").Array()
		if len(ids) != 2 || ids[0].Str == ids[1].Str {
			t.Fatalf("the client was told %s", said)
		}
		results := fmt.Sprintf(`,{"role":"tool","tool_call_id":%q,"content":"one"},{"role":"tool","tool_call_id":%q,"content":"two"}]}`, ids[0].Str, ids[1].Str)
		for kept, want := range map[string]string{"reasoning_details": "R1M=", "x_details": "skip_thought_signature_validator"} {
			up.Play(kindsNamed("gemini whole")[0].says(7, 3))
			r.want(r.call(key, body+","+strings.ReplaceAll(said, "reasoning_details", kept)+results), 200, "hello")
			sent := lastBody(up).Get("contents.1.parts")
			if got := sent.Get("0.thoughtSignature").Str; got != want || sent.Get("1.thoughtSignature").Exists() || sent.Get("0.functionCall.args").Raw != `{"n":1}` || sent.Get("1.functionCall.args").Raw != `{"n":2}` {
				t.Errorf("streamed %v, %s: of %s went up %s", streamed, kept, said, sent)
			}
			if results := lastBody(up).Get("contents.2.parts"); results.Get("0.functionResponse.name").Str != "f" || results.Get("#").Int() != 2 {
				t.Errorf("the results are %s", results)
			}
		}
	}
}
