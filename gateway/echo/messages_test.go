package echo_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"relay/gateway/echo"
)

const askMessage = `{"model":"echo-mini","max_tokens":100,"system":[{"type":"text","text":"be brief"}],"messages":[{"role":"user","content":"one"},` +
	`{"role":"user","content":[{"type":"text","text":"the quick"},{"type":"image"},{"type":"text","text":"brown fox"}]}]`

func TestMessages_RepeatTheLastUserMessage(t *testing.T) {
	answer, text := do(t, "POST", serve(t, echo.Options{})+"/v1/messages?beta=true", askMessage+`}`)
	want := `{"id":"msg_echo_1","type":"message","role":"assistant","model":"echo-mini","content":[{"type":"text","text":"the quick brown fox"}],` +
		`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":4}}`
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "application/json" || answer.Header.Get("Request-Id") != "req_echo_1" || text != want {
		t.Errorf("got %d %s", answer.StatusCode, text)
	}
}

func TestMessages_StopAtTheOutputLimit(t *testing.T) {
	_, text := do(t, "POST", serve(t, echo.Options{})+"/v1/messages", strings.Replace(askMessage, "100", "2", 1)+`,"system":"x"}`)
	if !strings.Contains(text, `"text":"the quick"`) || !strings.Contains(text, `"stop_reason":"max_tokens"`) || !strings.Contains(text, `"input_tokens":6,`) {
		t.Errorf("got %s", text)
	}
}

// streamed is the stream that answers askMessage.
const streamed = `event: message_start
data: {"type":"message_start","message":{"id":"msg_echo_1","type":"message","role":"assistant","model":"echo-mini","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"the"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" quick"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" brown"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" fox"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`

func TestMessages_StreamAnEventAWord(t *testing.T) {
	answer, text := do(t, "POST", serve(t, echo.Options{Pause: time.Microsecond})+"/v1/messages", askMessage+`,"stream":true}`)
	if answer.Header.Get("Content-Type") != "text/event-stream" || text != streamed {
		t.Errorf("got %s", text)
	}
}

func TestMessages_RefuseInAnthropicForm(t *testing.T) {
	url := serve(t, echo.Options{Key: "sk-up"})
	key := []string{"X-Api-Key", "sk-up"}
	for _, c := range []struct {
		method, path, body string
		header             []string
		status             int
		kind               string
	}{
		{"POST", "/v1/messages", askMessage + "}", nil, 401, "authentication_error"},
		{"POST", "/v1/messages", askMessage + "}", []string{"X-Api-Key", "wrong"}, 401, "authentication_error"},
		{"POST", "/v1/messages", `{"model":`, key, 400, "invalid_request_error"},
		{"POST", "/v1/messages", `{"max_tokens":1,"messages":[{}]}`, key, 400, "invalid_request_error"},
		{"POST", "/v1/messages", `{"model":"echo-mini","max_tokens":1}`, key, 400, "invalid_request_error"},
		{"POST", "/v1/messages", strings.Replace(askMessage, `"max_tokens":100,`, "", 1) + "}", key, 400, "invalid_request_error"},
		{"POST", "/v1/messages", strings.Replace(askMessage, "100", "0", 1) + "}", key, 400, "invalid_request_error"},
		{"POST", "/v1/messages", strings.Replace(askMessage, "mini", "maxi", 1) + "}", key, 404, "not_found_error"},
		{"POST", "/v1/messages/other", "{}", key, 404, "not_found_error"},
		{"GET", "/v1/messages", "", key, 405, "invalid_request_error"},
	} {
		answer, text := do(t, c.method, url+c.path, c.body, c.header...)
		var body struct {
			Type  string
			Error struct{ Type, Message string }
		}
		err := json.Unmarshal([]byte(text), &body)
		if err != nil || answer.StatusCode != c.status || body.Type != "error" || body.Error.Type != c.kind || body.Error.Message == "" {
			t.Errorf("%s %s: got %d %s", c.method, c.path, answer.StatusCode, text)
		}
	}
}
