package gemini

import (
	"bytes"

	"relay/gateway/wire/hub"
)

// request is what the members of a caller's body hold that cannot be read one by
// one.
type request struct {
	system, contents, tools, choice, config []byte
}

// Decode reads a body of generateContent. The model and whether it streams stand
// in the path of the call.
func (Hub) Decode(body []byte, r *hub.Request) error {
	var b request
	for name, value := range hub.Members(body) {
		b.member(r, name, value)
	}
	r.WantsUsage = true
	c := conversation{r: r}
	if err := c.readSystem(b.system); err != nil {
		return err
	}
	if err := c.readContents(b.contents); err != nil {
		return err
	}
	if err := readTools(r, b.tools); err != nil {
		return err
	}
	if err := readChoice(r, b.choice); err != nil {
		return err
	}
	return readConfig(r, b.config)
}

func (b *request) member(r *hub.Request, name, value []byte) {
	var room nameRoom
	switch string(camel(name, &room)) {
	case "systemInstruction":
		b.system = value
	case "contents":
		b.contents = value
	case "tools":
		b.tools = value
	case "toolConfig":
		b.choice = value
	case "generationConfig":
		b.config = value
	case "safetySettings":
		r.Set(hub.SafetySettings, "safetySettings", filled(value))
	case "cachedContent":
		r.Set(hub.CachedContent, "cachedContent", filled(value))
	case "labels":
		r.Set(hub.Labels, "labels", filled(value))
	case "serviceTier":
		r.Set(hub.ServiceTier, "serviceTier", filled(value))
	case "store":
		r.Set(hub.Store, "store", value)
	case "model": // of the path
	default:
		addUnknown(r, "", name, value)
	}
}

// addUnknown keeps a member that Relay does not know.
func addUnknown(r *hub.Request, within string, name, value []byte) {
	if !hub.IsNull(value) {
		r.AddUnknown(within+string(name), value)
	}
}

// filled returns a value that says something: nil for an empty array, object or
// text.
func filled(value []byte) []byte {
	switch {
	case len(value) < 2:
		return nil
	case value[0] == '[' || value[0] == '{':
		if len(bytes.Trim(value[1:len(value)-1], " \t\r\n")) == 0 {
			return nil
		}
	case string(value) == `""`:
		return nil
	}
	return value
}

// nameRoom is where a name of another spelling is written again.
type nameRoom [40]byte

// camel returns the name of a member as Google documents it, whichever of its two
// spellings is used: systemInstruction for system_instruction.
func camel(name []byte, room *nameRoom) []byte {
	if len(name) > len(room) || bytes.IndexByte(name, '_') < 1 {
		return name
	}
	folded, upper := room[:0], false
	for _, c := range name {
		switch {
		case c == '_' && len(folded) > 0:
			upper = true
			continue
		case upper && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		folded, upper = append(folded, c), false
	}
	return folded
}
