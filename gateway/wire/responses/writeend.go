package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// end ends the item, save a message: what follows tells whether it is whole.
func (w *writer) end(dst []byte) []byte {
	item := w.item()
	switch {
	case !told(item):
		return dst
	case item.Kind == hub.ItemCall:
		return w.endCall(w.call(dst))
	case item.Kind == hub.ItemReasoning:
		return w.done(w.endSummary(dst), "completed")
	case item.Parts[0].Kind == hub.PartImage:
		return w.done(dst, "completed")
	}
	w.ending = true
	return w.endContent(dst)
}

func (w *writer) endContent(dst []byte) []byte {
	part := &w.item().Parts[0]
	if part.Kind == hub.PartRefusal {
		dst = w.within(dst, "response.refusal.done", "content_index")
		dst = part.Text.AppendAfter(dst, `,"refusal":`)
	} else {
		dst = w.within(dst, "response.output_text.done", "content_index")
		dst = append(part.Text.AppendAfter(dst, `,"text":`), `,"logprobs":[]`...)
	}
	dst = w.within(append(dst, "}\n\n"...), "response.content_part.done", "content_index")
	return append(appendContent(append(dst, `,"part":`...), part, part.Text), "}\n\n"...)
}

func (w *writer) endSummary(dst []byte) []byte {
	if !w.inner {
		return dst
	}
	text := w.item().Text
	dst = w.within(dst, "response.reasoning_summary_text.done", "summary_index")
	dst = append(text.AppendAfter(dst, `,"text":`), "}\n\n"...)
	dst = w.within(dst, "response.reasoning_summary_part.done", "summary_index")
	return append(text.AppendAfter(dst, `,"part":{"type":"summary_text","text":`), "}}\n\n"...)
}

func (w *writer) endCall(dst []byte) []byte {
	item := w.item()
	if item.Call.Custom {
		dst = w.within(dst, "response.custom_tool_call_input.done", "")
		dst = item.Arguments.AppendAfter(dst, `,"input":`)
	} else {
		dst = w.within(dst, "response.function_call_arguments.done", "")
		dst = item.Call.Name.AppendAfter(dst, `,"name":`)
		dst = item.Arguments.AppendAfter(dst, `,"arguments":`)
	}
	dst = w.done(append(dst, "}\n\n"...), statusOf(item))
	if item.Opaque.Present() {
		return w.sealed(dst)
	}
	return dst
}

// statusOf tells whether a call is whole.
func statusOf(call *hub.Item) string {
	if call.Cut {
		return "incomplete"
	}
	return "completed"
}

// done tells that the item is done, and keeps it for the end.
func (w *writer) done(dst []byte, status string) []byte {
	if len(w.output) > 0 {
		w.output = append(w.output, ',')
	}
	start := len(w.output)
	w.output = w.appendItem(w.output, w.item(), status)
	dst = w.event(dst, "response.output_item.done")
	dst = wire.AppendNumber(dst, `,"output_index":`, w.index)
	dst = append(append(dst, `,"item":`...), w.output[start:]...)
	w.index++
	return append(dst, "}\n\n"...)
}

// endMessage ends a message that has waited for what follows.
func (w *writer) endMessage(dst []byte, status string) []byte {
	if !w.ending {
		return dst
	}
	w.ending = false
	return w.done(dst, status)
}

func (w *writer) finish(dst []byte, e hub.Event) []byte {
	status, _ := w.outcomeOf(e.Reason)
	dst = w.endMessage(dst, status)
	w.now.Event(e)
	return w.lifecycle(dst, "response."+status, status, &w.now)
}

// outcomeOf returns the status of a response, and as JSON why it is incomplete. One
// in which the model has told its refusal is complete. OpenAI has no word for an
// answer that its provider wants to go on with.
func (w *writer) outcomeOf(r hub.Reason) (status, details string) {
	switch {
	case r == hub.ReasonLength:
		return "incomplete", `{"reason":"max_output_tokens"}`
	case r == hub.ReasonFilter, r == hub.ReasonRefusal && !w.refused:
		return "incomplete", `{"reason":"content_filter"}`
	case r == hub.ReasonPause:
		return "incomplete", "null"
	}
	return "completed", "null"
}

// lifecycle writes an event with the whole response; a is nil until it has ended.
func (w *writer) lifecycle(dst []byte, name, status string, a *hub.Answer) []byte {
	dst = append(w.event(dst, name), `,"response":`...)
	dst = w.appendResponse(dst, status, a, w.output)
	return append(dst, "}\n\n"...)
}

// event begins an event, up to its number.
func (w *writer) event(dst []byte, name string) []byte {
	dst = append(append(dst, "event: "...), name...)
	dst = append(append(dst, "\ndata: {\"type\":\""...), name...)
	dst = wire.AppendNumber(dst, `","sequence_number":`, w.number)
	w.number++
	return dst
}

// within begins an event within the item. index is the member that says within
// which part, of which there is one alone; empty: none.
func (w *writer) within(dst []byte, name, index string) []byte {
	dst = w.event(dst, name)
	dst = append(w.appendID(append(dst, `,"item_id":"`...), w.item()), '"')
	dst = wire.AppendNumber(dst, `,"output_index":`, w.index)
	if index != "" {
		dst = append(append(append(dst, `,"`...), index...), `":0`...)
	}
	return dst
}
