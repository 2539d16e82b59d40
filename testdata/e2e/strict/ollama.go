package strict

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// ollama is Ollama's own API, which takes no key.
type ollama struct{ *issuer }

func (s ollama) issued() *issuer { return s.issuer }

func (ollama) contentType() string { return "application/x-ndjson" }

func (ollama) authorized(h http.Header) bool { return h.Get("Authorization") == "" }

// list is OpenAI's, which Ollama has below /v1.
func (ollama) list(models []string) any { return chat{}.list(models) }

func (ollama) refuse(status int, f *fault) (int, any) {
	said := f.said
	switch f.kind {
	case unknown:
		said = "unknown field"
	case missing:
		said = "missing field"
	}
	if len(f.path) > 0 {
		said = fmt.Sprintf("%v: %s", openAIPath(f.path), said)
	}
	return status, object{"error": said}
}

func (ollama) read(r *request) asked {
	think := r.body["think"]
	q := asked{model: textOf(r.body["model"]), stream: isTrue(r.body["stream"]), think: think != nil && think != false, schema: objectOf(r.body["format"])}
	q.told = q.think
	for _, tool := range listOf(r.body["tools"]) {
		q.tools = append(q.tools, textOf(objectOf(objectOf(tool)["function"])["name"]))
	}
	for _, m := range listOf(r.body["messages"]) {
		message := objectOf(m)
		if message["role"] == "tool" {
			q.results = append(q.results, result{textOf(message["tool_name"]), textOf(message["content"])})
		}
		for _, content := range listOf(message["images"]) {
			raw := imageFrom("", textOf(content)).bytes
			q.images = append(q.images, image{http.DetectContentType(raw), raw})
		}
	}
	return q
}

func (s ollama) answer(w http.ResponseWriter, r *request, t turn) {
	if !r.stream {
		message := object{"content": strings.Join(t.text, "")}
		if t.thoughts != nil {
			message["thinking"] = strings.Join(t.thoughts, "")
		}
		if t.calls != nil {
			message["tool_calls"] = s.calls(r, t.calls)
		}
		reply.JSON(w, http.StatusOK, ollamaLine(r, message, ollamaReason(t)))
		return
	}
	out := reply.NewStream(w, s.contentType())
	for _, piece := range t.thoughts {
		out.Line(ollamaLine(r, object{"content": "", "thinking": piece}, ""))
	}
	for _, piece := range t.text {
		out.Line(ollamaLine(r, object{"content": piece}, ""))
	}
	for _, call := range s.calls(r, t.calls) {
		out.Line(ollamaLine(r, object{"content": "", "tool_calls": []any{call}}, ""))
	}
	out.Line(ollamaLine(r, object{"content": ""}, ollamaReason(t)))
}

// calls have ids in streams, as newer versions write them.
func (s ollama) calls(r *request, calls []Call) []any {
	var all []any
	for i, call := range calls {
		made := object{"function": object{"index": i, "name": call.Name, "arguments": argumentsOf(call)}}
		if r.stream {
			made["id"] = s.callID("call_")
		}
		all = append(all, made)
	}
	return all
}

func ollamaReason(t turn) string {
	if t.cut {
		return "length"
	}
	return "stop"
}

// ollamaLine is a line of an answer; with a reason the last.
func ollamaLine(r *request, message object, reason string) object {
	message["role"] = "assistant"
	line := object{"model": r.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": reason != ""}
	if reason != "" {
		u := Usage(Ollama)
		maps.Copy(line, object{
			"done_reason": reason, "total_duration": 9, "load_duration": 1, "prompt_eval_count": u.Input, "prompt_eval_duration": 3, "eval_count": u.Output, "eval_duration": 5,
		})
	}
	return line
}

func (ollama) begin(out *reply.Stream, r *request) (more, die func()) {
	more = func() { out.Line(ollamaLine(r, object{"content": "on and "}, "")) }
	more()
	return more, func() { out.Line(object{"error": Overload}) }
}
