package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func (d *decoding) readInstructions() error {
	if hub.IsNull(d.instructions) {
		return nil
	}
	t, ok := hub.TextOf(d.instructions)
	if !ok {
		return hub.Bad("instructions", "must be a text")
	}
	if len(t) > 0 {
		d.add(hub.Item{Role: hub.RoleSystem, Parts: []hub.Part{{Text: t}}})
	}
	return nil
}

// readInput reads the conversation. A request that goes on with what OpenAI keeps
// may have none.
func (d *decoding) readInput() error {
	keeps := d.r.Param(hub.PreviousResponse) != nil || d.r.Param(hub.Conversation) != nil || d.r.Param(hub.PromptTemplate) != nil
	if t, ok := hub.TextOf(d.input); ok {
		d.add(hub.Item{Role: hub.RoleUser, Parts: []hub.Part{{Text: t}}})
		return nil
	}
	switch {
	case hub.IsNull(d.input) && keeps:
		return nil
	case hub.IsNull(d.input), d.input[0] != '[':
		return hub.Bad("input", "must be a text or an array of items")
	}
	d.at = place{list: "input", part: none}
	for raw := range hub.Elements(d.input) {
		if err := d.readItem(raw); err != nil {
			return err
		}
		d.at.item++
	}
	d.at = place{}
	return nil
}

func (d *decoding) add(i hub.Item) { d.r.Items = append(d.r.Items, i) }

func (d *decoding) readItem(raw []byte) error {
	if raw[0] != '{' {
		return d.bad("", "must be an object")
	}
	var f fields
	f.read(raw)
	switch kind := f.kind(); kind {
	case "message":
		return d.readMessage(&f)
	case "function_call", "custom_tool_call":
		return d.readCall(&f, kind == "custom_tool_call")
	case "function_call_output", "custom_tool_call_output":
		return d.readResult(&f, kind == "custom_tool_call_output")
	case "reasoning":
		d.readThought(&f)
	case "image_generation_call":
		d.readImage(&f)
	case "additional_tools":
		return d.addTools(f.tools)
	case "web_search_call", "file_search_call", "mcp_list_tools":
		d.leaveOut(kind)
	case "item_reference":
		return d.refersTo()
	default:
		return unsupported(d.path(""), "is an item of type "+quoted(kind))
	}
	return nil
}

// refersTo refuses an item by reference. Clients send them where they take answers
// for stored, which those of translated requests are not.
func (d *decoding) refersTo() error {
	e := wire.Errorf(wire.CodeUnsupportedParam,
		"%s refers to an item by its id, but nothing is stored where requests are translated. Send the items themselves, as clients do with store: false.", d.path(""))
	e.Param = d.path("")
	return e
}

func (d *decoding) readMessage(f *fields) error {
	item := hub.Item{}
	role, _ := hub.TextOf(f.role)
	switch role.String() {
	case "user":
		item.Role = hub.RoleUser
	case "assistant":
		item.Role = hub.RoleAssistant
	case "system", "developer":
		item.Role = hub.RoleSystem
	default:
		return d.bad("role", "must be user, assistant, system or developer")
	}
	parts, err := d.parts("content", f.content)
	item.Parts = parts
	d.add(item)
	return err
}

func (d *decoding) readCall(f *fields, custom bool) error {
	c, err := d.call(f, custom)
	if err != nil {
		return err
	}
	var isName, isText bool
	c.Name, isName = hub.TextOf(f.name)
	c.Namespace, _ = hub.TextOf(f.namespace)
	item := hub.Item{Kind: hub.ItemCall, Mark: f.mark}
	said, member := f.arguments, "arguments"
	if custom {
		said, member = f.input, "input"
	}
	item.Arguments, isText = hub.TextOf(said)
	switch {
	case !isName:
		return d.bad("name", "must be a text")
	case !isText:
		return d.bad(member, "must be a text")
	}
	item.Call = c
	d.add(item)
	return nil
}

func (d *decoding) call(f *fields, custom bool) (hub.Call, error) {
	id, ok := hub.TextOf(f.callID)
	if !ok || len(id) == 0 {
		return hub.Call{}, d.bad("call_id", "must be the id of a call")
	}
	return hub.Call{ID: id, Custom: custom}, nil
}

func (d *decoding) readResult(f *fields, custom bool) error {
	c, err := d.call(f, custom)
	if err != nil {
		return err
	}
	parts, err := d.parts("output", f.output)
	d.add(hub.Item{Kind: hub.ItemResult, Call: c, Parts: parts, Mark: f.mark})
	return err
}

// readImage reads an image that the model has made.
func (d *decoding) readImage(f *fields) {
	data, ok := hub.TextOf(f.result)
	if !ok || len(data) == 0 {
		d.leaveOut("image_generation_call")
		return
	}
	image := hub.Part{Kind: hub.PartImage, Data: data, MediaType: hub.Text(imageType(data))}
	d.add(hub.Item{Role: hub.RoleAssistant, Parts: []hub.Part{image}})
}
