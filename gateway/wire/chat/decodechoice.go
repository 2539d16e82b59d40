package chat

import (
	"slices"

	"relay/gateway/wire/hub"
)

// readChoice reads whether tools must be called. Some callers write a mode as an
// object of that type.
func (b *request) readChoice() *fault {
	if b.choice == nil {
		return nil
	}
	c := &b.r.Choice
	if word, ok := hub.TextOf(b.choice); ok {
		return setMode(c, word)
	}
	kind, _ := hub.TextOf(hub.MemberOf(b.choice, "type"))
	switch said := kind.String(); said {
	case "function", "custom":
		c.Mode = hub.ChoiceNamed
		if c.Name = nameWithin(b.choice, said); len(c.Name) == 0 {
			return bad("tool_choice."+said+".name", "must be the name of a tool")
		}
		return nil
	case "allowed_tools":
		return b.readAllowed(hub.MemberOf(b.choice, said))
	}
	return setMode(c, kind)
}

// nameWithin returns the name in a member of an object, or beside it.
func nameWithin(object []byte, member string) hub.Text {
	name, ok := hub.TextOf(hub.MemberOf(hub.MemberOf(object, member), "name"))
	if !ok {
		name, _ = hub.TextOf(hub.MemberOf(object, "name"))
	}
	return name
}

func setMode(c *hub.Choice, word hub.Text) *fault {
	switch word.String() {
	case "auto":
		c.Mode = hub.ChoiceAuto
	case "none":
		c.Mode = hub.ChoiceNone
	case "required", "any":
		c.Mode = hub.ChoiceRequired
	default:
		return bad("tool_choice", "must be none, auto, required, or name a tool")
	}
	return nil
}

// readAllowed reads a choice among some of the tools. No other shape knows it: the
// request goes up with those tools alone, which asks for the same.
func (b *request) readAllowed(value []byte) *fault {
	mode, _ := hub.TextOf(hub.MemberOf(value, "mode"))
	if f := setMode(&b.r.Choice, mode); f != nil {
		return bad("tool_choice.allowed_tools.mode", "must be auto or required")
	}
	var names []string
	for tool := range hub.Elements(hub.MemberOf(value, "tools")) {
		kind, _ := hub.TextOf(hub.MemberOf(tool, "type"))
		names = append(names, nameWithin(tool, kind.String()).String())
	}
	slices.Sort(names)
	b.r.Tools = slices.DeleteFunc(b.r.Tools, func(t hub.Tool) bool {
		_, allowed := slices.BinarySearch(names, t.Name.String())
		return !allowed
	})
	if len(b.r.Tools) == 0 {
		return bad("tool_choice.allowed_tools.tools", "must name some of the tools")
	}
	return nil
}
