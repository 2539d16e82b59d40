package messages

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// AppendAnswer writes a whole message.
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	dst = w.head(dst)
	for i := range a.Items {
		dst = w.item(dst, &a.Items[i])
	}
	dst = append(dst, "],"...)
	dst = appendReason(dst, a.Reason, a.StopSeq)
	dst = append(dst, `,"usage":`...)
	return append(appendUsage(dst, &a.Usage), '}')
}

func (w *writer) item(dst []byte, i *hub.Item) []byte {
	switch i.Kind {
	case hub.ItemReasoning:
		before := len(dst)
		dst = appendThought(dst, i)
		w.marked = w.marked || len(dst) > before
		return dst
	case hub.ItemCall:
		return w.whole(dst, i)
	}
	for p := range i.Parts {
		part := &i.Parts[p]
		if (part.Kind == hub.PartText || part.Kind == hub.PartRefusal) && !part.Text.Blank() {
			dst = part.Text.AppendAfter(next(dst), `{"type":"text","text":`)
			dst = append(dst, '}')
		}
	}
	return dst
}

func appendThought(dst []byte, i *hub.Item) []byte {
	signature := hub.Unsigned()
	hasText := !i.Text.Blank()
	redacted := i.Opaque.Present() && isRedacted(&i.Opaque, hasText)
	signed := i.Opaque.Present() && !redacted
	if signed {
		signature = seal(&i.Opaque)
	}
	if hasText || signed {
		dst = i.Text.AppendAfter(next(dst), `{"type":"thinking","thinking":`)
		dst = append(signature.AppendAfter(dst, `,"signature":`), '}')
	}
	if redacted {
		dst = appendRedacted(dst, seal(&i.Opaque))
	}
	return dst
}

func appendRedacted(dst []byte, data hub.Text) []byte {
	return append(data.AppendAfter(next(dst), `{"type":"redacted_thinking","data":`), '}')
}

// whole writes a call. One that has been cut off has no input that could be told: it
// is left out, and the reason says that more was to come.
func (w *writer) whole(dst []byte, i *hub.Item) []byte {
	input := i.Arguments.Plain()
	if i.Call.Custom {
		input = append(i.Arguments.AppendAfter(nil, `{"input":`), '}')
	}
	if i.Cut || !wire.Valid(input) {
		return dst
	}
	switch {
	case i.Opaque.Present():
		dst, w.marked = appendRedacted(dst, sealOf(&i.Opaque, i.Call.ID)), true
	case !w.marked && needsMark(w.reply.Request, i.Call.ID):
		dst, w.marked = appendRedacted(dst, hub.Unsigned()), true
	}
	dst = i.Call.ID.AppendAfter(next(dst), `{"type":"tool_use","id":`)
	dst = i.Call.NameOfFlat().AppendAfter(dst, `,"name":`)
	dst = append(append(dst, `,"input":`...), input...)
	return append(dst, '}')
}

// appendReason writes the members stop_reason and stop_sequence.
func appendReason(dst []byte, r hub.Reason, stop hub.Text) []byte {
	dst = wire.AppendText(dst, `"stop_reason":`, reasonName(r))
	if r != hub.ReasonStopSequence || len(stop) == 0 {
		return append(dst, `,"stop_sequence":null`...)
	}
	return stop.AppendAfter(dst, `,"stop_sequence":`)
}

// appendUsage writes a usage object; zeros while nothing is known.
func appendUsage(dst []byte, u *wire.Usage) []byte {
	if u == nil {
		u = &wire.Usage{}
	}
	dst = wire.AppendNumber(dst, `{"input_tokens":`, u.Input)
	dst = wire.AppendNumber(dst, `,"cache_creation_input_tokens":`, u.CacheCreation)
	dst = wire.AppendNumber(dst, `,"cache_read_input_tokens":`, u.CacheRead)
	dst = wire.AppendNumber(dst, `,"output_tokens":`, u.Output)
	if u.Reasoning > 0 {
		dst = wire.AppendNumber(dst, `,"output_tokens_details":{"thinking_tokens":`, u.Reasoning)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
