package chat

import "relay/gateway/wire/hub"

// AppendAnswer writes a whole answer
// (https://platform.openai.com/docs/api-reference/chat/object).
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	text, refusal, thought := told(a.Items)
	w.refused = len(refusal) > 0
	dst = append(w.identity(dst, ""), `[{"index":0,"message":{"role":"assistant","content":`...)
	switch {
	case len(text) > 0 || !w.refused && !hasCalls(a.Items):
		dst = text.Append(dst)
	default:
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"refusal":`...)
	if w.refused {
		dst = refusal.Append(dst)
	} else {
		dst = append(dst, "null"...)
	}
	if len(thought) > 0 {
		dst = thought.AppendAfter(dst, `,"reasoning_content":`)
	}
	dst = appendDetails(dst, a.Items)
	if hasCalls(a.Items) {
		dst = appendTold(dst, a.Items)
	}
	dst = append(append(dst, `},"logprobs":null,"finish_reason":"`...), w.reasonOf(a.Reason)...)
	dst = append(dst, `"}],"usage":`...)
	return append(appendUsage(dst, &a.Usage), '}')
}

// told returns the texts of an answer by their kind, each joined.
func told(items []hub.Item) (text, refusal, thought hub.Text) {
	for i := range items {
		item := &items[i]
		if item.Kind == hub.ItemReasoning {
			thought = append(thought, item.Text...)
		}
		for _, p := range item.Parts {
			switch p.Kind {
			case hub.PartText:
				text = append(text, p.Text...)
			case hub.PartRefusal:
				refusal = append(refusal, p.Text...)
			}
		}
	}
	return text, refusal, thought
}

func hasCalls(items []hub.Item) bool {
	for i := range items {
		if isCall(items[i]) {
			return true
		}
	}
	return false
}

// appendDetails writes what belongs to thoughts and calls, in their order. Each
// thought has a detail.
func appendDetails(dst []byte, items []hub.Item) []byte {
	before, n := `,"reasoning_details":[`, 0
	for i := range items {
		item := &items[i]
		o := item.Opaque
		if !o.Present() && item.Kind == hub.ItemReasoning && len(item.Text) > 0 {
			o = unsigned()
		}
		if !o.Present() || item.Kind != hub.ItemReasoning && item.Kind != hub.ItemCall {
			continue
		}
		dst = appendDetail(append(dst, before...), &o, item.Text, item.Call.ID, n)
		before, n = ",", n+1
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendTold writes the calls of an answer.
func appendTold(dst []byte, items []hub.Item) []byte {
	before := `,"tool_calls":[{`
	for i := range items {
		if items[i].Kind != hub.ItemCall {
			continue
		}
		dst = appendCallHead(append(dst, before...), items[i].Call)
		dst = append(items[i].Arguments.Append(dst), "}}"...)
		before = ",{"
	}
	return append(dst, ']')
}
