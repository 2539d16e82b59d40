package upstream

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"

	"relay/testdata/e2e/reply"
)

// chat is OpenAI's chat completions and embeddings.
type chat struct{}

func (chat) authorized(h http.Header) bool { return h.Get("Authorization") == "Bearer "+Key }

func (chat) models() any { return openAIModels("chat-mini", "chat-embed") }

func openAIModels(names ...string) any {
	var all []object
	for _, name := range names {
		all = append(all, object{"id": name, "object": "model", "created": 1, "owned_by": "upstream"})
	}
	return object{"object": "list", "data": all}
}

func (chat) check(r *request) string {
	switch {
	case r.path == "/v1/embeddings" && r.model() == "chat-embed":
		return ""
	case r.path != "/v1/chat/completions":
		return "no such path: " + r.path
	case r.model() != "chat-mini":
		return "no such model: " + r.model()
	case len(r.list("messages")) == 0:
		return "no messages"
	case r.flag("stream") && !r.says(`"include_usage":true`):
		return "a stream without its usage"
	}
	return ""
}

func (chat) refuse(_ int, message string) any { return openAIError(message) }

func openAIError(message string) any {
	return object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": "upstream_refused"}}
}

func (chat) cost(r *request) Spent {
	if r.path == "/v1/embeddings" {
		return Spent{Calls: 1, Input: 5}
	}
	return Spent{Calls: 1, Input: 20, CacheRead: 10, Output: 7, Reasoning: 3}
}

const chatResult = `"tool_call_id":`

func (c chat) answer(w http.ResponseWriter, r *request) {
	switch {
	case r.path == "/v1/embeddings":
		reply.JSON(w, http.StatusOK, embeddings(r))
	case r.flag("stream"):
		c.stream(reply.NewStream(w, "text/event-stream"), r)
	default:
		reply.JSON(w, http.StatusOK, c.whole(r))
	}
}

func (chat) whole(r *request) object {
	message := object{"role": "assistant", "content": said(r.hasResult(chatResult)), "refusal": nil, "annotations": []any{}}
	reason := "stop"
	if r.wantsCall(chatResult) {
		message["content"], reason = nil, "tool_calls"
		message["tool_calls"] = []any{object{"id": "call_1", "type": "function", "function": object{"name": "add", "arguments": wholeArguments()}}}
	}
	return chatObject("chat.completion", chatUsage(), object{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason})
}

func (c chat) stream(s *reply.Stream, r *request) {
	chunk := func(delta object, reason any) {
		s.Data(chatObject("chat.completion.chunk", nil, object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}))
	}
	chunk(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	reason := "stop"
	if r.wantsCall(chatResult) {
		reason = "tool_calls"
		c.streamCall(chunk)
	} else {
		for _, piece := range pieces(said(r.hasResult(chatResult))) {
			chunk(object{"content": piece}, nil)
		}
	}
	chunk(object{}, reason)
	s.Data(chatObject("chat.completion.chunk", chatUsage()))
	s.Text("data: [DONE]\n\n")
}

func (chat) streamCall(chunk func(object, any)) {
	call := func(members object) {
		members["index"] = 0
		chunk(object{"tool_calls": []any{members}}, nil)
	}
	call(object{"id": "call_1", "type": "function", "function": object{"name": "add", "arguments": ""}})
	for _, piece := range arguments() {
		call(object{"function": object{"arguments": piece}})
	}
}

func chatObject(kind string, usage any, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	return object{"id": "chatcmpl-1", "object": kind, "created": 1, "model": "chat-mini", "service_tier": "default", "system_fingerprint": "fp_1", "choices": choices, "usage": usage}
}

func chatUsage() object {
	return object{
		"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37,
		"prompt_tokens_details":     object{"cached_tokens": 10, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": 3, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// vector is what every text is embedded to.
var vector = []float32{0.25, -0.5, 1}

func embeddings(r *request) object {
	var embedding any = vector
	if r.body["encoding_format"] == "base64" {
		var raw []byte
		for _, v := range vector {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		embedding = base64.StdEncoding.EncodeToString(raw)
	}
	return object{
		"object": "list", "model": "chat-embed",
		"data":  []any{object{"object": "embedding", "index": 0, "embedding": embedding}},
		"usage": object{"prompt_tokens": 5, "total_tokens": 5},
	}
}
