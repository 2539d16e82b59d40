package responses

import (
	"relay/gateway/wire/hub"
)

// echo keeps a member that answers repeat.
func (d *decoding) echo(name, value []byte) {
	if !isEchoed(name) || hub.IsNull(value) {
		return
	}
	for i := range d.r.Echo {
		if m := &d.r.Echo[i]; m.Name == string(name) {
			m.Value = value
			return
		}
	}
	d.r.Echo = append(d.r.Echo, hub.Member{Name: string(name), Value: value})
}

func isEchoed(name []byte) bool {
	switch string(name) {
	case "instructions", "max_output_tokens", "max_tool_calls", "metadata", "parallel_tool_calls", "prompt_cache_key",
		"prompt_cache_retention", "reasoning", "safety_identifier", "temperature", "text", "tool_choice", "tools",
		"top_logprobs", "top_p", "truncation", "user":
		return true
	}
	return false
}

// appendEcho writes what a response repeats of its request: what the documentation
// has in every response, with its default where the caller gave none, and else
// what the caller gave.
func appendEcho(dst []byte, r *hub.Request) []byte {
	for _, m := range [...]struct{ name, otherwise string }{
		{"instructions", "null"}, {"max_output_tokens", "null"}, {"metadata", "{}"}, {"parallel_tool_calls", "true"},
		{"reasoning", `{"effort":null,"summary":null}`}, {"temperature", "null"}, {"text", `{"format":{"type":"text"}}`},
		{"tool_choice", `"auto"`}, {"tools", "[]"}, {"top_p", "null"}, {"truncation", `"disabled"`}, {"max_tool_calls", ""},
		{"prompt_cache_key", ""}, {"prompt_cache_retention", ""}, {"safety_identifier", ""}, {"top_logprobs", ""}, {"user", ""},
	} {
		value := echoed(r, m.name)
		if value == nil && m.otherwise == "" {
			continue
		}
		dst = append(append(append(dst, `,"`...), m.name...), `":`...)
		switch {
		case value == nil:
			dst = append(dst, m.otherwise...)
		case m.name == "tools":
			dst = appendEchoedTools(dst, value)
		default:
			dst = hub.AppendLine(dst, value)
		}
	}
	return dst
}

func echoed(r *hub.Request, name string) []byte {
	for i := range r.Echo {
		if r.Echo[i].Name == name {
			return r.Echo[i].Value
		}
	}
	return nil
}

// appendEchoedTools writes the tools as they came, and the members that a function
// has in answers although a request may leave them out.
func appendEchoedTools(dst, tools []byte) []byte {
	dst = append(dst, '[')
	for tool := range hub.Elements(tools) {
		var f toolFields
		f.read(tool)
		if kind, _ := hub.TextOf(f.typ); !kind.Is("function") || f.strict != nil && f.parameters != nil {
			dst = append(hub.AppendLine(dst, tool), ',')
			continue
		}
		dst = hub.AppendLine(dst, tool[:len(tool)-1])
		if f.strict == nil {
			dst = append(dst, `,"strict":null`...)
		}
		if f.parameters == nil {
			dst = append(dst, `,"parameters":null`...)
		}
		dst = append(dst, "},"...)
	}
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}
