package responses

import (
	"slices"
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// AppendAnswer writes a whole response.
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	w.refused = slices.ContainsFunc(a.Items, isRefusal)
	status, _ := w.outcomeOf(a.Reason)
	for i := range a.Items {
		item := &a.Items[i]
		if item.Kind == hub.ItemCall && item.Opaque.Present() {
			seal := sealOf(item)
			w.keep(&seal, "completed")
		}
		switch {
		case item.Kind == hub.ItemCall:
			w.keep(item, statusOf(item))
		case item.Kind == hub.ItemMessage && i == len(a.Items)-1:
			w.keep(item, status)
		default:
			w.keep(item, "completed")
		}
	}
	return w.appendResponse(dst, status, a, w.output)
}

func isRefusal(i hub.Item) bool {
	return i.Kind == hub.ItemMessage && len(i.Parts) > 0 && i.Parts[0].Kind == hub.PartRefusal
}

// keep adds an item to the output.
func (w *writer) keep(i *hub.Item, status string) {
	if !told(i) {
		return
	}
	if len(w.output) > 0 {
		w.output = append(w.output, ',')
	}
	w.output = w.appendItem(w.output, i, status)
	w.index++
}

// appendResponse writes a response. a is nil while there is no usage.
func (w *writer) appendResponse(dst []byte, status string, a *hub.Answer, output []byte) []byte {
	r, details := w.reply, "null"
	dst = wire.AppendText(dst, `{"id":`, "resp_"+r.ID)
	dst = wire.AppendNumber(dst, `,"object":"response","created_at":`, r.Created)
	dst = wire.AppendText(dst, `,"model":`, r.Model)
	dst = append(append(dst, `,"status":"`...), status...)
	if a != nil {
		_, details = w.outcomeOf(a.Reason)
	}
	dst = append(append(dst, `","background":false,"error":null,"incomplete_details":`...), details...)
	dst = append(append(append(dst, `,"output":[`...), output...), `],"previous_response_id":null,"store":false`...)
	dst = appendEcho(dst, r.Request)
	if a != nil {
		dst = appendUsage(dst, &a.Usage)
	}
	return append(dst, '}')
}

// appendUsage writes the usage. What was read from a cache or written to one is
// part of the input.
func appendUsage(dst []byte, u *wire.Usage) []byte {
	dst = wire.AppendNumber(dst, `,"usage":{"input_tokens":`, u.Prompt())
	dst = wire.AppendNumber(dst, `,"input_tokens_details":{"cached_tokens":`, u.CacheRead)
	dst = wire.AppendNumber(dst, `,"cache_write_tokens":`, u.CacheCreation)
	dst = wire.AppendNumber(dst, `},"output_tokens":`, u.Output)
	dst = wire.AppendNumber(dst, `,"output_tokens_details":{"reasoning_tokens":`, u.Reasoning)
	dst = wire.AppendNumber(dst, `},"total_tokens":`, u.Prompt()+u.Output)
	return append(dst, '}')
}

// appendItem writes an item of the output.
func (w *writer) appendItem(dst []byte, i *hub.Item, status string) []byte {
	dst = append(w.appendID(append(dst, `{"id":"`...), i), '"')
	switch {
	case i.Kind == hub.ItemReasoning:
		return appendThought(dst, i, status)
	case i.Kind == hub.ItemCall:
		return appendCall(dst, i, status)
	case i.Parts[0].Kind == hub.PartImage:
		return appendMade(dst, &i.Parts[0], status)
	}
	dst = append(append(append(dst, `,"type":"message","status":"`...), status...), `","role":"assistant","content":[`...)
	if status != "in_progress" {
		dst = appendContent(dst, &i.Parts[0], i.Parts[0].Text)
	}
	return append(dst, "]}"...)
}

// appendID writes the id of the present item: it tells the answer, the kind and
// the index.
func (w *writer) appendID(dst []byte, i *hub.Item) []byte {
	kind := "msg_"
	switch {
	case i.Kind == hub.ItemReasoning:
		kind = "rs_"
	case i.Kind == hub.ItemCall && i.Call.Custom:
		kind = "ctc_"
	case i.Kind == hub.ItemCall:
		kind = "fc_"
	case i.Parts[0].Kind == hub.PartImage:
		kind = "ig_"
	}
	dst = append(append(append(dst, kind...), w.reply.ID...), '_')
	return strconv.AppendInt(dst, w.index, 10)
}

// appendContent writes the part of a message with a text.
func appendContent(dst []byte, p *hub.Part, t hub.Text) []byte {
	if p.Kind == hub.PartRefusal {
		return append(t.AppendAfter(dst, `{"type":"refusal","refusal":`), '}')
	}
	return append(t.AppendAfter(dst, `{"type":"output_text","annotations":[],"logprobs":[],"text":`), '}')
}

func appendCall(dst []byte, i *hub.Item, status string) []byte {
	kind, text := "function_call", `,"arguments":`
	if i.Call.Custom {
		kind, text = "custom_tool_call", `,"input":`
	}
	dst = append(append(append(dst, `,"type":"`...), kind...), `","status":"`...)
	dst = append(append(dst, status...), '"')
	dst = i.Call.ID.AppendAfter(dst, `,"call_id":`)
	if len(i.Call.Namespace) > 0 {
		dst = i.Call.Namespace.AppendAfter(dst, `,"namespace":`)
	}
	dst = i.Call.Name.AppendAfter(dst, `,"name":`)
	return append(i.Arguments.AppendAfter(dst, text), '}')
}

// appendThought writes reasoning that is done with its encrypted content, without
// which nobody takes it back: a seal of what only its model can read. OpenAI's own
// is sealed as well, since it is good beside the id that it came with alone.
func appendThought(dst []byte, i *hub.Item, status string) []byte {
	dst = append(dst, `,"type":"reasoning","summary":[`...)
	if len(i.Text) > 0 {
		dst = append(i.Text.AppendAfter(dst, `{"type":"summary_text","text":`), '}')
	}
	dst = append(dst, ']')
	if status != "in_progress" {
		dst = i.Opaque.Seal().AppendAfter(dst, `,"encrypted_content":`)
	}
	return append(dst, '}')
}

// appendMade writes an image that the model has made.
func appendMade(dst []byte, p *hub.Part, status string) []byte {
	dst = append(append(append(dst, `,"type":"image_generation_call","status":"`...), status...), `","result":`...)
	if status == "in_progress" {
		return append(dst, "null}"...)
	}
	return append(p.Data.Append(dst), '}')
}
