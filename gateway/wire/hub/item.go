package hub

import "iter"

// Item is one step of a conversation, and of an answer.
type Item struct {
	Kind ItemKind
	Role Role // of an ItemMessage

	Parts []Part // of an ItemMessage and of what an ItemResult says

	Text   Text   // of an ItemReasoning: what was thought, or its summary; may be empty
	Opaque Opaque // that belongs to an ItemReasoning or ItemCall

	Call      Call // of an ItemCall; of an ItemResult the call it belongs to, whose Name may be empty
	Arguments Text // of an ItemCall: JSON as text; of a custom call any text
	Failed    bool // an ItemResult tells an error
	Cut       bool // an ItemCall of an answer whose arguments have not come to their end

	Mark []byte // a cache mark, JSON as it was written, of an ItemCall or ItemResult; see Part.Mark
}

// ItemKind says what an Item is.
type ItemKind uint8

const (
	ItemMessage ItemKind = iota
	ItemReasoning
	ItemCall
	ItemResult
)

// Role is who speaks in a message.
type Role uint8

const (
	RoleSystem Role = iota // and developer
	RoleUser
	RoleAssistant
)

// Call names a call of a tool.
type Call struct {
	ID        Text
	Name      Text
	Namespace Text // of the tool; most have none
	Custom    bool // a tool that takes text and not JSON
}

// Part is a piece of a message.
type Part struct {
	Kind PartKind
	Text Text // of PartText and PartRefusal

	// Media are held in one of three ways: as base64 (RFC 4648, standard alphabet)
	// with its media type, as an address, or as the id of a file that the provider
	// keeps. A data address is always read into the first.
	Data      Text
	MediaType Text
	URL       Text
	FileID    Text
	Name      Text // of a file; may be empty
	Detail    Text // of an image: how closely to look at it; may be empty

	Opaque Opaque // that belongs to a PartText
	Mark   []byte // cache_control of the part, JSON as it was written; nil: none
}

// PartKind says what a Part is.
type PartKind uint8

const (
	PartText PartKind = iota
	PartRefusal
	PartImage
	PartFile // a document
	PartAudio
	PartReasoning // of events alone
	PartCall      // of events alone
)

// Side is who a turn belongs to.
type Side uint8

const (
	SideSystem    Side = iota
	SideUser           // messages of the user and results of tools
	SideAssistant      // messages, reasoning and calls of the model
)

// Side returns whose turn the item is part of.
func (i *Item) Side() Side {
	switch {
	case i.Kind == ItemResult || i.Kind == ItemMessage && i.Role == RoleUser:
		return SideUser
	case i.Kind == ItemMessage && i.Role == RoleSystem:
		return SideSystem
	}
	return SideAssistant
}

// Turns yields the items in runs of one side.
func Turns(items []Item) iter.Seq2[Side, []Item] {
	return func(yield func(Side, []Item) bool) {
		for len(items) > 0 {
			side, n := items[0].Side(), 1
			for n < len(items) && items[n].Side() == side {
				n++
			}
			if !yield(side, items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}

// Leading splits off the system messages that a conversation begins with.
func Leading(items []Item) (system, rest []Item) {
	n := 0
	for n < len(items) && items[n].Side() == SideSystem {
		n++
	}
	return items[:n], items[n:]
}

// Empty reports whether nothing of the item is worth sending: a message without
// parts, or with parts of blank text alone.
func (i *Item) Empty() bool {
	if i.Kind != ItemMessage {
		return false
	}
	for p := range i.Parts {
		if !i.Parts[p].Blank() {
			return false
		}
	}
	return true
}

// Blank reports whether the part is text that says nothing.
func (p *Part) Blank() bool { return p.Kind == PartText && p.Text.Blank() }
