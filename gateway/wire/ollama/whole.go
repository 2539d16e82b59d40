package ollama

import "relay/gateway/wire/hub"

// AppendAnswer writes a whole answer: one object in which the texts and thoughts
// are joined as the lines of a stream would be.
func (w *writer) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	dst = append(dst, w.head...)
	for i := range a.Items {
		dst = appendSaid(dst, &a.Items[i])
	}
	dst = appendThoughts(append(dst, '"'), a.Items)
	if w.calls {
		dst = appendMade(dst, a.Items)
	}
	return w.appendEnd(dst, a.Reason, &a.Usage)
}

func appendSaid(dst []byte, item *hub.Item) []byte {
	for p := range item.Parts {
		dst = append(dst, item.Parts[p].Text...)
	}
	return dst
}

func appendThoughts(dst []byte, items []hub.Item) []byte {
	const name = `,"thinking":"`
	begun := len(dst)
	dst = append(dst, name...)
	for i := range items {
		dst = append(dst, items[i].Text...)
	}
	if len(dst) == begun+len(name) {
		return dst[:begun]
	}
	return append(dst, '"')
}

// appendMade writes the calls that are whole.
func appendMade(dst []byte, items []hub.Item) []byte {
	before, n := `,"tool_calls":[{`, 0
	for i := range items {
		if item := &items[i]; item.Kind == hub.ItemCall && !item.Cut {
			dst = appendCall(append(dst, before...), item.Call, item.Arguments, n)
			before = ",{"
			n++
		}
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}
