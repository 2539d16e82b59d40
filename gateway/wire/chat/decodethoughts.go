package chat

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// readThoughts reads what a message says of the model's thoughts, and gives its
// calls what belongs to them.
func (b *request) readThoughts(m *message, called []hub.Item) ([]hub.Item, *fault) {
	said, f := textOf("reasoning_content", m.thought)
	if f != nil {
		return nil, f
	}
	if len(said) == 0 {
		said, _ = hub.TextOf(m.otherThought)
	}
	return withText(claim(b.readDetails(m.detail), called), said), nil
}

// readDetails reads the details. What other vendors have encrypted is of no use.
func (b *request) readDetails(array []byte) []hub.Item {
	var thoughts []hub.Item
	for value := range hub.Elements(array) {
		d := readDetail(value)
		item := hub.Item{Kind: hub.ItemReasoning, Text: d.thought()}
		if o := d.opaque(); o.Present() {
			item.Opaque = o
		}
		switch {
		case item.Opaque.Present(), len(item.Text) > 0:
			thoughts = append(thoughts, item)
		case len(d.data)+len(d.signature) > 0:
			b.r.AddUnknown("messages.reasoning_details", value)
		}
	}
	return thoughts
}

// claim gives the calls what belongs to them and came among the thoughts: what has
// the id of a call and no text. It returns the other thoughts.
func claim(thoughts, called []hub.Item) []hub.Item {
	byID := make([]*hub.Item, len(called))
	for i := range called {
		byID[i] = &called[i]
	}
	compare := func(c *hub.Item, id hub.Text) int { return bytes.Compare(c.Call.ID, id) }
	slices.SortStableFunc(byID, func(a, b *hub.Item) int { return compare(a, b.Call.ID) })
	return slices.DeleteFunc(thoughts, func(t hub.Item) bool {
		i, found := slices.BinarySearchFunc(byID, t.Opaque.ID, compare)
		if !found || len(t.Text) > 0 {
			return false
		}
		byID[i].Opaque = t.Opaque
		byID[i].Opaque.Kind = hub.OpaqueSignature
		return true
	})
}

// withText adds the text of the thoughts as a whole. Details that have texts have
// told it already; else it belongs to the first that is encrypted, or is a thought
// of its own.
func withText(thoughts []hub.Item, said hub.Text) []hub.Item {
	if len(said) == 0 || slices.ContainsFunc(thoughts, func(t hub.Item) bool { return len(t.Text) > 0 }) {
		return thoughts
	}
	for i := range thoughts {
		if thoughts[i].Opaque.Kind == hub.OpaqueEncrypted {
			thoughts[i].Text = said
			return thoughts
		}
	}
	return append([]hub.Item{{Kind: hub.ItemReasoning, Text: said}}, thoughts...)
}
