package messages

import (
	"slices"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// opened is a block of an answer that has been begun.
type opened struct {
	index  int
	of     hub.PartKind // PartText also of the tool whose input is the answer
	tool   bool         // it has an input
	custom bool         // of a tool that takes text
	begun  bool         // pieces of its input have been told
	input  []byte       // that came with its beginning
	held   hub.Text     // of a thought the signature; of a custom call the input
}

func (b *opened) bounded() error {
	if len(b.held) > hub.MostHeld {
		return errLong
	}
	return nil
}

// block finds a block that is open; nil when it is not or is not told.
func (a *answer) block(index int) *opened {
	for _, b := range a.blocks {
		if b.index == index {
			return b
		}
	}
	return nil
}

// mostBlocks bounds the blocks that are open at a time.
const mostBlocks = 4096

// open begins a block, and tells what it holds already.
func (a *answer) open(index int, value []byte, to hub.Sink) error {
	if len(a.blocks) == mostBlocks {
		return errBlocks
	}
	b := &opened{index: index}
	said := readBlock(value)
	switch string(said.kind) {
	case "text":
		b.tell(textOf(said.text), to)
	case "thinking":
		b.of, b.held = hub.PartReasoning, slices.Clone(textOf(said.signature))
		b.tell(textOf(said.thinking), to)
	case "redacted_thinking":
		b.of = hub.PartReasoning
		a.tellOpaque(b, hub.OpaqueRedacted, textOf(said.data), to)
	case "tool_use":
		b.tool, b.input = true, slices.Clone(said.input)
		a.openTool(b, &said, to)
	default:
		return nil // of a tool that the provider runs
	}
	a.blocks = append(a.blocks, b)
	return nil
}

// openTool begins a call, or the answer that comes as one.
func (a *answer) openTool(b *opened, said *block, to hub.Sink) {
	name := textOf(said.name)
	if len(a.tool) > 0 && name.Is(a.tool.String()) {
		return
	}
	call := a.tools.Call(textOf(said.id), name)
	b.of, b.custom = hub.PartCall, call.Custom
	to.Event(hub.Event{Kind: hub.EventPart, Of: b.of, Part: b.index, Call: call})
}

// close ends a block.
func (a *answer) close(index int, to hub.Sink) {
	b := a.block(index)
	if b == nil {
		return
	}
	a.blocks = slices.DeleteFunc(a.blocks, func(o *opened) bool { return o == b })
	end := hub.Event{Kind: hub.EventPartEnd, Of: b.of, Part: b.index}
	switch {
	case b.custom:
		text, whole := b.text()
		end.Cut = !whole
		b.tell(text, to)
	case b.tool && !b.begun:
		b.tell(appendEscaped(nil, b.whole()), to)
	case b.of == hub.PartReasoning && len(b.held) > 0:
		a.tellOpaque(b, hub.OpaqueSignature, b.held, to)
	}
	to.Event(end)
}

// whole is the input of a tool of which no piece has come.
func (b *opened) whole() []byte {
	if hub.IsNull(b.input) {
		return []byte("{}")
	}
	return b.input
}

// text is what a custom tool is called with. What has been cut off before its end
// is not told.
func (b *opened) text() (t hub.Text, whole bool) {
	input := b.whole()
	if len(b.held) > 0 {
		input = b.held.Plain()
	}
	if !wire.Valid(input) {
		return nil, false
	}
	return hub.CustomText(input), true
}

func (b *opened) tell(t hub.Text, to hub.Sink) {
	if len(t) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: b.of, Part: b.index, Text: t})
	}
}

func (a *answer) tellOpaque(b *opened, kind hub.OpaqueKind, data hub.Text, to hub.Sink) {
	o := hub.Opaque{Shape: shape, Provider: a.provider, Kind: kind, Data: data}
	to.Event(hub.Event{Kind: hub.EventOpaque, Of: b.of, Part: b.index, Opaque: o})
}
