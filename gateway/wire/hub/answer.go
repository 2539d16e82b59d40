package hub

import (
	"slices"

	"relay/gateway/wire"
)

// Answer is a whole answer: the fold of the events of a Sequence, whose Sink it
// is. It keeps copies.
type Answer struct {
	Items   []Item // ItemMessage of RoleAssistant with one part, ItemReasoning and ItemCall, in order
	Reason  Reason
	StopSeq Text
	Usage   wire.Usage
}

// Event takes the next event.
func (a *Answer) Event(e Event) {
	switch e.Kind {
	case EventPart:
		a.Items = append(a.Items, newItem(e))
	case EventDelta:
		t := a.last().text()
		*t = append(*t, e.Text...)
	case EventOpaque:
		*a.last().opaque() = e.Opaque.Clone()
	case EventPartEnd:
		a.last().Cut = e.Cut
	case EventFinish:
		a.Reason, a.StopSeq = e.Reason, slices.Clone(e.StopSeq)
		if e.Usage != nil {
			a.Usage = *e.Usage
		}
	}
}

func (a *Answer) last() *Item { return &a.Items[len(a.Items)-1] }

func newItem(e Event) Item {
	switch e.Of {
	case PartReasoning:
		return Item{Kind: ItemReasoning}
	case PartCall:
		return Item{Kind: ItemCall, Call: e.Call.clone()}
	case PartImage, PartAudio, PartFile:
		media := e.Media.clone()
		media.Kind = e.Of
		return Item{Kind: ItemMessage, Role: RoleAssistant, Parts: []Part{media}}
	}
	return Item{Kind: ItemMessage, Role: RoleAssistant, Parts: []Part{{Kind: e.Of}}}
}

// text is where the deltas of the item go.
func (i *Item) text() *Text {
	switch i.Kind {
	case ItemReasoning:
		return &i.Text
	case ItemCall:
		return &i.Arguments
	}
	return &i.Parts[0].Text
}

// opaque is where what belongs to the item goes.
func (i *Item) opaque() *Opaque {
	if i.Kind == ItemMessage {
		return &i.Parts[0].Opaque
	}
	return &i.Opaque
}

func (c Call) clone() Call {
	c.ID, c.Name, c.Namespace = slices.Clone(c.ID), slices.Clone(c.Name), slices.Clone(c.Namespace)
	return c
}

// clone copies what describes media; parts of other kinds have deltas.
func (p *Part) clone() Part {
	c := *p
	c.Data, c.MediaType, c.URL = slices.Clone(p.Data), slices.Clone(p.MediaType), slices.Clone(p.URL)
	return c
}

// Clone returns a copy that refers to nothing else.
func (o Opaque) Clone() Opaque {
	o.ID, o.Data, o.Signed = slices.Clone(o.ID), slices.Clone(o.Data), slices.Clone(o.Signed)
	return o
}
