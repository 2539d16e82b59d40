package strict

import (
	"maps"
	"net/http"

	"relay/testdata/e2e/reply"
)

func (s responses) answer(w http.ResponseWriter, r *request, t turn) {
	items, status := s.items(r, t), responsesStatus(t)
	if !r.stream {
		reply.JSON(w, http.StatusOK, s.response(r, status, items))
		return
	}
	e := &responseEvents{Stream: reply.NewStream(w, "text/event-stream")}
	e.start(s, r)
	for i, item := range items {
		e.index = i
		e.item(item, t)
	}
	e.send("response."+status, object{"response": s.response(r, status, items)})
}

// responseEvents are the events of a stream, which are numbered.
type responseEvents struct {
	*reply.Stream
	number, index int
}

func (e *responseEvents) send(name string, members object) {
	members["type"], members["sequence_number"] = name, e.number
	e.number++
	e.Event(name, members)
}

func (e *responseEvents) start(s responses, r *request) {
	e.send("response.created", object{"response": s.response(r, "in_progress", nil)})
	e.send("response.in_progress", object{"response": s.response(r, "in_progress", nil)})
}

// item sends what belongs to one item, from its beginning to its end.
func (e *responseEvents) item(item object, t turn) {
	id := textOf(item["id"])
	at := func(members object) object {
		members["item_id"], members["output_index"] = id, e.index
		return members
	}
	begun := maps.Clone(item)
	switch item["type"] {
	case "reasoning":
		begun["summary"], begun["encrypted_content"] = []any{}, ""
		e.added(begun)
		e.summary(at, t.thoughts)
	case "function_call":
		begun["status"], begun["arguments"] = "in_progress", ""
		e.added(begun)
		for _, piece := range thirds(textOf(item["arguments"])) {
			e.send("response.function_call_arguments.delta", at(object{"delta": piece}))
		}
		e.send("response.function_call_arguments.done", at(object{"arguments": item["arguments"], "name": item["name"]}))
	default:
		begun["status"], begun["content"] = "in_progress", []any{}
		e.added(begun)
		e.text(at, t.text, textsOf(item["content"]))
	}
	e.send("response.output_item.done", object{"output_index": e.index, "item": item})
}

func (e *responseEvents) added(item object) {
	e.send("response.output_item.added", object{"output_index": e.index, "item": item})
}

func (e *responseEvents) summary(at func(object) object, thoughts []string) {
	if thoughts == nil {
		return
	}
	whole := textOf(objectOf(summaryOf(thoughts)[0])["text"])
	e.send("response.reasoning_summary_part.added", at(object{"summary_index": 0, "part": summaryText("")}))
	for _, piece := range thoughts {
		e.send("response.reasoning_summary_text.delta", at(object{"summary_index": 0, "delta": piece}))
	}
	e.send("response.reasoning_summary_text.done", at(object{"summary_index": 0, "text": whole}))
	e.send("response.reasoning_summary_part.done", at(object{"summary_index": 0, "part": summaryText(whole)}))
}

func (e *responseEvents) text(at func(object) object, text []string, whole string) {
	e.send("response.content_part.added", at(object{"content_index": 0, "part": outputText("")}))
	for _, piece := range text {
		e.send("response.output_text.delta", at(object{"content_index": 0, "delta": piece, "logprobs": []any{}}))
	}
	e.send("response.output_text.done", at(object{"content_index": 0, "text": whole, "logprobs": []any{}}))
	e.send("response.content_part.done", at(object{"content_index": 0, "part": outputText(whole)}))
}

func (s responses) begin(out *reply.Stream, r *request) (more, die func()) {
	e := &responseEvents{Stream: out}
	e.start(s, r)
	at := func(members object) object {
		members["item_id"], members["output_index"], members["content_index"] = "msg_1", 0, 0
		return members
	}
	e.added(object{"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []any{}})
	e.send("response.content_part.added", at(object{"part": outputText("")}))
	more = func() { e.send("response.output_text.delta", at(object{"delta": "on and ", "logprobs": []any{}})) }
	more()
	return more, func() {
		e.send("error", object{"code": "server_error", "message": Overload, "param": nil})
	}
}
