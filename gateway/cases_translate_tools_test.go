package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// lastBody is what the upstream has got last.
func lastBody(up *gatewaytest.Upstream) gjson.Result {
	all := up.Requests()
	return gjson.ParseBytes(all[len(all)-1].Body)
}

// block is a content block of a stream of messages, its deltas put together.
type block struct{ kind, id, name, text, signature string }

// blocksOf reads a stream of messages. Its blocks must be open one at a time and
// in order.
func blocksOf(t *testing.T, stream string) (all []block, reason string) {
	t.Helper()
	open := false
	for _, event := range readEvents(stream) {
		name, data, _ := strings.Cut(event, " ")
		e := gjson.Parse(data)
		if at := e.Get("index"); at.Exists() {
			begins := e.Get("type").Str == "content_block_start"
			if begins == open || !begins && int(at.Int()) != len(all)-1 || begins && int(at.Int()) != len(all) || name != e.Get("type").Str {
				t.Errorf("%s does not stand where it may: %s", event, stream)
			}
			open = e.Get("type").Str != "content_block_stop"
		}
		switch e.Get("type").Str {
		case "content_block_start":
			b := e.Get("content_block")
			all = append(all, block{kind: b.Get("type").Str, id: b.Get("id").Str, name: b.Get("name").Str, signature: b.Get("data").Str})
			if input := b.Get("input"); b.Get("type").Str == "tool_use" && input.Raw != "{}" {
				t.Errorf("a call begins with the input %s", input.Raw)
			}
		case "content_block_delta":
			d, last := e.Get("delta"), &all[len(all)-1]
			last.text += d.Get("text").Str + d.Get("thinking").Str + d.Get("partial_json").Str
			last.signature += d.Get("signature").Str
		case "message_delta":
			reason = e.Get("delta.stop_reason").Str
		}
	}
	return all, reason
}

// callsOf reads the calls of a stream of chat. Their ids and names must come once.
func callsOf(t *testing.T, stream string) (all []block, reason string) {
	t.Helper()
	for _, event := range readEvents(stream) {
		choice := gjson.Get(strings.TrimSpace(event), "choices.0")
		reason += choice.Get("finish_reason").Str
		for _, call := range choice.Get("delta.tool_calls").Array() {
			at, first := int(call.Get("index").Int()), call.Get("id").Exists()
			if first != call.Get("function.name").Exists() || first != (at == len(all)) || at > len(all) {
				t.Fatalf("%s does not stand where it may: %s", call.Raw, stream)
			}
			if first {
				all = append(all, block{kind: call.Get("type").Str, id: call.Get("id").Str, name: call.Get("function.name").Str})
			}
			all[at].text += call.Get("function.arguments").Str
		}
	}
	return all, reason
}

// TestTools_ACallThatComesWholeKeepsItsArguments is case B36.
func TestTools_ACallThatComesWholeKeepsItsArguments(t *testing.T) {
	r, up := newTongues(t)
	up.Play(gatewaytest.Stream(gatewaytest.Data(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"add_numbers","args":{"a":17,"b":25}}}]},"finishReason":"STOP"}]}`)))
	a := r.ask(kindsNamed("messages stream")[0].of("to-gemini"), r.key("k", store.RelayKeySpec{}))
	blocks, reason := blocksOf(t, a.Body)
	if len(blocks) != 1 || reason != "tool_use" || blocks[0].kind != "tool_use" || blocks[0].name != "add_numbers" || blocks[0].id == "" || blocks[0].text != `{"a":17,"b":25}` {
		t.Errorf("got %+v, %s of %s", blocks, reason, a.Body)
	}
}

// TestTools_ParallelCallsKeepTheirPlaces is case B38, both ways.
func TestTools_ParallelCallsKeepTheirPlaces(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(gatewaytest.Stream(anthropicCalls()...))
	a := r.ask(kindsNamed("chat stream")[0].of("to-anthropic"), key)
	calls, reason := callsOf(t, a.Body)
	if want := (block{kind: "function", id: "toolu_1", name: "f1", text: `{"n": 1}`}); len(calls) != 2 || calls[0] != want || calls[1].id != "toolu_2" || calls[1].text != `{"n": 2}` || reason != "tool_calls" {
		t.Errorf("got %+v, %s", calls, reason)
	}
	up.Play(gatewaytest.Stream(chatCalls()...))
	a = r.ask(kindsNamed("messages stream")[0].of("to-openai"), key)
	blocks, reason := blocksOf(t, a.Body)
	if len(blocks) != 3 || blocks[0].text != "hm" || blocks[1] != (block{kind: "tool_use", id: "c0", name: "f0", text: `{"n":0}`}) || blocks[2] != (block{kind: "tool_use", id: "c1", name: "f1", text: `{"n":1}`}) || reason != "tool_use" {
		t.Errorf("got %+v, %s of %s", blocks, reason, a.Body)
	}
}

// anthropicCalls are a text and two calls, whose arguments come in three pieces.
func anthropicCalls() []string {
	named := func(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }
	all := []string{
		named("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}`),
		named("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
		named("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hm"}}`),
		named("content_block_stop", `{"type":"content_block_stop","index":0}`),
	}
	for i := 1; i <= 2; i++ {
		all = append(all, named("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":"f%d","input":{}}}`, i, i, i)))
		for _, piece := range []string{`{\"n\"`, `: `, fmt.Sprint(i, "}")} {
			all = append(all, named("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}}`, i, piece)))
		}
		all = append(all, named("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i)))
	}
	return append(all,
		named("message_delta", `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`),
		named("message_stop", `{"type":"message_stop"}`))
}

// chatCalls are a text and two calls, whose pieces are interleaved.
func chatCalls() (all []string) {
	for _, delta := range []string{
		`"content":"hm"`,
		`"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"f0","arguments":""}}]`,
		`"tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"f1","arguments":""}}]`,
		`"tool_calls":[{"index":0,"function":{"arguments":"{\"n\""}}]`,
		`"tool_calls":[{"index":1,"function":{"arguments":"{\"n\":"}},{"index":0,"function":{"arguments":":0}"}}]`,
		`"tool_calls":[{"index":1,"function":{"arguments":"1}"}}]`,
	} {
		all = append(all, gatewaytest.Data(`{"choices":[{"index":0,"delta":{`+delta+`},"finish_reason":null}]}`))
	}
	return append(all, gatewaytest.Data(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`), doneEvent)
}
