package upstream

import (
	"net/http"

	"relay/testdata/e2e/reply"
)

// messages is Anthropic's.
type messages struct{}

func (messages) authorized(h http.Header) bool { return h.Get("X-Api-Key") == Key }

func (messages) models() any {
	return object{
		"data":     []any{object{"type": "model", "id": "messages-mini", "display_name": "Mini", "created_at": "2026-01-01T00:00:00Z"}},
		"has_more": false, "first_id": "messages-mini", "last_id": "messages-mini",
	}
}

func (messages) check(r *request) string {
	version := r.Header.Get("Anthropic-Version")
	switch {
	case r.path != "/v1/messages" && r.path != "/v1/messages/count_tokens":
		return "no such path: " + r.path
	case r.model() != "messages-mini":
		return "no such model: " + r.model()
	case len(r.list("messages")) == 0:
		return "no messages"
	case version != "2023-06-01" && version != "2026-10-21":
		return "anthropic-version is " + version
	case r.path == "/v1/messages" && r.body["max_tokens"] == nil:
		return "no max_tokens"
	}
	return ""
}

func (messages) refuse(status int, message string) any {
	kind := "invalid_request_error"
	if status == http.StatusUnauthorized {
		kind = "authentication_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_1"}
}

func (messages) cost(r *request) Spent {
	if r.path == "/v1/messages/count_tokens" {
		return Spent{}
	}
	return Spent{Calls: 1, Input: 20, CacheRead: 10, Output: 7}
}

const messagesResult = `"type":"tool_result"`

func (m messages) answer(w http.ResponseWriter, r *request) {
	switch {
	case r.path == "/v1/messages/count_tokens":
		reply.JSON(w, http.StatusOK, object{"input_tokens": 30})
	case r.flag("stream"):
		m.stream(reply.NewStream(w, "text/event-stream"), r)
	default:
		reply.JSON(w, http.StatusOK, m.whole(r))
	}
}

func (messages) whole(r *request) object {
	content, reason := object{"type": "text", "text": said(r.hasResult(messagesResult))}, "end_turn"
	if r.wantsCall(messagesResult) {
		content, reason = object{"type": "tool_use", "id": "toolu_1", "name": "add", "input": sum()}, "tool_use"
	}
	return message([]any{content}, reason, 7)
}

func message(content []any, reason any, output int) object {
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "messages-mini", "content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": object{
			"input_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 10, "output_tokens": output, "service_tier": "standard",
			"cache_creation": object{"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
		},
	}
}

func (messages) stream(s *reply.Stream, r *request) {
	send := func(name string, members object) {
		members["type"] = name
		s.Event(name, members)
	}
	delta := func(members object) { send("content_block_delta", object{"index": 0, "delta": members}) }
	send("message_start", object{"message": message([]any{}, nil, 1)})
	reason := "end_turn"
	if r.wantsCall(messagesResult) {
		reason = "tool_use"
		send("content_block_start", object{"index": 0, "content_block": object{"type": "tool_use", "id": "toolu_1", "name": "add", "input": object{}}})
		for _, piece := range arguments() {
			delta(object{"type": "input_json_delta", "partial_json": piece})
		}
	} else {
		send("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
		send("ping", object{})
		for _, piece := range pieces(said(r.hasResult(messagesResult))) {
			delta(object{"type": "text_delta", "text": piece})
		}
	}
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 7}})
	send("message_stop", object{})
}
