package strict

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// messages is Anthropic's.
type messages struct{ *issuer }

func (s messages) issued() *issuer { return s.issuer }

func (messages) contentType() string { return "text/event-stream; charset=utf-8" }

func (messages) authorized(h http.Header) bool { return h.Get("X-Api-Key") == Key }

func (messages) list(models []string) any {
	var all []any
	for _, name := range models {
		all = append(all, object{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
	}
	return object{"data": all, "has_more": false, "first_id": models[0], "last_id": models[len(models)-1]}
}

func (messages) refuse(status int, f *fault) (int, any) {
	kind := "invalid_request_error"
	switch status {
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case http.StatusServiceUnavailable:
		status, kind = 529, "overloaded_error"
	}
	said := f.said
	switch f.kind {
	case unknown:
		said = "Extra inputs are not permitted"
	case missing:
		said = "Field required"
	}
	var path []string
	for _, step := range f.path {
		path = append(path, fmt.Sprint(step))
	}
	if path != nil {
		said = strings.Join(path, ".") + ": " + said
	}
	return status, object{"type": "error", "error": object{"type": kind, "message": said}, "request_id": "req_1"}
}

func (messages) read(r *request) asked {
	thinking, choice, format := objectOf(r.body["thinking"]), objectOf(r.body["tool_choice"]), objectOf(objectOf(r.body["output_config"])["format"])
	q := asked{
		model: textOf(r.body["model"]), stream: isTrue(r.body["stream"]), one: isTrue(choice["disable_parallel_tool_use"]),
		never: choice["type"] == "none", named: textOf(choice["name"]), schema: objectOf(format["schema"]),
		think: thinking["type"] == "enabled" || thinking["type"] == "adaptive",
	}
	q.told = q.think
	for _, tool := range listOf(r.body["tools"]) {
		name := textOf(objectOf(tool)["name"])
		if schema := objectOf(objectOf(tool)["input_schema"]); q.schema == nil && q.named == name && objectOf(schema["properties"])["zebra"] != nil {
			q.schema, q.asTool = schema, name
		}
		q.tools = append(q.tools, name)
	}
	names := map[string]string{}
	for _, t := range merged(listOf(r.body["messages"])) {
		for _, b := range t.blocks {
			block := objectOf(b)
			switch block["type"] {
			case "tool_use":
				names[textOf(block["id"])] = textOf(block["name"])
			case "tool_result":
				q.results = append(q.results, result{names[textOf(block["tool_use_id"])], textsOf(block["content"])})
			case "image":
				source := objectOf(block["source"])
				q.images = append(q.images, imageFrom(textOf(source["media_type"]), textOf(source["data"])))
			}
		}
	}
	return q
}

// blocks are the content of the answer. Thoughts before calls are followed by some
// that are redacted.
func (s messages) blocks(r *request, t turn) []object {
	var blocks []object
	var opaque []string
	if t.thoughts != nil {
		thinking := strings.Join(t.thoughts, "")
		signature := s.issue(&r.asked, thinking)
		opaque = append(opaque, signature)
		blocks = append(blocks, object{"type": "thinking", "thinking": thinking, "signature": signature})
		if t.calls != nil {
			redacted := s.issue(&r.asked, "")
			opaque = append(opaque, redacted)
			blocks = append(blocks, object{"type": "redacted_thinking", "data": redacted})
		}
	}
	if t.text != nil {
		blocks = append(blocks, object{"type": "text", "text": strings.Join(t.text, "")})
	}
	for _, call := range t.calls {
		id := s.callID("toolu_01")
		blocks = append(blocks, object{"type": "tool_use", "id": id, "name": call.Name, "input": argumentsOf(call)})
		s.bind(opaque, id)
	}
	return slices.Clip(blocks)
}

func messagesReason(t turn) string {
	switch {
	case t.cut:
		return "max_tokens"
	case t.filtered:
		return "refusal"
	case t.calls != nil:
		return "tool_use"
	}
	return "end_turn"
}

func messagesMessageOf(r *request, content []any, reason any, output int64) object {
	u := Usage(Messages)
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": r.model, "content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": object{
			"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheCreation, "cache_read_input_tokens": u.CacheRead, "output_tokens": output, "service_tier": "standard",
			"cache_creation": object{"ephemeral_5m_input_tokens": u.CacheCreation, "ephemeral_1h_input_tokens": 0},
		},
	}
}
