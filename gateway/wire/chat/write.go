package chat

import (
	"slices"
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// writer writes one answer for a caller. It implements hub.Encoder.
type writer struct {
	reply   *hub.Reply
	head    []byte // of every chunk, up to its delta
	calls   int    // that have begun
	open    hub.PartKind
	call    hub.Text // id of the open call
	custom  bool     // and whether it takes text
	thought hub.Text // that is open, for its detail
	signed  bool     // the thought has its detail
	details []byte   // of all parts, for the chunk at the end
	told    int      // how many they are
	refused bool
}

func newWriter(r *hub.Reply) *writer { return &writer{reply: r} }

// Append writes chunks (https://platform.openai.com/docs/api-reference/chat-streaming).
// Thoughts go in reasoning_content. All chunks but that of the usage have one choice.
func (w *writer) Append(dst []byte, e hub.Event) []byte {
	switch e.Kind {
	case hub.EventStart:
		return w.chunk(dst, `"role":"assistant","content":""`)
	case hub.EventPart:
		return w.begin(dst, e)
	case hub.EventDelta:
		return w.delta(dst, e)
	case hub.EventOpaque:
		w.opaque(&e.Opaque)
	case hub.EventPartEnd:
		w.end()
	case hub.EventFinish:
		return w.finish(dst, e)
	}
	return dst
}

const (
	afterDelta = `},"finish_reason":null}]}` + "\n\n"
	afterLast  = `"}]}` + "\n\n"
)

// chunk writes a chunk with members of a delta.
func (w *writer) chunk(dst []byte, members string) []byte {
	return append(append(w.before(dst), members...), afterDelta...)
}

// before writes a chunk up to the members of its delta.
func (w *writer) before(dst []byte) []byte {
	if w.head == nil {
		w.head = append(w.identity([]byte("data: "), ".chunk"), `[{"index":0,"delta":{`...)
	}
	return append(dst, w.head...)
}

// identity writes what every chunk and answer begins with, up to the choices.
func (w *writer) identity(dst []byte, object string) []byte {
	dst = wire.AppendText(dst, `{"id":`, "chatcmpl-"+w.reply.ID)
	dst = wire.AppendText(dst, `,"object":`, "chat.completion"+object)
	dst = wire.AppendNumber(dst, `,"created":`, w.reply.Created)
	dst = wire.AppendText(dst, `,"model":`, w.reply.Model)
	return append(dst, `,"choices":`...)
}

// begin notes the part that begins, and tells of a call.
func (w *writer) begin(dst []byte, e hub.Event) []byte {
	w.open, w.call, w.custom, w.thought, w.signed = e.Of, slices.Clone(e.Call.ID), e.Call.Custom, w.thought[:0], false
	if e.Of != hub.PartCall {
		return dst
	}
	w.calls++
	dst = appendCallHead(append(w.beforeCall(dst), ','), e.Call)
	return append(append(dst, `""}}]`...), afterDelta...)
}

// appendCallHead writes the members of a call up to the value of its arguments.
func appendCallHead(dst []byte, c hub.Call) []byte {
	dst = c.ID.AppendAfter(dst, `"id":`)
	if c.Custom {
		dst = c.NameOfFlat().AppendAfter(dst, `,"type":"custom","custom":{"name":`)
		return append(dst, `,"input":`...)
	}
	dst = c.NameOfFlat().AppendAfter(dst, `,"type":"function","function":{"name":`)
	return append(dst, `,"arguments":`...)
}

// beforeCall writes a chunk up to the members of the call that is open.
func (w *writer) beforeCall(dst []byte) []byte {
	dst = append(w.before(dst), `"tool_calls":[{"index":`...)
	return strconv.AppendInt(dst, int64(w.calls-1), 10)
}

// delta writes a piece of the open part.
func (w *writer) delta(dst []byte, e hub.Event) []byte {
	switch e.Of {
	case hub.PartText:
		dst = e.Text.AppendAfter(w.before(dst), `"content":`)
	case hub.PartRefusal:
		w.refused = true
		dst = e.Text.AppendAfter(w.before(dst), `"refusal":`)
	case hub.PartReasoning:
		w.think(e.Text)
		dst = e.Text.AppendAfter(w.before(dst), `"reasoning_content":`)
	case hub.PartCall:
		before := `,"function":{"arguments":`
		if w.custom {
			before = `,"custom":{"input":`
		}
		dst = append(e.Text.AppendAfter(w.beforeCall(dst), before), "}}]"...)
	default:
		return dst
	}
	return append(dst, afterDelta...)
}

// think keeps a thought.
func (w *writer) think(t hub.Text) {
	if len(w.thought)+len(t) <= hub.MostHeld {
		w.thought = append(w.thought, t...)
	}
}
