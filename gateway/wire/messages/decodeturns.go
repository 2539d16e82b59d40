package messages

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// readSystem reads what the model is told before the conversation.
func (s *said) readSystem(r *hub.Request) error {
	if s.system == nil {
		return nil
	}
	t := speech{r: r, role: hub.RoleSystem}
	if err := t.content(s.system, "system"); err != nil {
		return err
	}
	t.flush()
	return nil
}

// readMessages reads the conversation.
func (s *said) readMessages(r *hub.Request) error {
	if s.messages == nil || s.messages[0] != '[' {
		return hub.Bad("messages", "must be an array of messages")
	}
	n := 0
	for value := range hub.Elements(s.messages) {
		if err := readTurn(r, value, "messages["+strconv.Itoa(n)+"]"); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return hub.Bad("messages", "must hold at least one message")
	}
	return nil
}

func readTurn(r *hub.Request, value []byte, path string) error {
	var role, content []byte
	for name, member := range hub.Members(value) {
		switch string(name) {
		case "role":
			role = member
		case "content":
			content = member
		}
	}
	t := speech{r: r, first: len(r.Items)}
	switch textOf(role).String() {
	case "user":
		t.role = hub.RoleUser
	case "assistant":
		t.role = hub.RoleAssistant
	case "system":
		t.role = hub.RoleSystem
	default:
		return hub.Bad(path+".role", "must be user, assistant or system")
	}
	if err := t.content(content, path+".content"); err != nil {
		return err
	}
	t.flush()
	return nil
}
