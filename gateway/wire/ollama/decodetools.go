package ollama

import "relay/gateway/wire/hub"

// decodeTools reads the tools, which are told as chat completions tell them.
func decodeTools(r *hub.Request, list []byte) error {
	if !hub.IsNull(list) && list[0] != '[' {
		return hub.Bad("tools", "must be a list")
	}
	i := 0
	for value := range hub.Elements(list) {
		t := readTool(value)
		if len(t.Name) == 0 {
			return hub.Bad(at("tools", i, ".function.name"), "must name the function")
		}
		r.Tools = append(r.Tools, t)
		i++
	}
	return nil
}

func readTool(value []byte) hub.Tool {
	var t hub.Tool
	for name, value := range hub.Members(hub.MemberOf(value, "function")) {
		switch string(name) {
		case "name":
			t.Name, _ = hub.TextOf(value)
		case "description":
			t.Description, _ = hub.TextOf(value)
		case "parameters":
			if !hub.IsNull(value) {
				t.Parameters = value
			}
		case "strict":
			if hub.SwitchOf(value) != hub.Unset {
				t.Strict = value
			}
		}
	}
	return t
}
