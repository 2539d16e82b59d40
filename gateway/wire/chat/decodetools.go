package chat

import "relay/gateway/wire/hub"

// readTools reads what the model may call.
func (b *request) readTools() *fault {
	if b.tools != nil && b.tools[0] != '[' {
		return bad("tools", "must be an array of tools")
	}
	n := 0
	for value := range hub.Elements(b.tools) {
		t, f := readTool(value)
		if f != nil {
			return f.in("tools", n)
		}
		b.r.Tools = append(b.r.Tools, t)
		n++
	}
	if b.parallel != nil && hub.SwitchOf(b.parallel) == hub.Unset {
		return bad("parallel_tool_calls", "must be true or false")
	}
	b.r.Parallel = hub.SwitchOf(b.parallel)
	return nil
}

// readTool reads one tool. What is neither a function nor a custom tool is run by
// its provider.
func readTool(value []byte) (hub.Tool, *fault) {
	if value[0] != '{' {
		return hub.Tool{}, bad("", "must be an object")
	}
	var t hub.Tool
	var kind hub.Text
	var inner []byte
	for name, value := range hub.Members(value) {
		switch string(name) {
		case "type":
			kind, _ = hub.TextOf(value)
		case "function", "custom":
			inner = value
		case "cache_control":
			t.Mark = mark(value)
		}
	}
	switch {
	case kind.Is("custom"):
		t.Kind = hub.ToolCustom
	case !kind.Is("function"):
		return hub.Tool{Kind: hub.ToolServer, Raw: value, Name: kind, Mark: t.Mark}, nil
	}
	f := readDefinition(&t, kind.String(), inner)
	return t, f
}

func readDefinition(t *hub.Tool, where string, inner []byte) *fault {
	for name, value := range hub.Members(inner) {
		if hub.IsNull(value) {
			continue
		}
		switch string(name) {
		case "name":
			t.Name, _ = hub.TextOf(value)
		case "description":
			t.Description, _ = hub.TextOf(value)
		case "parameters":
			t.Parameters = value
		case "strict":
			t.Strict = value
		case "format":
			t.Format = formatOf(value)
		case "cache_control":
			t.Mark = value
		}
	}
	switch {
	case len(t.Name) == 0:
		return bad(where+".name", "must be a string that is not empty")
	case t.Parameters != nil && t.Parameters[0] != '{':
		return bad(where+".parameters", "must be a JSON schema")
	case t.Strict != nil && hub.SwitchOf(t.Strict) == hub.Unset:
		return bad(where+".strict", "must be true or false")
	}
	return nil
}

// formatOf returns what the text of a custom tool must be like, as the Responses
// API writes it: the members of a grammar stand beside its type there.
func formatOf(value []byte) []byte {
	kind, _ := hub.TextOf(hub.MemberOf(value, "type"))
	grammar := hub.MemberOf(value, "grammar")
	if kind.Is("text") {
		return nil
	}
	if grammar == nil {
		return value
	}
	flat := kind.AppendAfter(nil, `{"type":`)
	for name, value := range hub.Members(grammar) {
		flat = append(append(hub.Quote(string(name)).AppendAfter(flat, ","), ':'), value...)
	}
	return append(flat, '}')
}
