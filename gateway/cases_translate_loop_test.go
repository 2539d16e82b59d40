package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// stateless answers as Responses does when it is asked to store nothing, and
// refuses what it would refuse.
func stateless(answer string) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		if wrong := unfitForResponses(gjson.ParseBytes(x.Request.Body)); wrong != "" {
			return gatewaytest.JSON(400, fmt.Sprintf(`{"error":{"message":%q}}`, wrong+" in "+string(x.Request.Body)))(x)
		}
		return gatewaytest.JSON(200, answer)(x)
	}
}

func unfitForResponses(sent gjson.Result) string {
	switch {
	case sent.Get("stop").Exists(), sent.Get("top_k").Exists(), sent.Get("messages").Exists():
		return "unknown parameter"
	case sent.Get("store").Raw != "false":
		return "store"
	case !strings.Contains(sent.Get("include").Raw, `"reasoning.encrypted_content"`):
		return "no encrypted reasoning is asked for"
	}
	kinds := ""
	for _, item := range sent.Get("input").Array() {
		kind := item.Get("type").Str
		if kind == "" {
			kind = "message"
		}
		switch {
		case item.Get("status").Exists():
			return "unknown parameter: status of " + item.Raw
		case kind == "reasoning" && !item.Get("summary").IsArray():
			return "missing summary"
		case kind == "reasoning" && item.Get(`summary.#(type!="summary_text")`).Exists():
			return "a summary part without its type"
		case kind == "function_call" && !strings.HasSuffix(kinds, "reasoning ") && !strings.HasSuffix(kinds, "function_call "):
			return "a call without its reasoning"
		}
		kinds += kind + " "
	}
	return ""
}

// TestLoop_OfToolsOverStatelessResponses is case B55.
func TestLoop_OfToolsOverStatelessResponses(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	body := `{"model":"to-openai-responses","reasoning_effort":"low","store":false,` + chatTools + `,"messages":[{"role":"user","content":"hi"}`
	turn := func(n int) string {
		return fmt.Sprintf(`{"id":"r%d","object":"response","status":"completed","error":null,"incomplete_details":null,"model":"m","output":[{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":"why"}],"encrypted_content":"ENC%d==","status":null},`+
			`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"f","arguments":"{\"n\":%d}","status":"completed"}],"usage":{"input_tokens":7,"output_tokens":3}}`, n, n, n, n, n, n)
	}
	for n := 1; n <= 2; n++ {
		up.Play(stateless(turn(n)))
		a := r.call(key, body+"]}")
		if a.Status != 200 || gjson.Get(a.Body, "choices.0.finish_reason").Str != "tool_calls" {
			t.Fatalf("turn %d: got %d %s", n, a.Status, a.Body)
		}
		body += "," + gjson.Get(a.Body, "choices.0.message").Raw + fmt.Sprintf(`,{"role":"tool","tool_call_id":"call_%d","content":"42"}`, n)
	}
	up.Play(stateless(strings.Replace(strings.Replace(responsesAnswer(7, 3)[0], `"completed"`, `"incomplete"`, 1), `"incomplete_details":null`, `"incomplete_details":{"reason":"max_output_tokens"}`, 1)))
	a := r.call(key, body+"]}")
	if a.Status != 200 || gjson.Get(a.Body, "choices.0.finish_reason").Str != "length" {
		t.Errorf("an answer that is cut off is %d %s", a.Status, a.Body)
	}
	input := lastBody(up).Get("input")
	for i, want := range []string{"", "reasoning ENC1==", "function_call call_1", "function_call_output call_1", "reasoning ENC2==", "function_call call_2", "function_call_output call_2"} {
		item := input.Get(fmt.Sprint(i))
		if got := item.Get("type").Str + " " + item.Get("encrypted_content").Str + item.Get("call_id").Str; i > 0 && got != want {
			t.Errorf("item %d is %s, want %s", i, item.Raw, want)
		}
	}
	if got := input.Get("1.summary").Raw; got != `[{"type":"summary_text","text":"why"}]` {
		t.Errorf("the summary went back as %s", got)
	}
}

// Of case B55: what the shape has no word for and would change the answer is
// refused before anything goes up; a hint stays behind.
func TestLoop_NeverSendsResponsesWhatItDoesNotKnow(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	r.want(r.call(key, `{"model":"to-openai-responses","stop":["x"],`+chatHi+`}`), 400, `"param":"stop"`)
	up.Play(stateless(responsesAnswer(7, 3)[0]))
	a := r.call(key, `{"model":"to-openai-responses","top_k":5,"reasoning_effort":"low",`+chatHi+`}`)
	if a.Status != 200 || a.Header.Get("X-Relay-Dropped-Params") != "top_k" {
		t.Errorf("got %d %s, dropped %q", a.Status, a.Body, a.Header.Get("X-Relay-Dropped-Params"))
	}
	if n := len(up.Requests()); n != 1 {
		t.Errorf("%d requests went up", n)
	}
}
