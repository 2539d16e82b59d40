package messages

import (
	"slices"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// speech reads what one message says into items.
type speech struct {
	r     *hub.Request
	role  hub.Role
	first int        // the message's first item
	parts []hub.Part // that are not yet in an item
}

// content reads a text or an array of blocks.
func (s *speech) content(value []byte, path string) error {
	err := eachBlock(value, path, s.block)
	s.settle()
	return err
}

func (s *speech) block(b block, path string) error {
	switch b.kind.String() {
	case "tool_use":
		return s.call(b, path)
	case "tool_result":
		return s.result(b, path)
	case "thinking":
		return s.thought(textOf(b.thinking), textOf(b.signature), hub.OpaqueSignature)
	case "redacted_thinking":
		return s.thought(nil, textOf(b.data), hub.OpaqueRedacted)
	}
	parts, err := appendParts(s.parts, b, path)
	s.parts = parts
	return err
}

// flush makes an item of the parts that have been read.
func (s *speech) flush() {
	if len(s.parts) > 0 {
		s.r.Items = append(s.r.Items, hub.Item{Role: s.role, Parts: s.parts})
		s.parts = nil
	}
}

func (s *speech) add(i hub.Item) {
	s.flush()
	s.r.Items = append(s.r.Items, i)
}

// thought reads a thought, signed or not.
func (s *speech) thought(text, opaque hub.Text, kind hub.OpaqueKind) error {
	i := hub.Item{Kind: hub.ItemReasoning, Text: text}
	if len(opaque) > 0 {
		i.Opaque = hub.Unseal(opaque, hub.Opaque{Shape: shape, Kind: kind})
	}
	if len(text) > 0 || i.Opaque.Present() {
		s.add(i)
	}
	return nil
}

// settle gives the calls of the message what belongs to them: it has come in a
// thought of its own, which is sealed and names the call.
func (s *speech) settle() {
	said := s.r.Items[s.first:]
	var calls *hub.CallIndex
	for n := range said {
		if !isSealOfCall(&said[n]) {
			continue
		}
		if calls == nil {
			calls = hub.IndexCalls(said)
		}
		if call := calls.First(said[n].Opaque.ID); call != nil && !call.Opaque.Present() {
			call.Opaque, said[n].Opaque = said[n].Opaque, hub.Opaque{}
		}
	}
	if calls != nil {
		s.r.Items = slices.DeleteFunc(s.r.Items, isNothing)
	}
}

func isSealOfCall(i *hub.Item) bool {
	o := &i.Opaque
	return i.Kind == hub.ItemReasoning && len(i.Text) == 0 && len(o.ID) > 0 && o.Shape != shape
}

// isNothing reports whether an item is a thought of which nothing is left.
func isNothing(i hub.Item) bool {
	return i.Kind == hub.ItemReasoning && len(i.Text) == 0 && !i.Opaque.Present()
}

// call reads a call of a tool.
func (s *speech) call(b block, path string) error {
	i := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: textOf(b.id), Name: textOf(b.name)}, Mark: b.mark}
	switch {
	case len(i.Call.ID) == 0:
		return hub.Bad(path+".id", "must be a text")
	case len(i.Call.Name) == 0:
		return hub.Bad(path+".name", "must be a text")
	case b.input == nil:
		b.input = []byte("{}")
	case b.input[0] != '{':
		return hub.Bad(path+".input", "must be an object")
	}
	i.Arguments = appendEscaped(nil, b.input)
	s.add(i)
	return nil
}

// result reads what a tool has said.
func (s *speech) result(b block, path string) error {
	id := textOf(b.result)
	if len(id) == 0 {
		return hub.Bad(path+".tool_use_id", "must be a text")
	}
	i := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: id}, Failed: string(b.failed) == "true", Mark: b.mark}
	err := eachBlock(b.content, path+".content", func(b block, path string) (err error) {
		i.Parts, err = appendParts(i.Parts, b, path)
		return err
	})
	s.add(i)
	return err
}

// foreign is the refusal of a block that only a host of this shape can read.
func foreign(kind hub.Text, path string) error {
	const longest = 64 // bytes of a type that are repeated
	kind = kind[:min(len(kind), longest)]
	e := wire.Errorf(wire.CodeUnsupportedParam,
		"%s is of the type %s, which only hosts that speak the shape %s understand. Leave the block out, or use a model with such a host.", path, kind, shape)
	e.Param = path
	return e
}
