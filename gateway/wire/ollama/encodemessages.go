package ollama

import "relay/gateway/wire/hub"

// blankLine stands between texts that become one.
const blankLine = `\n\n`

// appendMessages writes the conversation. Messages of the system and the assistant
// that say nothing are left out. A request without any message would load the
// model and not ask it.
func appendMessages(dst []byte, r *hub.Request) (_ []byte, err error) {
	begun, calls := len(dst), called{items: r.Items}
	for at, n := 0, 0; at < len(r.Items); at += n {
		n = span(r.Items[at:])
		items := r.Items[at : at+n]
		if !says(items) {
			continue
		}
		if len(dst) > begun {
			dst = append(dst, ',')
		}
		if dst, err = appendMessage(dst, items); err != nil {
			return dst, err
		}
		if items[0].Kind == hub.ItemResult {
			dst = calls.append(dst, items[0].Call, at)
		}
		dst = append(dst, '}')
	}
	if len(dst) == begun {
		return dst, hub.Bad("the conversation", "must hold a message that says something")
	}
	return dst, nil
}

// span returns how many of the items, from the first on, are one message: thoughts,
// then a text, then calls of the assistant; of others each is one.
func span(items []hub.Item) int {
	n, last := 0, hub.ItemReasoning
	for n < len(items) && items[n].Side() == hub.SideAssistant {
		kind := items[n].Kind
		if n > 0 && !follows(last, kind) {
			break
		}
		n, last = n+1, kind
	}
	return max(n, 1)
}

// follows reports whether an item may stand behind another in one message.
func follows(last, kind hub.ItemKind) bool {
	switch kind {
	case hub.ItemReasoning:
		return last == hub.ItemReasoning
	case hub.ItemMessage:
		return last == hub.ItemReasoning
	}
	return true
}

// says reports whether a message is worth sending.
func says(items []hub.Item) bool {
	for i := range items {
		switch item := &items[i]; {
		case item.Kind == hub.ItemReasoning:
			if len(item.Text) > 0 {
				return true
			}
		case item.Kind != hub.ItemMessage, item.Role == hub.RoleUser, !item.Empty():
			return true
		}
	}
	return false
}

// appendMessage writes one message up to the members of a result.
func appendMessage(dst []byte, items []hub.Item) ([]byte, error) {
	dst = append(append(dst, `{"role":`...), roleOf(&items[0])...)
	dst = appendContent(append(dst, `,"content":"`...), items)
	dst = appendThinking(append(dst, '"'), items)
	return appendCalls(appendImages(dst, items), items)
}

func roleOf(item *hub.Item) string {
	switch {
	case item.Kind == hub.ItemResult:
		return `"tool"`
	case item.Side() == hub.SideUser:
		return `"user"`
	case item.Side() == hub.SideSystem:
		return `"system"`
	}
	return `"assistant"`
}

// appendContent writes the inside of the text of a message.
func appendContent(dst []byte, items []hub.Item) []byte {
	begun := len(dst)
	for i := range items {
		for p := range items[i].Parts {
			dst = appendJoined(dst, begun, items[i].Parts[p].Text)
		}
	}
	return dst
}

func appendJoined(dst []byte, begun int, t hub.Text) []byte {
	if len(t) > 0 && len(dst) > begun {
		dst = append(dst, blankLine...)
	}
	return append(dst, t...)
}

func appendThinking(dst []byte, items []hub.Item) []byte {
	const name = `,"thinking":"`
	before, begun := len(dst), len(dst)+len(name)
	dst = append(dst, name...)
	for i := range items {
		dst = appendJoined(dst, begun, items[i].Text)
	}
	if len(dst) == begun {
		return dst[:before]
	}
	return append(dst, '"')
}

func appendImages(dst []byte, items []hub.Item) []byte {
	before, begun := `,"images":[`, len(dst)
	for i := range items {
		for p := range items[i].Parts {
			if part := &items[i].Parts[p]; part.Kind == hub.PartImage {
				dst = part.Data.AppendAfter(dst, before)
				before = ","
			}
		}
	}
	if len(dst) > begun {
		dst = append(dst, ']')
	}
	return dst
}
