package responses

import (
	"bytes"

	"relay/gateway/wire/hub"
)

// putTools writes the tools and what is said of calling them.
func (b *body) putTools() {
	if len(b.r.Tools) == 0 {
		return
	}
	if b.member("tools") {
		b.dst = append(b.dst, '[')
		b.putToolList()
		b.dst = append(b.dst, ']')
	}
	b.putChoice()
	switch b.r.Parallel {
	case hub.Yes:
		b.put("parallel_tool_calls", []byte("true"))
	case hub.No:
		b.put("parallel_tool_calls", []byte("false"))
	}
}

// putToolList writes the tools in order, those of a namespace where the first of
// them stands.
func (b *body) putToolList() {
	tools := b.r.Tools
	for i := range tools {
		t := &tools[i]
		if len(t.Namespace) > 0 && i > 0 && bytes.Equal(tools[i-1].Namespace, t.Namespace) {
			continue
		}
		if i > 0 {
			b.dst = append(b.dst, ',')
		}
		if len(t.Namespace) > 0 {
			b.putNamespace(tools[i:])
		} else {
			b.dst = appendTool(b.dst, t)
		}
	}
}

// putNamespace writes the tools of the first one's namespace that follow it.
func (b *body) putNamespace(tools []hub.Tool) {
	name := tools[0].Namespace
	b.dst = name.AppendAfter(b.dst, `{"type":"namespace","name":`)
	b.dst = name.AppendAfter(b.dst, `,"description":`)
	b.dst = append(b.dst, `,"tools":[`...)
	for i := 0; i < len(tools) && bytes.Equal(tools[i].Namespace, name); i++ {
		if i > 0 {
			b.dst = append(b.dst, ',')
		}
		b.dst = appendTool(b.dst, &tools[i])
	}
	b.dst = append(b.dst, "]}"...)
}

// appendTool writes a tool. strict is always said: OpenAI takes it for true where
// it is left out, other shapes for false.
func appendTool(dst []byte, t *hub.Tool) []byte {
	if t.Kind == hub.ToolServer {
		return append(dst, t.Raw...)
	}
	kind := `{"type":"function","name":`
	if t.Kind == hub.ToolCustom {
		kind = `{"type":"custom","name":`
	}
	dst = t.Name.AppendAfter(dst, kind)
	if len(t.Description) > 0 {
		dst = t.Description.AppendAfter(dst, `,"description":`)
	}
	if t.Kind == hub.ToolCustom {
		return append(appendToolFormat(dst, t.Format), '}')
	}
	dst = append(dst, `,"parameters":`...)
	if t.Parameters == nil {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	} else {
		dst = append(dst, t.Parameters...)
	}
	dst = append(dst, `,"strict":`...)
	if t.Strict == nil {
		return append(dst, "false}"...)
	}
	return append(append(dst, t.Strict...), '}')
}

// appendToolFormat writes what the text of a custom tool must be like. Chat
// completions have a grammar in a member of its own.
func appendToolFormat(dst, format []byte) []byte {
	if format == nil {
		return dst
	}
	inner := hub.MemberOf(format, "grammar")
	if inner == nil || inner[0] != '{' {
		return append(append(dst, `,"format":`...), format...)
	}
	dst = append(dst, `,"format":{"type":"grammar"`...)
	for name, value := range hub.Members(inner) {
		if string(name) == "syntax" || string(name) == "definition" {
			dst = append(append(append(dst, `,"`...), name...), `":`...)
			dst = append(dst, value...)
		}
	}
	return append(dst, '}')
}

func (b *body) putChoice() {
	mode := ""
	switch b.r.Choice.Mode {
	case hub.ChoiceAuto:
		mode = `"auto"`
	case hub.ChoiceNone:
		mode = `"none"`
	case hub.ChoiceRequired:
		mode = `"required"`
	case hub.ChoiceNamed:
		b.putNamed()
	}
	if mode != "" {
		b.put("tool_choice", []byte(mode))
	}
}

func (b *body) putNamed() {
	if !b.member("tool_choice") {
		return
	}
	c := b.r.Unflat(nil, b.r.Choice.Name)
	kind := `{"type":"function","name":`
	if c.Custom {
		kind = `{"type":"custom","name":`
	}
	b.dst = append(c.Name.AppendAfter(b.dst, kind), '}')
}
