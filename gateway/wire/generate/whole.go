package generate

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// AppendAnswer writes a whole answer.
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	dst = appendReason(w.appendWho(dst), a.Reason)
	dst = append(dst, `,"output":[`...)
	for i := range a.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOutput(dst, &a.Items[i])
	}
	return w.appendEnd(append(dst, ']'), &a.Usage)
}

// appendOutput writes an item with all that it says.
func appendOutput(dst []byte, item *hub.Item) []byte {
	dst = append(dst, '{')
	o := &item.Opaque
	switch item.Kind {
	case hub.ItemReasoning:
		dst = appendNames(dst, hub.PartReasoning, hub.Call{})
		dst = item.Text.AppendAfter(dst, `,"summary":[],"content":`)
	case hub.ItemCall:
		dst = appendNames(dst, hub.PartCall, item.Call)
		dst = item.Arguments.AppendAfter(dst, `,"arguments":`)
	default:
		dst = append(appendNames(dst, hub.PartText, hub.Call{}), `,"content":[`...)
		dst = append(appendPart(dst, &item.Parts[0]), ']')
		o = &item.Parts[0].Opaque
	}
	return append(appendStatus(dst, item.Cut, o, item.Call), '}')
}

// appendReason writes the status of an answer and why it ended.
func appendReason(dst []byte, reason hub.Reason) []byte {
	status, why := "completed", "stop"
	switch reason {
	case hub.ReasonLength:
		status, why = "incomplete", "length"
	case hub.ReasonCalls:
		why = "tool_calls"
	case hub.ReasonFilter:
		status, why = "incomplete", "content_filter"
	case hub.ReasonRefusal:
		why = "refusal"
	case hub.ReasonPause:
		status = "incomplete"
	}
	dst = append(append(dst, `,"status":"`...), status...)
	dst = append(append(dst, `","finish_reason":"`...), why...)
	return append(dst, '"')
}

// appendEnd writes what an answer ends with.
func (w *writer) appendEnd(dst []byte, u *wire.Usage) []byte {
	dst = appendUsage(append(dst, `,"usage":`...), u)
	dst = append(dst, `,"error":null`...)
	if w.r.Details != nil {
		dst = append(append(dst, `,"relay_usage":`...), w.r.Details...)
	}
	return append(dst, '}')
}

func appendUsage(dst []byte, u *wire.Usage) []byte {
	if u == nil {
		return append(dst, "null"...)
	}
	dst = wire.AppendNumber(dst, `{"input":`, u.Input)
	dst = wire.AppendNumber(dst, `,"cache_read":`, u.CacheRead)
	dst = wire.AppendNumber(dst, `,"cache_creation":`, u.CacheCreation)
	dst = wire.AppendNumber(dst, `,"output":`, u.Output)
	dst = wire.AppendNumber(dst, `,"reasoning":`, u.Reasoning)
	dst = wire.AppendNumber(dst, `,"total":`, u.Prompt()+u.Output)
	return append(dst, '}')
}
