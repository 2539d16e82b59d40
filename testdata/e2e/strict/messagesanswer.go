package strict

import (
	"net/http"

	"relay/testdata/e2e/reply"
)

func (s messages) answer(w http.ResponseWriter, r *request, t turn) {
	blocks := s.blocks(r, t)
	if r.stream {
		e := messageEvents{reply.NewStream(w, s.contentType())}
		e.play(r, blocks, t)
		return
	}
	content := []any{}
	for _, block := range blocks {
		content = append(content, block)
	}
	reply.JSON(w, http.StatusOK, messagesMessageOf(r, content, messagesReason(t), Usage(Messages).Output))
}

// messageEvents are the events of a stream.
type messageEvents struct{ *reply.Stream }

func (e messageEvents) send(name string, members object) {
	members["type"] = name
	e.Event(name, members)
}

func (e messageEvents) start(r *request) {
	e.send("message_start", object{"message": messagesMessageOf(r, []any{}, nil, 1)})
	e.send("ping", object{})
}

func (e messageEvents) play(r *request, blocks []object, t turn) {
	e.start(r)
	calls := t.calls
	for i, block := range blocks {
		delta := func(kind, member, piece string) {
			e.send("content_block_delta", object{"index": i, "delta": object{"type": kind, member: piece}})
		}
		switch block["type"] {
		case "thinking":
			e.begin(i, object{"type": "thinking", "thinking": "", "signature": ""})
			for _, piece := range t.thoughts {
				delta("thinking_delta", "thinking", piece)
			}
			delta("signature_delta", "signature", textOf(block["signature"]))
		case "text":
			e.begin(i, object{"type": "text", "text": ""})
			for _, piece := range t.text {
				delta("text_delta", "text", piece)
			}
		case "tool_use":
			e.begin(i, object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}})
			delta("input_json_delta", "partial_json", "")
			for _, piece := range thirds(calls[0].Arguments) {
				if piece != "" {
					delta("input_json_delta", "partial_json", piece)
				}
			}
			calls = calls[1:]
		default:
			e.begin(i, block)
		}
		e.send("content_block_stop", object{"index": i})
	}
	e.send("message_delta", object{"delta": object{"stop_reason": messagesReason(t), "stop_sequence": nil}, "usage": object{"output_tokens": Usage(Messages).Output}})
	e.send("message_stop", object{})
}

func (e messageEvents) begin(i int, block object) {
	e.send("content_block_start", object{"index": i, "content_block": block})
}

func (s messages) begin(out *reply.Stream, r *request) (more, die func()) {
	e := messageEvents{out}
	e.start(r)
	e.begin(0, object{"type": "text", "text": ""})
	more = func() {
		e.send("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": "on and "}})
	}
	more()
	return more, func() { e.send("error", object{"error": object{"type": "overloaded_error", "message": Overload}}) }
}
