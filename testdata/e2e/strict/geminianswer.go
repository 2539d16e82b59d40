package strict

import (
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// answer writes a whole answer, whose calls have no ids, or a stream, whose calls
// have: models of both kinds are about.
func (s gemini) answer(w http.ResponseWriter, r *request, t turn) {
	if !r.stream {
		var parts []any
		if t.thoughts != nil {
			parts = append(parts, object{"text": strings.Join(t.thoughts, ""), "thought": true})
		}
		if t.text != nil {
			parts = append(parts, object{"text": strings.Join(t.text, "")})
		}
		parts = append(parts, s.calls(r, t.calls)...)
		reply.JSON(w, http.StatusOK, geminiChunk(r, parts, geminiReason(t)))
		return
	}
	send := s.sender(reply.NewStream(w, s.contentType()), r)
	for _, piece := range t.thoughts {
		send(geminiChunk(r, []any{object{"text": piece, "thought": true}}, ""))
	}
	for _, piece := range t.text {
		send(geminiChunk(r, []any{object{"text": piece}}, ""))
	}
	if calls := s.calls(r, t.calls); calls != nil {
		send(geminiChunk(r, calls, ""))
	}
	send(geminiChunk(r, []any{object{"text": ""}}, geminiReason(t)))
	send(nil)
}

// sender returns what sends a chunk as an event or, without alt=sse, as an element
// of an array, which nil ends.
func (gemini) sender(out *reply.Stream, r *request) func(chunk object) {
	if r.URL.Query().Get("alt") == "sse" {
		return func(chunk object) {
			if chunk != nil {
				out.Data(chunk)
			}
		}
	}
	before := "["
	return func(chunk object) {
		if chunk == nil {
			out.Text("]")
			return
		}
		out.Text(before + string(reply.Encoded(chunk)))
		before = "\n,\r\n"
	}
}

func (s gemini) calls(r *request, calls []Call) []any {
	var parts []any
	for i, call := range calls {
		functionCall := object{"name": call.Name}
		if call.Arguments != "" {
			functionCall["args"] = argumentsOf(call)
		}
		if r.stream {
			functionCall["id"] = s.callID("")
		}
		part := object{"functionCall": functionCall}
		if i == 0 {
			part["thoughtSignature"] = s.issue(&r.asked, call.Name)
		}
		parts = append(parts, part)
	}
	return parts
}

func geminiReason(t turn) string {
	switch {
	case t.cut:
		return "MAX_TOKENS"
	case t.filtered:
		return "SAFETY"
	}
	return "STOP"
}

// geminiChunk is a chunk of an answer; with a reason the last.
func geminiChunk(r *request, parts []any, reason string) object {
	u := Usage(Gemini)
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	usage := object{"promptTokenCount": u.Prompt(), "cachedContentTokenCount": u.CacheRead, "totalTokenCount": u.Prompt()}
	if reason != "" {
		candidate["finishReason"] = reason
		usage["candidatesTokenCount"], usage["thoughtsTokenCount"], usage["totalTokenCount"] = u.Output-u.Reasoning, u.Reasoning, u.Prompt()+u.Output
	}
	return object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": r.model, "responseId": "r1"}
}

func (s gemini) begin(out *reply.Stream, r *request) (more, die func()) {
	send := s.sender(out, r)
	more = func() { send(geminiChunk(r, []any{object{"text": "on and "}}, "")) }
	more()
	return more, func() {
		_, body := s.refuse(http.StatusServiceUnavailable, invalidAt(Overload))
		out.Data(body)
	}
}
