package messages

import (
	"bytes"
	"strconv"

	"relay/gateway/wire/hub"
)

// readTools reads what the model may call.
func (s *said) readTools(r *hub.Request) error {
	if s.tools == nil {
		return nil
	}
	if s.tools[0] != '[' {
		return hub.Bad("tools", "must be an array")
	}
	for value := range hub.Elements(s.tools) {
		t, err := readTool(value, len(r.Tools))
		if err != nil {
			return err
		}
		r.Tools = append(r.Tools, t)
	}
	return nil
}

// readTool reads one tool. Members that steer how Anthropic loads and streams it,
// such as defer_loading, say nothing elsewhere.
func readTool(value []byte, n int) (t hub.Tool, err error) {
	var kind []byte
	for name, member := range hub.Members(value) {
		switch {
		case hub.IsNull(member):
		case string(name) == "type":
			kind = member
		case string(name) == "name":
			t.Name = textOf(member)
		case string(name) == "description":
			t.Description = textOf(member)
		case string(name) == "input_schema":
			t.Parameters = member
		case string(name) == "strict":
			t.Strict = member
		case string(name) == "cache_control":
			t.Mark = member
		}
	}
	path := "tools[" + strconv.Itoa(n) + "]"
	switch {
	case kind != nil && !textOf(kind).Is("custom"):
		return hub.Tool{Kind: hub.ToolServer, Name: t.Name, Mark: t.Mark, Raw: value}, nil
	case len(t.Name) == 0:
		return t, hub.Bad(path+".name", "must be a text")
	case !bytes.HasPrefix(t.Parameters, []byte("{")):
		return t, hub.Bad(path+".input_schema", "must be a JSON Schema object")
	}
	return t, nil
}

// readChoice reads whether tools must be called, and how many at once. Without
// tools it says nothing.
func (s *said) readChoice(r *hub.Request) error {
	if s.choice == nil || len(r.Tools) == 0 {
		return nil
	}
	name := textOf(hub.MemberOf(s.choice, "name"))
	switch kind := textOf(hub.MemberOf(s.choice, "type")).String(); kind {
	case "auto":
		r.Choice.Mode = hub.ChoiceAuto
	case "any":
		r.Choice.Mode = hub.ChoiceRequired
	case "none":
		r.Choice.Mode = hub.ChoiceNone
	case "tool":
		if len(name) == 0 {
			return hub.Bad("tool_choice.name", "must be the name of a tool")
		}
		r.Choice = hub.Choice{Mode: hub.ChoiceNamed, Name: name}
	default:
		return hub.Bad("tool_choice.type", "must be auto, any, tool or none")
	}
	switch hub.SwitchOf(hub.MemberOf(s.choice, "disable_parallel_tool_use")) {
	case hub.Yes:
		r.Parallel = hub.No
	case hub.No:
		r.Parallel = hub.Yes
	}
	return nil
}
