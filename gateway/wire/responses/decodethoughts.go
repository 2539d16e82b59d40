package responses

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// readThought reads reasoning: its summary, or what was thought where there is no
// summary.
func (d *decoding) readThought(f *fields) {
	item := hub.Item{Kind: hub.ItemReasoning, Text: joined(f.summary)}
	if len(item.Text) == 0 {
		item.Text = joined(f.content)
	}
	if t, ok := hub.TextOf(f.encrypted); ok && len(t) > 0 {
		id, _ := hub.TextOf(f.id)
		item.Opaque = hub.Unseal(t, hub.Opaque{Shape: shape, Kind: hub.OpaqueEncrypted, ID: id})
	}
	if len(item.Text) > 0 || item.Opaque.Present() {
		d.add(item)
	}
}

// joined returns the texts of parts as one, with blank lines between them.
func joined(parts []byte) hub.Text {
	var all hub.Text
	for part := range hub.Elements(parts) {
		t, _ := hub.TextOf(hub.MemberOf(part, "text"))
		if len(all) > 0 && len(t) > 0 {
			all = append(all, blankLine...)
		}
		all = append(all, t...)
	}
	return all
}

// blankLine stands between texts that are joined, as JSON has it.
const blankLine = `\n\n`

// returnOpaque gives back to calls what belongs to them: it has come in a
// reasoning item of its own, which stands beside the call and names it.
func (d *decoding) returnOpaque() {
	items := d.r.Items
	for i := range items {
		if seal := &items[i]; seal.Kind == hub.ItemReasoning && len(seal.Text) == 0 {
			if c := callBeside(items, i, seal.Opaque.ID); c != nil {
				c.Opaque, seal.Opaque = seal.Opaque, hub.Opaque{}
			}
		}
	}
	d.r.Items = slices.DeleteFunc(items, func(i hub.Item) bool {
		return i.Kind == hub.ItemReasoning && len(i.Text) == 0 && !i.Opaque.Present()
	})
}

// callBeside returns the call with the id within a few items; nil: there is none.
func callBeside(items []hub.Item, at int, id hub.Text) *hub.Item {
	const few = 8
	for i := max(at-few, 0); len(id) > 0 && i < min(at+few, len(items)); i++ {
		if c := &items[i]; c.Kind == hub.ItemCall && bytes.Equal(c.Call.ID, id) {
			return c
		}
	}
	return nil
}
