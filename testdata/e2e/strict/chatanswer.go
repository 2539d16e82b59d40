package strict

import (
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

func (s chat) answer(w http.ResponseWriter, r *request, t turn) {
	if t.thoughts != nil {
		s.told(strings.Join(t.thoughts, ""))
	}
	if r.stream {
		s.play(reply.NewStream(w, "text/event-stream"), r, t)
		return
	}
	message := object{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	if t.text != nil {
		message["content"] = strings.Join(t.text, "")
	}
	if t.thoughts != nil {
		message["reasoning_content"] = strings.Join(t.thoughts, "")
	}
	var calls []any
	for _, call := range t.calls {
		calls = append(calls, object{"id": s.callID("call_"), "type": "function", "function": object{"name": call.Name, "arguments": call.Arguments}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	reply.JSON(w, http.StatusOK, chatObject(r, "chat.completion", chatUsage(), object{"index": 0, "message": message, "logprobs": nil, "finish_reason": chatReason(t)}))
}

func chatReason(t turn) string {
	switch {
	case t.cut:
		return "length"
	case t.filtered:
		return "content_filter"
	case t.calls != nil:
		return "tool_calls"
	}
	return "stop"
}

func (s chat) play(out *reply.Stream, r *request, t turn) {
	chunk := func(delta object, reason any) { out.Data(chatChunk(r, delta, reason)) }
	chunk(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, piece := range t.thoughts {
		chunk(object{"reasoning_content": piece}, nil)
	}
	for _, piece := range t.text {
		chunk(object{"content": piece}, nil)
	}
	s.playCalls(t.calls, func(i int, members object) {
		members["index"] = i
		chunk(object{"tool_calls": []any{members}}, nil)
	})
	chunk(object{}, chatReason(t))
	out.Data(chatObject(r, "chat.completion.chunk", chatUsage()))
	out.Text("data: [DONE]\n\n")
}

// playCalls mixes the pieces of calls, as models do that call in parallel.
func (s chat) playCalls(calls []Call, send func(int, object)) {
	for i, call := range calls {
		send(i, object{"id": s.callID("call_"), "type": "function", "function": object{"name": call.Name, "arguments": ""}})
	}
	for piece := range 3 {
		for i, call := range calls {
			send(i, object{"function": object{"arguments": thirds(call.Arguments)[piece]}})
		}
	}
}

func (chat) begin(out *reply.Stream, r *request) (more, die func()) {
	more = func() { out.Data(chatChunk(r, object{"content": "on and "}, nil)) }
	more()
	return more, func() {
		out.Data(object{"error": object{"message": Overload, "type": "server_error", "param": nil, "code": nil}})
	}
}

func chatChunk(r *request, delta object, reason any) object {
	return chatObject(r, "chat.completion.chunk", nil, object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason})
}

func chatObject(r *request, kind string, usage any, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	return object{"id": "chatcmpl-1", "object": kind, "created": 1, "model": r.model, "service_tier": "default", "system_fingerprint": "fp_1", "choices": choices, "usage": usage}
}

func chatUsage() object {
	u := Usage(Chat)
	return object{
		"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}
