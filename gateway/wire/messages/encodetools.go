package messages

import (
	"bytes"

	"relay/gateway/wire/hub"
)

// tools writes what may be called, and whether it must be.
func (b *body) tools() error {
	if t, answers := answerTool(b.r); answers {
		b.out = append(b.out, `,"tools":[`...)
		b.tool(&t)
		b.out = t.Name.AppendAfter(b.out, `],"tool_choice":{"type":"tool","name":`)
		b.out = append(b.out, `,"disable_parallel_tool_use":true}`...)
		return nil
	}
	if len(b.r.Tools) == 0 {
		b.pastTools()
		return nil
	}
	b.out = append(b.out, `,"tools":[`...)
	for i := range b.r.Tools {
		f := b.r.Tools[i].AsFunction()
		b.tool(&f)
	}
	b.out = append(b.out, ']')
	b.choice()
	return nil
}

func (b *body) tool(t *hub.Tool) {
	name := toolName(hub.Call{Name: t.Name, Namespace: t.Namespace})
	b.out = name.AppendAfter(next(b.out), `{"name":`)
	if !t.Description.Blank() {
		b.out = t.Description.AppendAfter(b.out, `,"description":`)
	}
	b.out = append(b.out, `,"input_schema":`...)
	b.out = appendSchema(b.out, t.Parameters)
	b.mark(t.Mark)
}

// appendSchema writes the schema of a tool's input, which must say that it is that
// of an object.
func appendSchema(dst, schema []byte) []byte {
	switch {
	case hub.IsNull(schema):
		return append(dst, `{"type":"object","properties":{}}`...)
	case hub.MemberOf(schema, "type") != nil:
		return append(dst, schema...)
	}
	dst = append(dst, `{"type":"object"`...)
	for range hub.Members(schema) {
		dst = append(dst, ',')
		break
	}
	_, members, _ := bytes.Cut(schema, []byte{'{'})
	return append(dst, members...)
}

// pastTools writes the tools that have been called, of a request that has none:
// Anthropic refuses calls of tools that it is not told of. None may be called.
func (b *body) pastTools() {
	called := map[string]bool{}
	for _, item := range b.talk.items {
		name := toolName(item.Call)
		if item.Kind != hub.ItemCall || called[string(name)] {
			continue
		}
		if len(called) == 0 {
			b.out = append(b.out, `,"tools":[`...)
		}
		called[string(name)] = true
		b.tool(&hub.Tool{Name: name})
	}
	if len(called) > 0 {
		b.out = append(b.out, `],"tool_choice":{"type":"none"}`...)
	}
}

// choice writes whether tools must be called, and whether one at a time.
func (b *body) choice() {
	alone := b.r.Parallel == hub.No && b.r.Choice.Mode != hub.ChoiceNone
	switch b.r.Choice.Mode {
	case hub.ChoiceUnset:
		if !alone {
			return
		}
		b.out = append(b.out, `,"tool_choice":{"type":"auto"`...)
	case hub.ChoiceAuto:
		b.out = append(b.out, `,"tool_choice":{"type":"auto"`...)
	case hub.ChoiceNone:
		b.out = append(b.out, `,"tool_choice":{"type":"none"`...)
	case hub.ChoiceRequired:
		b.out = append(b.out, `,"tool_choice":{"type":"any"`...)
	case hub.ChoiceNamed:
		b.out = b.chosen().AppendAfter(b.out, `,"tool_choice":{"type":"tool","name":`)
	}
	if alone {
		b.out = append(b.out, `,"disable_parallel_tool_use":true`...)
	}
	b.out = append(b.out, '}')
}

// chosen is the name of the one tool that must be called, as it is written.
func (b *body) chosen() hub.Text {
	said := b.r.Choice.Name
	for i := range b.r.Tools {
		t := &b.r.Tools[i]
		if t.Name.Is(said.String()) {
			return toolName(hub.Call{Name: t.Name, Namespace: t.Namespace})
		}
	}
	return fit(said)
}
