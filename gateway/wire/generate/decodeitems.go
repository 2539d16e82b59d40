package generate

import "relay/gateway/wire/hub"

// readInstructions reads a text, or a list of parts that are texts.
func (b *request) readInstructions() error {
	parts, err := readContent("instructions", b.instructions)
	if err != nil || len(parts) == 0 {
		return err
	}
	for i := range parts {
		if parts[i].Kind != hub.PartText {
			return hub.Bad("instructions", "must be text")
		}
	}
	b.r.Items = append(b.r.Items, hub.Item{Kind: hub.ItemMessage, Role: hub.RoleSystem, Parts: parts})
	return nil
}

// readInput reads the conversation.
func (b *request) readInput() error {
	before := len(b.r.Items)
	if t, ok := hub.TextOf(b.input); ok && len(t) > 0 {
		b.r.Items = append(b.r.Items, hub.Item{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: []hub.Part{{Text: t}}})
	} else if !ok {
		if err := list("input", b.input, b.readItem); err != nil {
			return err
		}
	}
	if len(b.r.Items) == before {
		return hub.Bad("input", "must be a text or a list of items, and hold something")
	}
	return nil
}

// readItem reads an item. A message need not say that it is one.
func (b *request) readItem(at string, value []byte) error {
	kind, err := kindOf(at, value, "message", "message", "function_call", "function_call_output", "reasoning")
	if err != nil {
		return err
	}
	i := item{at: at}
	if err := object(at, value, func(name string, value []byte) error {
		if !belongs(kind, name) {
			return unknown(at + "." + name)
		}
		return i.read(name, value)
	}); err != nil {
		return err
	}
	var read hub.Item
	switch kind {
	case "message":
		read, err = i.message()
	case "function_call":
		read, err = i.call(&b.names)
	case "function_call_output":
		read, err = i.result(&b.names)
	case "reasoning":
		read, err = i.reasoning()
	}
	b.r.Items = append(b.r.Items, read)
	return err
}

// belongs reports whether items of a kind have a member of the name.
func belongs(kind, name string) bool {
	switch name {
	case "type", "status":
		return true
	case "opaque":
		return kind != "function_call_output"
	case "role":
		return kind == "message"
	case "content":
		return kind != "function_call"
	case "call_id", "name":
		return kind == "function_call" || kind == "function_call_output"
	case "arguments", "custom":
		return kind == "function_call"
	case "is_error":
		return kind == "function_call_output"
	case "summary":
		return kind == "reasoning"
	}
	return false
}
