package ollama

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// conversation puts messages into items. Clients need not give ids to calls: those
// without one are numbered, so that the same conversation has the same ids, and a
// result without one belongs to the first call of its tool that has none.
type conversation struct {
	r     *hub.Request
	tools hub.ToolNames
	open  hub.OpenCalls
	calls int
}

// take adds a message.
func (c *conversation) take(m *message) error {
	switch m.role {
	case "system", "developer":
		return c.takeMessage(m, hub.RoleSystem)
	case "user":
		return c.takeMessage(m, hub.RoleUser)
	case "assistant":
		return c.takeAnswer(m)
	case "tool":
		return c.takeResult(m)
	}
	return hub.Bad(m.at+".role", "must be system, user, assistant or tool")
}

func (c *conversation) takeMessage(m *message, role hub.Role) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	c.add(hub.Item{Kind: hub.ItemMessage, Role: role, Parts: parts})
	return nil
}

func (c *conversation) add(item hub.Item) { c.r.Items = append(c.r.Items, item) }

// takeAnswer adds what the model has thought, said and called.
func (c *conversation) takeAnswer(m *message) error {
	thinking, err := textOf(m.at+".thinking", m.thinking)
	if err != nil {
		return err
	}
	if len(thinking) > 0 {
		c.add(hub.Item{Kind: hub.ItemReasoning, Text: thinking})
	}
	parts, err := m.parts()
	if err != nil {
		return err
	}
	if len(parts) > 1 || len(parts[0].Text) > 0 || parts[0].Kind != hub.PartText {
		c.add(hub.Item{Kind: hub.ItemMessage, Role: hub.RoleAssistant, Parts: parts})
	}
	i := 0
	for value := range hub.Elements(m.calls) {
		if err := c.takeCall(at(m.at+".tool_calls", i, ""), value); err != nil {
			return err
		}
		i++
	}
	return nil
}

// takeCall adds {"id","function":{"name","arguments"}}.
func (c *conversation) takeCall(path string, value []byte) error {
	said, err := readCall(value)
	if err != nil {
		return hub.Bad(path, err.Error())
	}
	c.calls++
	if len(said.id) == 0 {
		said.id = hub.Text("call_relay_" + strconv.Itoa(c.calls))
	}
	call := c.tools.Call(said.id, said.name)
	c.open.Add(call)
	c.add(hub.Item{Kind: hub.ItemCall, Call: call, Arguments: said.textFor(call)})
	return nil
}

// takeResult adds what a tool has answered.
func (c *conversation) takeResult(m *message) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	id, err := textOf(m.at+".tool_call_id", m.toolCallID)
	if err != nil {
		return err
	}
	name, err := textOf(m.at+".tool_name", m.toolName)
	if err != nil {
		return err
	}
	call, found := c.open.Answer(id, name)
	switch {
	case !found && len(id) == 0:
		return hub.Bad(m.at+".tool_name", "must name the tool of a call before it that has no result yet")
	case !found:
		call = c.tools.Call(id, name)
	}
	c.add(hub.Item{Kind: hub.ItemResult, Call: call, Parts: parts})
	return nil
}
