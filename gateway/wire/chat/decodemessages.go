package chat

import "relay/gateway/wire/hub"

// readMessages reads the conversation.
func (b *request) readMessages() *fault {
	if b.messages == nil || b.messages[0] != '[' {
		return bad("messages", "must be an array of messages")
	}
	n := 0
	for value := range hub.Elements(b.messages) {
		if f := b.readMessage(value); f != nil {
			return f.in("messages", n)
		}
		n++
	}
	if n == 0 {
		return bad("messages", "must hold a message")
	}
	return nil
}

// message is a message that is being read.
type message struct {
	role, content, name           []byte
	calls, callID                 []byte
	refusal                       []byte
	thought, otherThought, detail []byte
	mark                          []byte
}

func (b *request) readMessage(value []byte) *fault {
	if value[0] != '{' {
		return bad("", "must be an object")
	}
	var m message
	for name, value := range hub.Members(value) {
		if hub.IsNull(value) {
			continue
		}
		if f := m.keep(b.r, name, value); f != nil {
			return f
		}
	}
	role, _ := hub.TextOf(m.role)
	switch role.String() {
	case "system", "developer":
		return b.readSystem(&m)
	case "user":
		return b.readUser(&m)
	case "assistant":
		return b.readAssistant(&m)
	case "tool":
		return b.readResult(&m)
	case "function":
		return bad("role", "function is of an older form of calls, which cannot be translated: send role tool")
	}
	return bad("role", "must be system, developer, user, assistant or tool")
}

// keep keeps a member. Callers send answers back as they came: what only tells
// something of an answer is not missed.
func (m *message) keep(r *hub.Request, name, value []byte) *fault {
	switch string(name) {
	case "role":
		m.role = value
	case "content":
		m.content = value
	case "name":
		m.name = value
	case "tool_calls":
		m.calls = value
	case "tool_call_id":
		m.callID = value
	case "refusal":
		m.refusal = value
	case "reasoning_content":
		m.thought = value
	case "reasoning":
		m.otherThought = value
	case "reasoning_details":
		m.detail = value
	case "cache_control":
		m.mark = value
	case "function_call":
		return bad("function_call", "is of an older form of calls, which cannot be translated: send tool_calls")
	case "audio":
		return bad("audio", "cannot be translated: only the provider of the audio knows it by its id")
	case "annotations", "index":
	default:
		if !isEmpty(value) {
			r.AddUnknown("messages."+string(name), value)
		}
	}
	return nil
}

func (b *request) readSystem(m *message) *fault {
	parts, f := readContent(m.content)
	for i := range parts {
		if f == nil && parts[i].Kind != hub.PartText {
			f = bad("", "must be text in a message of the system").in("content", i)
		}
	}
	if f == nil {
		b.speak(hub.RoleSystem, m, parts)
	}
	return f
}

func (b *request) readUser(m *message) *fault {
	parts, f := readContent(m.content)
	if f == nil {
		b.speak(hub.RoleUser, m, parts)
	}
	return f
}

// speak adds a message, unless it has no parts. A mark of the message is one of
// its last part. The name of who speaks is not known elsewhere.
func (b *request) speak(role hub.Role, m *message, parts []hub.Part) {
	if m.name != nil {
		b.r.AddUnknown("messages.name", m.name)
	}
	if len(parts) == 0 {
		return
	}
	if last := &parts[len(parts)-1]; last.Mark == nil {
		last.Mark = m.mark
	}
	b.r.Items = append(b.r.Items, hub.Item{Role: role, Parts: parts})
}

// readResult reads the result of a tool.
func (b *request) readResult(m *message) *fault {
	id, f := textOf("tool_call_id", m.callID)
	switch {
	case f != nil:
		return f
	case len(id) == 0:
		return bad("tool_call_id", "must be given: the id of the call that the result belongs to")
	}
	name, f := textOf("name", m.name)
	if f != nil {
		return f
	}
	parts, f := readContent(m.content)
	if f != nil {
		return f
	}
	b.r.Items = append(b.r.Items, hub.Item{
		Kind: hub.ItemResult, Call: hub.Call{ID: id, Name: name}, Parts: parts, Mark: m.mark,
	})
	return nil
}
