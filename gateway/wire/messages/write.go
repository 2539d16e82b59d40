package messages

import (
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// writer writes an answer for a caller. A block begins with the first piece that
// is more than white space: blocks that are blank come back with the next request,
// where Anthropic refuses them.
type writer struct {
	reply  *hub.Reply
	index  int          // of the block that is open, else of the next
	open   bool         // a block has been begun
	of     hub.PartKind // of the part that is open
	call   hub.Call     // of a PartCall
	held   hub.Text     // white space that a block would begin with
	opaque hub.Opaque   // of the part, to be told at its end
	marked bool         // a block tells of thoughts
}

// Append writes what an event adds to a stream.
func (w *writer) Append(dst []byte, e hub.Event) []byte {
	switch e.Kind {
	case hub.EventStart:
		return w.start(dst, e.Usage)
	case hub.EventPart:
		w.of, w.held, w.opaque = e.Of, w.held[:0], hub.Opaque{}
		w.call = hub.Call{ID: copyOf(e.Call.ID), Name: copyOf(e.Call.NameOfFlat()), Custom: e.Call.Custom}
	case hub.EventDelta:
		return w.piece(dst, e.Text)
	case hub.EventOpaque:
		return w.keep(dst, e.Opaque)
	case hub.EventPartEnd:
		return w.end(dst, e.Cut)
	case hub.EventFinish:
		return w.finish(dst, &e)
	}
	return dst
}

func (w *writer) start(dst []byte, u *wire.Usage) []byte {
	dst = append(dst, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
	dst = w.head(dst)
	dst = append(dst, `],"stop_reason":null,"stop_sequence":null,"usage":`...)
	return append(appendUsage(dst, u), "}}\n\n"...)
}

// head writes a message up to its content.
func (w *writer) head(dst []byte) []byte {
	dst = append(append(dst, `{"id":"msg_`...), w.reply.ID...)
	dst = wire.AppendText(dst, `","type":"message","role":"assistant","model":`, w.reply.Model)
	return append(dst, `,"content":[`...)
}

// piece writes a piece of the open part. Media are not among what the shape can
// tell.
func (w *writer) piece(dst []byte, t hub.Text) []byte {
	switch w.of {
	case hub.PartText, hub.PartRefusal, hub.PartReasoning:
		if w.open {
			return w.delta(dst, t)
		}
		if w.held = append(w.held, t...); t.Blank() && len(w.held) <= hub.MostHeld {
			return dst
		}
		return w.delta(w.begin(dst), w.held)
	case hub.PartCall:
		if !w.open {
			dst = w.beginCall(dst)
		}
		if w.call.Custom {
			t = appendEscaped(nil, t)
		}
		return w.delta(dst, t)
	}
	return dst
}

// begin writes the beginning of the block of the open part.
func (w *writer) begin(dst []byte) []byte {
	w.open = true
	dst = append(dst, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(w.index), 10)
	switch w.of {
	case hub.PartReasoning:
		w.marked = true
		return append(dst, ",\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n"...)
	case hub.PartCall:
		dst = w.call.ID.AppendAfter(dst, `,"content_block":{"type":"tool_use","id":`)
		dst = w.call.Name.AppendAfter(dst, `,"name":`)
		dst = append(dst, ",\"input\":{}}}\n\n"...)
		if w.call.Custom {
			dst = w.delta(dst, hub.Text(`{\"input\":\"`))
		}
		return dst
	}
	return append(dst, ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"...)
}

// delta writes a piece of the block.
func (w *writer) delta(dst []byte, t hub.Text) []byte {
	switch w.of {
	case hub.PartReasoning:
		return w.deltaOf(dst, `,"delta":{"type":"thinking_delta","thinking":`, t)
	case hub.PartCall:
		return w.deltaOf(dst, `,"delta":{"type":"input_json_delta","partial_json":`, t)
	}
	return w.deltaOf(dst, `,"delta":{"type":"text_delta","text":`, t)
}

func (w *writer) deltaOf(dst []byte, kind string, t hub.Text) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(w.index), 10)
	dst = t.AppendAfter(dst, kind)
	return append(dst, "}}\n\n"...)
}

// stop writes the end of the block, if one is open.
func (w *writer) stop(dst []byte) []byte {
	if !w.open {
		return dst
	}
	dst = append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(w.index), 10)
	w.open = false
	w.index++
	return append(dst, "}\n\n"...)
}

func (w *writer) finish(dst []byte, e *hub.Event) []byte {
	dst = append(dst, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"...)
	dst = appendReason(dst, e.Reason, e.StopSeq)
	dst = append(dst, `},"usage":`...)
	dst = appendUsage(dst, e.Usage)
	return append(dst, "}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

func copyOf(t hub.Text) hub.Text { return append(hub.Text(nil), t...) }
