package gemini

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// readCall reads a functionCall of the model. Calls without an id are given one
// by their place in the conversation.
func (c *conversation) readCall(p *part) error {
	item := hub.Item{Kind: hub.ItemCall, Arguments: hub.Text("{}")}
	item.Call.ID, item.Call.Name = textOf(p.call, "id"), textOf(p.call, "name")
	if len(item.Call.Name) == 0 {
		return c.bad(".functionCall.name", "must be the name of a function")
	}
	if args := memberOf(p.call, "args"); args != nil {
		if args[0] != '{' {
			return c.bad(".functionCall.args", "must be an object")
		}
		item.Arguments = hub.Quote(string(args))
	}
	c.calls++
	if len(item.Call.ID) == 0 {
		item.Call.ID = hub.Text("call_" + strconv.Itoa(c.calls))
	}
	c.addCall(item, p)
	return nil
}

func (c *conversation) addCall(item hub.Item, p *part) {
	c.opaques(p, func(o hub.Opaque) {
		switch {
		case !o.Present():
		case o.Shape == shape:
			o.ID = item.Call.ID
			item.Opaque = o
		default:
			c.credit(o)
		}
	})
	c.add(item)
	c.waiting.Add(item.Call)
}

// readResponse reads a functionResponse. One without an id answers the first call
// of its name that waits for a result.
func (c *conversation) readResponse(response []byte) error {
	id, name := textOf(response, "id"), textOf(response, "name")
	call, ok := c.answered(id, name)
	if !ok {
		return c.bad(".functionResponse", "must have the id of a functionCall, or the name of one before it that has no response yet")
	}
	item := hub.Item{Kind: hub.ItemResult, Call: call}
	text, failed := resultOf(memberOf(response, "response"), name)
	if len(text) > 0 {
		item.Parts = append(item.Parts, hub.Part{Text: text})
	}
	item.Failed = failed
	for raw := range elements(memberOf(response, "parts")) {
		p := partOf(raw)
		media, err := c.media(&p)
		if err != nil {
			return err
		}
		item.Parts = append(item.Parts, media)
	}
	c.add(item)
	return nil
}

// answered returns the call that a result belongs to, which then waits no more.
func (c *conversation) answered(id, name hub.Text) (hub.Call, bool) {
	if len(id)+len(name) > 0 {
		if call, found := c.waiting.Answer(id, name); found {
			return call, true
		}
	}
	return hub.Call{ID: id, Name: name}, len(id) > 0
}

// resultOf returns the text of a response: that of its one member where clients
// wrap a text up so, else the object as JSON. Google reads output and error, its
// clients' tools also write result, and the AI SDK name and content.
func resultOf(response []byte, name hub.Text) (text hub.Text, failed bool) {
	if response == nil {
		return nil, false
	}
	if key, value := only(response, name); value != nil {
		inner, isText := hub.TextOf(value)
		switch {
		case key == "error" && isText:
			return inner, true
		case key == "error":
			return hub.Quote(string(value)), true
		case isText:
			return inner, false
		}
		return hub.Quote(string(value)), false
	}
	return hub.Quote(string(response)), false
}

// only returns the member that says all that a response says; nil: there is none.
func only(response []byte, name hub.Text) (key string, only []byte) {
	n, named := 0, false
	for member, value := range hub.Members(response) {
		n++
		switch said, _ := hub.TextOf(value); string(member) {
		case "output", "result", "error", "content":
			key, only = string(member), value
		case "name":
			named = string(said) == string(name)
		}
	}
	if n == 1 && key != "content" || n == 2 && key == "content" && named {
		return key, only
	}
	return "", nil
}
