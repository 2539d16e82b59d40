package chat

import (
	"slices"

	"relay/gateway/wire/hub"
)

// readAssistant reads what the model has said: its thoughts, its words, and then
// its calls. Empty words beside calls are none.
func (b *request) readAssistant(m *message) *fault {
	parts, f := readContent(m.content)
	if f != nil {
		return f
	}
	refusal, f := textOf("refusal", m.refusal)
	if f != nil {
		return f
	}
	if len(refusal) > 0 {
		parts = append(parts, hub.Part{Kind: hub.PartRefusal, Text: refusal})
	}
	called, f := b.readCalls(m)
	if f != nil {
		return f
	}
	thoughts, f := b.readThoughts(m, called)
	if f != nil {
		return f
	}
	b.r.Items = append(b.r.Items, thoughts...)
	if len(called) > 0 {
		parts = slices.DeleteFunc(parts, isEmptyText)
	}
	b.speak(hub.RoleAssistant, m, parts)
	b.r.Items = append(b.r.Items, called...)
	return nil
}

func isEmptyText(p hub.Part) bool { return p.Kind == hub.PartText && len(p.Text) == 0 }

// readCalls reads the calls of a message. A mark of the message is one of its last
// call.
func (b *request) readCalls(m *message) ([]hub.Item, *fault) {
	if m.calls != nil && m.calls[0] != '[' {
		return nil, bad("tool_calls", "must be an array of calls")
	}
	var called []hub.Item
	for value := range hub.Elements(m.calls) {
		item, f := readCall(value)
		if f != nil {
			return nil, f.in("tool_calls", len(called))
		}
		called = append(called, item)
	}
	if n := len(called); n > 0 && m.mark != nil {
		if called[n-1].Mark == nil {
			called[n-1].Mark = m.mark
		}
		m.mark = nil
	}
	return called, nil
}

// readCall reads one call. Arguments are JSON as text; some send the object itself.
func readCall(value []byte) (hub.Item, *fault) {
	item := hub.Item{Kind: hub.ItemCall}
	inner, where, what := []byte(nil), "function", "arguments"
	for name, value := range hub.Members(value) {
		switch string(name) {
		case "id":
			item.Call.ID, _ = hub.TextOf(value)
		case "function":
			inner = value
		case "custom":
			inner, where, what = value, "custom", "input"
			item.Call.Custom = true
		case "cache_control":
			item.Mark = mark(value)
		}
	}
	item.Call.Name, _ = hub.TextOf(hub.MemberOf(inner, "name"))
	item.Arguments = argumentsOf(hub.MemberOf(inner, what))
	switch {
	case len(item.Call.ID) == 0:
		return item, bad("id", "must be a string that is not empty")
	case len(item.Call.Name) == 0:
		return item, bad(where+".name", "must be a string that is not empty")
	case !item.Call.Custom && item.Arguments.Blank():
		item.Arguments = hub.Text("{}")
	}
	return item, nil
}

// argumentsOf returns arguments as text, also where they are an object.
func argumentsOf(value []byte) hub.Text {
	if t, ok := hub.TextOf(value); ok || hub.IsNull(value) {
		return t
	}
	return hub.Quote(string(value))
}
