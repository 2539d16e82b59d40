package ollama

import (
	"strings"

	"relay/gateway/wire/hub"
)

// message is a message as it is written, member by member.
type message struct {
	at                          string // its path
	role                        string
	content, thinking, images   []byte
	calls, toolName, toolCallID []byte
}

// decodeMessages reads the conversation.
func decodeMessages(r *hub.Request, list []byte) error {
	if !hub.IsNull(list) && list[0] != '[' {
		return hub.Bad("messages", "must be a list")
	}
	c := conversation{r: r, tools: r.ToolNames(hub.Call.NameOfFlat)}
	i := 0
	for value := range hub.Elements(list) {
		m, err := readMessage(at("messages", i, ""), value)
		if err != nil {
			return err
		}
		if err := c.take(&m); err != nil {
			return err
		}
		i++
	}
	if i == 0 {
		return hub.Bad("messages", onlyLoads)
	}
	return nil
}

func readMessage(path string, value []byte) (message, error) {
	m := message{at: path}
	if value[0] != '{' {
		return m, hub.Bad(path, "must be an object")
	}
	var role []byte
	for name, value := range hub.Members(value) {
		switch string(name) {
		case "role":
			role = value
		case "content":
			m.content = value
		case "thinking":
			m.thinking = value
		case "images":
			m.images = value
		case "tool_calls":
			m.calls = value
		case "tool_name":
			m.toolName = value
		case "tool_call_id":
			m.toolCallID = value
		}
	}
	t, err := textOf(path+".role", role)
	m.role = strings.ToLower(t.String())
	return m, err
}

// parts reads images and text. Images come first: that is where Ollama puts them
// into the prompt.
func (m *message) parts() ([]hub.Part, error) {
	parts, err := imageParts(nil, m.at+".images", m.images)
	if err != nil {
		return nil, err
	}
	text, err := textOf(m.at+".content", m.content)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 || len(parts) == 0 {
		parts = append(parts, hub.Part{Text: text})
	}
	return parts, nil
}

func textItem(role hub.Role, t hub.Text) hub.Item {
	return hub.Item{Kind: hub.ItemMessage, Role: role, Parts: []hub.Part{{Text: t}}}
}

// imageParts reads a list of images as base64.
func imageParts(parts []hub.Part, path string, list []byte) ([]hub.Part, error) {
	if !hub.IsNull(list) && list[0] != '[' {
		return nil, hub.Bad(path, "must be a list")
	}
	i := 0
	for value := range hub.Elements(list) {
		data, ok := hub.TextOf(value)
		kind := typeOf(data)
		if !ok || kind == "" {
			return nil, hub.Bad(at(path, i, ""), "must be a PNG, JPEG, GIF or WebP image as base64")
		}
		parts = append(parts, hub.Part{Kind: hub.PartImage, Data: data, MediaType: hub.Text(kind)})
		i++
	}
	return parts, nil
}

// typeOf tells what an image is by the first bytes of its base64; empty: it is
// none that models take.
func typeOf(data hub.Text) string {
	begin := data
	if len(begin) > 64 {
		begin = begin[:64]
	}
	if i := strings.IndexByte(string(begin), '\\'); i >= 0 {
		begin = hub.Text(data.Plain())
	}
	for _, kind := range [...]struct{ begin, name string }{
		{"iVBORw0KGgo", "image/png"}, {"/9j/", "image/jpeg"}, {"R0lGOD", "image/gif"}, {"UklGR", "image/webp"},
	} {
		if strings.HasPrefix(string(begin), kind.begin) {
			return kind.name
		}
	}
	return ""
}
