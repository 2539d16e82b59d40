package responses

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// readChoice reads tool_choice, once the tools are known.
func (d *decoding) readChoice() error {
	if hub.IsNull(d.pick) {
		return nil
	}
	if t, ok := hub.TextOf(d.pick); ok {
		return d.readMode("tool_choice", t)
	}
	var f toolFields
	f.read(d.pick)
	kind, _ := hub.TextOf(f.typ)
	switch kind.String() {
	case "function", "custom":
		name, ok := hub.TextOf(f.name)
		if !ok {
			return hub.Bad("tool_choice.name", "must be the name of a tool")
		}
		d.r.Choice = hub.Choice{Mode: hub.ChoiceNamed, Name: d.flat(name)}
	case "allowed_tools":
		return d.readAllowed(&f)
	case "":
		return hub.Bad("tool_choice", "must be auto, none, required, or name a tool")
	default:
		return unsupported("tool_choice", "asks for the tool "+quoted(kind.String()))
	}
	return nil
}

func (d *decoding) readMode(member string, t hub.Text) error {
	switch t.String() {
	case "auto":
		d.r.Choice.Mode = hub.ChoiceAuto
	case "none":
		d.r.Choice.Mode = hub.ChoiceNone
	case "required":
		d.r.Choice.Mode = hub.ChoiceRequired
	default:
		return hub.Bad(member, "must be auto, none, required, or name a tool")
	}
	return nil
}

// flat returns the name by which shapes without namespaces know the tool.
func (d *decoding) flat(name hub.Text) hub.Text {
	for i := range d.r.Tools {
		if t := &d.r.Tools[i]; t.Kind != hub.ToolServer && bytes.Equal(t.Name, name) {
			return hub.Call{Name: t.Name, Namespace: t.Namespace}.NameOfFlat()
		}
	}
	return name
}

// readAllowed leaves the tools that may be called, which is what the choice means
// to the model.
func (d *decoding) readAllowed(f *toolFields) error {
	mode, _ := hub.TextOf(f.mode)
	if err := d.readMode("tool_choice.mode", mode); err != nil {
		return err
	}
	allowed := map[string]bool{}
	for raw := range hub.Elements(f.tools) {
		var one toolFields
		one.read(raw)
		name, ok := hub.TextOf(one.name)
		if !ok {
			name, _ = hub.TextOf(one.typ)
		}
		allowed[string(name)] = true
	}
	d.r.Tools = slices.DeleteFunc(d.r.Tools, func(t hub.Tool) bool {
		return !allowed[string(t.Name)] && (len(t.Namespace) == 0 || !allowed[string(t.Namespace)])
	})
	return nil
}
