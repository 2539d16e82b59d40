package messages

import "relay/gateway/wire/hub"

// said holds the members of a body that are read in an order of their own, as
// they are written: clients put system behind messages.
type said struct {
	system, messages, tools, choice, thinking, config, format, metadata []byte
}

// Decode reads a caller's body.
func (Hub) Decode(body []byte, r *hub.Request) error {
	var s said
	for name, value := range hub.Members(body) {
		if hub.IsNull(value) || s.keep(string(name), value) {
			continue
		}
		if err := readMember(r, string(name), value); err != nil {
			return err
		}
	}
	r.WantsUsage = true
	for _, read := range [...]func(*hub.Request) error{
		s.readSystem, s.readMessages, s.readTools, s.readChoice, s.readConfig, s.readThinking, s.readMetadata,
	} {
		if err := read(r); err != nil {
			return err
		}
	}
	return nil
}

// keep puts a member aside, if it is one of those.
func (s *said) keep(name string, value []byte) bool {
	switch name {
	case "system":
		s.system = value
	case "messages":
		s.messages = value
	case "tools":
		s.tools = value
	case "tool_choice":
		s.choice = value
	case "thinking":
		s.thinking = value
	case "output_config":
		s.config = value
	case "output_format":
		s.format = value
	case "metadata":
		s.metadata = value
	default:
		return false
	}
	return true
}

// readMember reads a member with a value of its own. context_management, speed,
// inference_geo and whatever else Relay does not know are hints to Anthropic's own
// service; its tiers are not those of others.
func readMember(r *hub.Request, name string, value []byte) error {
	switch name {
	case "model":
	case "stream":
		r.Streamed = string(value) == "true"
	case "max_tokens":
		return setNumber(r, hub.MaxTokens, name, value)
	case "temperature":
		return setNumber(r, hub.Temperature, name, value)
	case "top_p":
		return setNumber(r, hub.TopP, name, value)
	case "top_k":
		return setNumber(r, hub.TopK, name, value)
	case "stop_sequences":
		return setStop(r, name, value)
	case "container":
		r.Set(hub.Container, name, value)
	case "mcp_servers":
		if !isEmptyArray(value) {
			r.Set(hub.RemoteTools, name, value)
		}
	case "service_tier":
		if string(value) != `"auto"` {
			r.AddUnknown(name, value)
		}
	default:
		r.AddUnknown(name, value)
	}
	return nil
}

func setNumber(r *hub.Request, p hub.Param, name string, value []byte) error {
	if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return hub.Bad(name, "must be a number")
	}
	r.Set(p, name, value)
	return nil
}

func setStop(r *hub.Request, name string, value []byte) error {
	if value[0] != '[' {
		return hub.Bad(name, "must be an array of texts")
	}
	for stop := range hub.Elements(value) {
		if stop[0] != '"' {
			return hub.Bad(name, "must be an array of texts")
		}
	}
	if !isEmptyArray(value) {
		r.Set(hub.Stop, name, value)
	}
	return nil
}

// readMetadata reads whom the call is made for; nothing else of it is known.
func (s *said) readMetadata(r *hub.Request) error {
	for name, value := range hub.Members(s.metadata) {
		switch {
		case hub.IsNull(value):
		case string(name) != "user_id":
			r.AddUnknown("metadata."+string(name), value)
		case value[0] != '"':
			return hub.Bad("metadata.user_id", "must be a text")
		default:
			r.Set(hub.User, "metadata.user_id", value)
		}
	}
	return nil
}

func isEmptyArray(value []byte) bool {
	for range hub.Elements(value) {
		return false
	}
	return value[0] == '['
}
