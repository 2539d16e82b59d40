package gemini

import (
	"fmt"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// conversation reads the contents of a request into its items. Contents of one
// role that follow each other are one turn, as they are to Google: clients send
// an answer that came in pieces back in pieces.
type conversation struct {
	r    *hub.Request
	role hub.Role
	turn int // the first item of the turn

	content, part int // that are being read, for refusals

	open    bool          // the last item is a message to which parts may be added
	owned   bool          // the text that was added last is a copy
	calls   int           // so far
	waiting hub.OpenCalls // of the last turn
}

// readSystem reads systemInstruction, a Content whose role does not matter.
func (c *conversation) readSystem(value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	item := hub.Item{Role: hub.RoleSystem}
	if text, ok := hub.TextOf(value); ok {
		item.Parts = []hub.Part{{Text: text}}
	}
	for raw := range elements(memberOf(value, "parts")) {
		p := partOf(raw)
		text, ok := hub.TextOf(p.text)
		if !ok {
			return hub.Bad("systemInstruction.parts", "must be an array of parts that hold text")
		}
		item.Parts = append(item.Parts, hub.Part{Text: text})
	}
	if !item.Empty() {
		c.r.Items = append(c.r.Items, item)
	}
	return nil
}

// readContents reads contents: an array of Content, or one.
func (c *conversation) readContents(value []byte) error {
	first := len(c.r.Items)
	c.turn, c.content = first, -1
	for content := range elements(value) {
		c.content++
		if err := c.read(content); err != nil {
			return err
		}
	}
	if c.content < 0 {
		return hub.Bad("contents", "must be an array of at least one content")
	}
	return nil
}

func (c *conversation) read(content []byte) error {
	var role, parts []byte
	for name, value := range hub.Members(content) {
		switch string(name) {
		case "role":
			role = value
		case "parts":
			parts = value
		default:
			addUnknown(c.r, "contents[].", name, value)
		}
	}
	if !hub.IsNull(parts) && parts[0] != '[' && parts[0] != '{' {
		return hub.Bad(fmt.Sprintf("contents[%d].parts", c.content), "must be an array of parts")
	}
	if err := c.begin(role); err != nil {
		return err
	}
	c.part = -1
	for raw := range elements(parts) {
		c.part++
		if err := c.readPart(raw); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a content. A user's contents stay messages of their own.
func (c *conversation) begin(value []byte) error {
	role := hub.RoleUser
	switch said, _ := hub.TextOf(value); string(said) {
	case "", "user", "function":
		c.open = false
	case "model":
		role = hub.RoleAssistant
	default:
		return hub.Bad(fmt.Sprintf("contents[%d].role", c.content), "must be user, model or function")
	}
	if role != c.role {
		c.role, c.turn, c.open = role, len(c.r.Items), false
		if role == hub.RoleAssistant {
			c.waiting.Reset()
		}
	}
	return nil
}

func (c *conversation) readPart(raw []byte) error {
	p := partOf(raw)
	if raw[0] != '{' {
		return c.bad("", "must be an object")
	}
	if p.unknown != nil {
		addUnknown(c.r, "contents[].parts[].", []byte(p.unknownAs), p.unknown)
	}
	switch {
	case p.server != nil:
		return c.unsupported("."+p.serverAs, "is of a tool that Google runs")
	case p.call != nil:
		return c.readCall(&p)
	case p.response != nil:
		return c.readResponse(p.response)
	case p.inline != nil || p.file != nil:
		return c.readMedia(&p)
	}
	text, ok := hub.TextOf(p.text)
	if p.text != nil && !ok {
		return c.bad(".text", "must be text")
	}
	if p.thought {
		c.think(text, c.opaque(&p))
	} else {
		c.say(text, &p)
	}
	return nil
}

// bad refuses what stands at a member of the part.
func (c *conversation) bad(member, what string) error {
	return hub.Bad(c.path(member), what)
}

func (c *conversation) path(member string) string {
	return fmt.Sprintf("contents[%d].parts[%d]%s", c.content, c.part, member)
}

// unsupported refuses a part that has no words outside this shape.
func (c *conversation) unsupported(member, what string) error {
	return unsupported(c.path(member), what)
}

func unsupported(member, what string) error {
	e := wire.Errorf(wire.CodeUnsupportedParam, "%s %s, which the model's host cannot be told. Leave it out, or use a model whose host speaks the shape gemini.", member, what)
	e.Param = member
	return e
}

func partOf(raw []byte) (p part) {
	w := wire.Walk(raw)
	p.read(&w)
	return p
}
