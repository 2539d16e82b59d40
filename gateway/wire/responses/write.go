package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// writer writes one answer for its caller. Of a stream it keeps the items that are
// done as they stand in the response at its end, and the part that is open.
type writer struct {
	reply   *hub.Reply
	number  int64 // sequence_number of the next event
	index   int64 // output_index of the present item
	now     hub.Answer
	begun   bool // the present item has been told
	inner   bool // a summary has been told within it
	refused bool // the model has told a refusal
	ending  bool // it is a message that is whole, and what follows tells how it ended
	output  []byte
}

// Append writes what an event adds to the stream.
func (w *writer) Append(dst []byte, e hub.Event) []byte {
	switch e.Kind {
	case hub.EventStart:
		dst = w.lifecycle(dst, "response.created", "in_progress", nil)
		return w.lifecycle(dst, "response.in_progress", "in_progress", nil)
	case hub.EventPart:
		dst = w.endMessage(dst, "completed")
		w.now.Items, w.begun, w.inner = w.now.Items[:0], false, false
		w.refused = w.refused || e.Of == hub.PartRefusal
		w.now.Event(e)
		return w.part(dst)
	case hub.EventDelta:
		w.now.Event(e)
		return w.delta(dst, e.Text)
	case hub.EventOpaque:
		w.now.Event(e)
		return w.opaque(dst)
	case hub.EventPartEnd:
		w.now.Event(e)
		return w.end(dst)
	case hub.EventFinish:
		return w.finish(dst, e)
	}
	return dst
}

// part begins an item. A call waits for what comes next, since what belongs to it
// stands before it.
func (w *writer) part(dst []byte) []byte {
	item := w.item()
	if item.Kind == hub.ItemCall || !told(item) {
		return dst
	}
	dst = w.add(dst)
	if item.Kind != hub.ItemMessage || item.Parts[0].Kind == hub.PartImage {
		return dst
	}
	dst = w.within(dst, "response.content_part.added", "content_index")
	return append(appendContent(append(dst, `,"part":`...), &item.Parts[0], nil), "}\n\n"...)
}

func (w *writer) item() *hub.Item { return &w.now.Items[0] }

// told reports whether the shape has a place for an item: it has none for audio.
func told(i *hub.Item) bool {
	if i.Kind != hub.ItemMessage {
		return true
	}
	switch i.Parts[0].Kind {
	case hub.PartText, hub.PartRefusal, hub.PartImage:
		return true
	}
	return false
}

// add tells that the item begins.
func (w *writer) add(dst []byte) []byte {
	w.begun = true
	dst = w.event(dst, "response.output_item.added")
	dst = wire.AppendNumber(dst, `,"output_index":`, w.index)
	empty := *w.item()
	empty.Text, empty.Arguments, empty.Opaque = nil, nil, hub.Opaque{}
	dst = w.appendItem(append(dst, `,"item":`...), &empty, "in_progress")
	return append(dst, "}\n\n"...)
}

func (w *writer) delta(dst []byte, t hub.Text) []byte {
	item := w.item()
	switch {
	case !told(item):
		return dst
	case item.Kind == hub.ItemReasoning:
		dst = w.summary(dst)
		dst = w.within(dst, "response.reasoning_summary_text.delta", "summary_index")
	case item.Kind == hub.ItemCall && item.Call.Custom:
		dst = w.within(w.call(dst), "response.custom_tool_call_input.delta", "")
	case item.Kind == hub.ItemCall:
		dst = w.within(w.call(dst), "response.function_call_arguments.delta", "")
	case item.Parts[0].Kind == hub.PartRefusal:
		dst = w.within(dst, "response.refusal.delta", "content_index")
	case item.Parts[0].Kind == hub.PartText:
		dst = w.within(dst, "response.output_text.delta", "content_index")
		return append(t.AppendAfter(dst, `,"delta":`), ",\"logprobs\":[]}\n\n"...)
	}
	return append(t.AppendAfter(dst, `,"delta":`), "}\n\n"...)
}

// summary begins the summary of reasoning, once.
func (w *writer) summary(dst []byte) []byte {
	if w.inner {
		return dst
	}
	w.inner = true
	dst = w.within(dst, "response.reasoning_summary_part.added", "summary_index")
	return append(dst, ",\"part\":{\"type\":\"summary_text\",\"text\":\"\"}}\n\n"...)
}

// call tells a call that has waited.
func (w *writer) call(dst []byte) []byte {
	if w.begun {
		return dst
	}
	return w.add(dst)
}

// opaque takes what belongs to the item. That of a call is an item of its own,
// before the call if that has not been told yet; that of a text has no place, and
// its model does without it.
func (w *writer) opaque(dst []byte) []byte {
	if w.item().Kind != hub.ItemCall || w.begun {
		return dst
	}
	return w.sealed(dst)
}

// sealed writes the item that holds what belongs to the call.
func (w *writer) sealed(dst []byte) []byte {
	seal := sealOf(w.item())
	w.item().Opaque = hub.Opaque{}
	call := w.now.Items
	w.now.Items = []hub.Item{seal}
	dst = w.done(w.add(dst), "completed")
	w.now.Items, w.begun = call, false
	return dst
}

// sealOf is the item that holds what belongs to a call, and names it.
func sealOf(call *hub.Item) hub.Item {
	o := call.Opaque
	o.ID = call.Call.ID
	return hub.Item{Kind: hub.ItemReasoning, Opaque: o}
}
