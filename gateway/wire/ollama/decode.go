package ollama

import (
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// Decode reads a body of /api/chat. One without messages is refused: it loads a
// model, see Loads.
func (Hub) Decode(body []byte, r *hub.Request) error {
	var messages, tools []byte
	b := request{r: r}
	for name, value := range hub.Members(body) {
		switch string(name) {
		case "messages":
			messages = value
		case "tools":
			tools = value
		default:
			if err := b.read(name, value); err != nil {
				return err
			}
		}
	}
	if err := b.finish(); err != nil {
		return err
	}
	if err := decodeTools(r, tools); err != nil {
		return err
	}
	return decodeMessages(r, messages)
}

// Decode reads a body of /api/generate as a conversation of one turn. One without
// a prompt is refused: it loads a model, see Loads.
func (GenerateHub) Decode(body []byte, r *hub.Request) error {
	var prompt, system, images []byte
	b := request{r: r}
	for name, value := range hub.Members(body) {
		switch string(name) {
		case "prompt":
			prompt = value
		case "system":
			system = value
		case "images":
			images = value
		case "raw", "suffix", "template", "context":
			if !saysNothing(value) {
				r.Set(hub.RawPrompt, string(name), value)
			}
		default:
			if err := b.read(name, value); err != nil {
				return err
			}
		}
	}
	if err := b.finish(); err != nil {
		return err
	}
	return decodePrompt(r, prompt, system, images)
}

func decodePrompt(r *hub.Request, prompt, system, images []byte) error {
	said, err := textOf("system", system)
	if err != nil {
		return err
	}
	if len(said) > 0 {
		r.Items = append(r.Items, textItem(hub.RoleSystem, said))
	}
	asked, err := textOf("prompt", prompt)
	if err != nil {
		return err
	}
	if len(asked) == 0 {
		return hub.Bad("prompt", onlyLoads)
	}
	parts, err := imageParts(nil, "images", images)
	if err != nil {
		return err
	}
	parts = append(parts, hub.Part{Text: asked})
	r.Items = append(r.Items, hub.Item{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: parts})
	return nil
}

const onlyLoads = "must hold something for the model to answer: only hosts that speak ollama can load a model"

// saysNothing reports whether a value is null, false or empty.
func saysNothing(value []byte) bool {
	switch value[0] {
	case 'n', 'f':
		return true
	case '"':
		return len(value) == len(`""`)
	case '[':
		w := wire.Walk(value)
		return !w.HasElements()
	}
	return false
}

// textOf reads a text; absent and null are empty.
func textOf(member string, value []byte) (hub.Text, error) {
	if hub.IsNull(value) {
		return nil, nil
	}
	t, ok := hub.TextOf(value)
	if !ok {
		return nil, hub.Bad(member, "must be a text")
	}
	return t, nil
}

// at returns the path of an element, or of a member of it.
func at(list string, index int, member string) string {
	return list + "[" + strconv.Itoa(index) + "]" + member
}
