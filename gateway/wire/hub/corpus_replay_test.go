package hub_test

import (
	"fmt"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"

	"github.com/tidwall/gjson"
)

// replays has every caller send the host's answer back with its next request, as
// the SDKs of its shape do, and results for the tools that were called.
func (c *conversation) replays(t *testing.T) {
	if c.setting("replay") != "yes" {
		return
	}
	pairs(func(caller, host shape) {
		body, asked := c.written[caller.Shape()+".request.json"]
		said, answered := c.written[host.Shape()+".host.answer.json"]
		if !asked || !answered {
			return
		}
		r := c.asked(t, caller)
		l := listen(caller, r)
		answer(host, r, l).whole(said)
		again := replayed(caller.Shape(), body, string(l.whole()))
		next := c.nextTurn(t, caller, host, again)
		c.got("turn2.json", host.Shape(), caller.Shape(), next)
		c.checkOwn(t, caller, host, again)
		if _, sent := played(t, caller, host, r, c.written[host.Shape()+".host.stream"]); sent != "" {
			heard := replayed(caller.Shape(), body, accumulated(t, caller.Shape(), sent))
			if again := c.nextTurn(t, caller, host, heard); again != next {
				t.Errorf("%s > %s: who has heard a stream sends back something else (-whole +stream):\n%s", caller.Shape(), host.Shape(), difference(next, again))
			}
		}
	})
}

// nextTurn is what goes up of the next request.
func (c *conversation) nextTurn(t *testing.T, caller, host shape, body string) string {
	t.Helper()
	up, _, refusal := c.translated(t, caller, host, body)
	if refusal != nil {
		t.Fatalf("%s > %s: the next turn is refused: %v\n%s", caller.Shape(), host.Shape(), refusal, body)
	}
	return pretty(up)
}

// checkOwn has a caller who has heard a host of another shape go on with one of its
// own shape, which gets nothing of what Relay has written for the first.
func (c *conversation) checkOwn(t *testing.T, caller, host shape, body string) {
	t.Helper()
	up := []byte(body)
	if caller.up != nil && caller.Returns(up) {
		r, refusal := c.decoded(t, caller, body)
		if refusal != nil {
			t.Fatalf("%s: %v", caller.Shape(), refusal)
		}
		var err error
		own := r.Own(up, caller.Shape(), caller.up.Fates())
		if up, err = caller.up.Encode(nil, own, c.target(caller, own)); err != nil {
			t.Fatalf("%s: %v", caller.Shape(), err)
		}
	}
	var m wire.Members
	if err := wire.Scan(up, &m); err != nil || caller.up != nil && hub.HoldsSeal(up) {
		t.Errorf("%s, after %s, gets what only Relay understands (%v):\n%s", caller.Shape(), host.Shape(), err, up)
	}
}

// replayed is the request of the next turn.
func replayed(shape, request, answer string) string {
	switch shape {
	case "openai":
		return replayChat(request, gjson.Get(answer, "choices.0.message"))
	case "openai_responses":
		return replayResponses(request, gjson.Get(answer, "output"))
	case "anthropic":
		return replayMessages(request, gjson.Get(answer, "content"))
	case "gemini":
		return replayGemini(request, gjson.Get(answer, "candidates.0.content"))
	case "ollama":
		return replayOllama(request, gjson.Get(answer, "message"))
	}
	return replayGenerate(request, gjson.Get(answer, "output"))
}

func replayChat(request string, message gjson.Result) string {
	request = extended(request, "messages", message.Raw)
	for _, call := range message.Get("tool_calls").Array() {
		request = extended(request, "messages", fmt.Sprintf(`{"role":"tool","tool_call_id":%s,"content":"done"}`, call.Get("id").Raw))
	}
	return goOn(request, "messages", message.Get("tool_calls"), `{"role":"user","content":"Go on."}`)
}

func replayResponses(request string, output gjson.Result) string {
	calls := output.Get(`#(call_id!="").call_id`)
	for _, item := range output.Array() {
		request = extended(request, "input", item.Raw)
	}
	for _, item := range output.Array() {
		if id := item.Get("call_id").Raw; id != "" {
			request = extended(request, "input", fmt.Sprintf(`{"type":"%s_output","call_id":%s,"output":"done"}`, item.Get("type"), id))
		}
	}
	return goOn(request, "input", calls, `{"role":"user","content":"Go on."}`)
}

func replayMessages(request string, content gjson.Result) string {
	results := `{"role":"user","content":[]}`
	for _, block := range content.Array() {
		if block.Get("type").Str == "tool_use" {
			results = extended(results, "content", fmt.Sprintf(`{"type":"tool_result","tool_use_id":%s,"content":"done"}`, block.Get("id").Raw))
		}
	}
	if len(gjson.Get(results, "content").Array()) == 0 {
		results = `{"role":"user","content":"Go on."}`
	}
	return extended(request, "messages", fmt.Sprintf(`{"role":"assistant","content":%s}`, content.Raw), results)
}

func replayGemini(request string, content gjson.Result) string {
	results := `{"role":"user","parts":[]}`
	for _, part := range content.Get("parts").Array() {
		if call := part.Get("functionCall"); call.Exists() {
			response := fmt.Sprintf(`"name":%s,"response":{"output":"done"}`, call.Get("name").Raw)
			if id := call.Get("id"); id.Exists() {
				response = `"id":` + id.Raw + "," + response
			}
			results = extended(results, "parts", fmt.Sprintf(`{"functionResponse":{%s}}`, response))
		}
	}
	if len(gjson.Get(results, "parts").Array()) == 0 {
		results = `{"role":"user","parts":[{"text":"Go on."}]}`
	}
	return extended(request, "contents", content.Raw, results)
}

func replayOllama(request string, message gjson.Result) string {
	request = extended(request, "messages", message.Raw)
	for _, call := range message.Get("tool_calls").Array() {
		request = extended(request, "messages", fmt.Sprintf(`{"role":"tool","tool_name":%s,"content":"done"}`, call.Get("function.name").Raw))
	}
	return goOn(request, "messages", message.Get("tool_calls"), `{"role":"user","content":"Go on."}`)
}

func replayGenerate(request string, output gjson.Result) string {
	calls := output.Get(`#(call_id!="").call_id`)
	for _, item := range output.Array() {
		request = extended(request, "input", item.Raw)
	}
	for _, item := range output.Array() {
		if id := item.Get("call_id").Raw; id != "" {
			request = extended(request, "input", fmt.Sprintf(`{"type":"function_call_output","call_id":%s,"content":[{"type":"text","text":"done"}]}`, id))
		}
	}
	return goOn(request, "input", calls, `{"type":"message","role":"user","content":[{"type":"text","text":"Go on."}]}`)
}

// goOn has the user say something where no tool was called.
func goOn(request, path string, calls gjson.Result, message string) string {
	if calls.Exists() {
		return request
	}
	return extended(request, path, message)
}
