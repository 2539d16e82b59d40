package messages

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// AppendAnswer writes a whole message.
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	dst = w.head(dst)
	for i := range a.Items {
		dst = appendItem(dst, &a.Items[i])
	}
	dst = append(dst, "],"...)
	dst = appendReason(dst, a.Reason, a.StopSeq)
	dst = append(dst, `,"usage":`...)
	return append(appendUsage(dst, &a.Usage), '}')
}

func appendItem(dst []byte, i *hub.Item) []byte {
	switch i.Kind {
	case hub.ItemReasoning:
		return appendThought(dst, i)
	case hub.ItemCall:
		return appendCall(dst, i)
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
	var signature hub.Text
	hasText := !i.Text.Blank()
	redacted := i.Opaque.Present() && isRedacted(&i.Opaque, hasText)
	if i.Opaque.Present() && !redacted {
		signature = seal(&i.Opaque)
	}
	if hasText || signature != nil {
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

// appendCall writes a call. One that has been cut off has no input that could be
// told: it is left out, and the reason says that more was to come.
func appendCall(dst []byte, i *hub.Item) []byte {
	input := i.Arguments.Plain()
	if i.Call.Custom {
		input = append(i.Arguments.AppendAfter(nil, `{"input":`), '}')
	}
	if i.Cut || !wire.Valid(input) {
		return dst
	}
	if i.Opaque.Present() {
		dst = appendRedacted(dst, sealOf(&i.Opaque, i.Call.ID))
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
