package gemini

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// add begins an item.
func (c *conversation) add(item hub.Item) *hub.Item {
	c.r.Items = append(c.r.Items, item)
	c.open, c.owned = false, false
	return &c.r.Items[len(c.r.Items)-1]
}

// last returns the last item of the turn; nil where it has none yet.
func (c *conversation) last() *hub.Item {
	if len(c.r.Items) > c.turn {
		return &c.r.Items[len(c.r.Items)-1]
	}
	return nil
}

// addPart adds a part to the message that is open, or begins one.
func (c *conversation) addPart(p hub.Part) {
	m := c.last()
	if m == nil || !c.open {
		m = c.add(hub.Item{Role: c.role})
	}
	m.Parts = append(m.Parts, p)
	c.open, c.owned = true, false
}

// say takes a text. Pieces of the model's are one text, but for those that a
// signature belongs to.
func (c *conversation) say(text hub.Text, said *part) {
	var o hub.Opaque
	c.opaques(said, func(found hub.Opaque) {
		switch {
		case found.Shape == shape:
			o = found
		case found.Present():
			c.credit(found)
		}
	})
	switch p := c.openText(); {
	case len(text) == 0 && !o.Present():
	case p != nil && !o.Present():
		c.join(&p.Text, text)
	default:
		c.addPart(hub.Part{Text: text, Opaque: o})
	}
}

// openText returns the text of the model that goes on; nil: there is none.
func (c *conversation) openText() *hub.Part {
	m := c.last()
	if m == nil || !c.open || c.role != hub.RoleAssistant {
		return nil
	}
	if p := &m.Parts[len(m.Parts)-1]; p.Kind == hub.PartText && !p.Opaque.Present() {
		return p
	}
	return nil
}

// join adds a piece to a text, which is a part of the body until it is copied.
func (c *conversation) join(to *hub.Text, piece hub.Text) {
	if !c.owned {
		*to = slices.Clip(*to)
	}
	*to, c.owned = append(*to, piece...), true
}

// think takes a thought. Its pieces are one until a signature ends them.
func (c *conversation) think(text hub.Text, o hub.Opaque) {
	item := c.last()
	if c.role != hub.RoleAssistant {
		return
	}
	goesOn := item != nil && item.Kind == hub.ItemReasoning && !item.Opaque.Present() && o.Kind != hub.OpaqueRedacted
	switch {
	case goesOn:
		c.join(&item.Text, text)
	case len(text) > 0 || o.Present():
		item = c.add(hub.Item{Kind: hub.ItemReasoning, Text: text})
	default:
		return
	}
	item.Opaque = o
}

// opaque returns what a part's signature is: one of this shape, or what Seal has
// wrapped up.
func (c *conversation) opaque(p *part) hub.Opaque {
	if said := p.signed(); len(said) > 0 && c.role == hub.RoleAssistant {
		return hub.Unseal(said, hub.Opaque{Shape: shape})
	}
	return hub.Opaque{}
}

// opaques calls take with each of those that a part's signature is: where clients
// keep them better than in their own place, those of another shape ride on it.
func (c *conversation) opaques(p *part, take func(hub.Opaque)) {
	if said := p.signed(); len(said) > 0 && c.role == hub.RoleAssistant {
		hub.UnsealAll(said, hub.Opaque{Shape: shape}, take)
	}
}

// credit gives an opaque part of another shape, which rode on a text or call, to
// the reasoning before it. Where the caller has left that out, an item that holds
// nothing else stands where it was: before what was said since the last call.
func (c *conversation) credit(o hub.Opaque) {
	at := len(c.r.Items)
	for ; at > c.turn; at-- {
		item := &c.r.Items[at-1]
		switch {
		case item.Kind == hub.ItemMessage:
			continue
		case item.Kind != hub.ItemReasoning:
		case !item.Opaque.Present() && o.Kind != hub.OpaqueRedacted:
			item.Opaque = o
			return
		case bytes.Equal(item.Opaque.Data, o.Data):
			return
		}
		break
	}
	c.r.Items = slices.Insert(c.r.Items, at, hub.Item{Kind: hub.ItemReasoning, Text: o.Signed, Opaque: o})
}
