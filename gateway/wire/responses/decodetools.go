package responses

import (
	"slices"

	"relay/gateway/wire/hub"
)

func (d *decoding) readTools() error {
	if !hub.IsNull(d.tools) && d.tools[0] != '[' {
		return hub.Bad("tools", "must be an array of tools")
	}
	return d.addTools(d.tools)
}

// addTools reads the tools of the request, or those that the conversation adds.
func (d *decoding) addTools(array []byte) error {
	within := d.at
	d.at = place{list: "tools"}
	for raw := range hub.Elements(array) {
		if err := d.readTool(raw, nil); err != nil {
			return err
		}
		d.at.item++
	}
	d.at = within
	return nil
}

// readTool reads a tool, which may be one of a namespace. A search in a cache of
// the web is left out: Codex offers it with every request, and models work without
// it. Any other tool of the provider's is for Check to refuse.
func (d *decoding) readTool(raw []byte, namespace hub.Text) error {
	var f toolFields
	f.read(raw)
	kind, _ := hub.TextOf(f.typ)
	switch {
	case kind.Is("function"), kind.Is("custom"):
		return d.readOwnTool(&f, kind.Is("custom"), namespace)
	case namespace != nil:
		return d.bad("type", "must be function or custom within a namespace")
	case kind.Is("namespace"):
		return d.readNamespace(&f)
	case len(kind) == 0:
		return d.bad("type", "must say what tool it is")
	case kind.Is("web_search") && hub.SwitchOf(f.webAccess) == hub.No:
		d.leaveOut("web_search")
	default:
		d.r.Tools = append(d.r.Tools, hub.Tool{Kind: hub.ToolServer, Name: kind, Raw: raw})
	}
	return nil
}

func (d *decoding) readOwnTool(f *toolFields, custom bool, namespace hub.Text) error {
	name, ok := hub.TextOf(f.name)
	if !ok || len(name) == 0 {
		return d.bad("name", "must be the name of the tool")
	}
	t := hub.Tool{Name: name, Namespace: namespace, Mark: f.mark}
	t.Description, _ = hub.TextOf(f.description)
	for _, member := range f.others {
		d.leaveOut("tools." + string(member))
	}
	if custom {
		t.Kind, t.Format = hub.ToolCustom, present(f.format)
		d.r.Tools = append(d.r.Tools, t)
		return nil
	}
	if hub.SwitchOf(f.strict) != hub.Unset {
		t.Strict = f.strict
	}
	if t.Parameters = present(f.parameters); t.Parameters != nil && t.Parameters[0] != '{' {
		return d.bad("parameters", "must be a JSON schema")
	}
	d.r.Tools = append(d.r.Tools, t)
	return nil
}

// readNamespace reads tools that belong together. What the namespace is for stands
// before the description of the first of them.
func (d *decoding) readNamespace(f *toolFields) error {
	name, ok := hub.TextOf(f.name)
	if !ok || len(name) == 0 {
		return d.bad("name", "must be the name of the namespace")
	}
	first := len(d.r.Tools)
	for raw := range hub.Elements(f.tools) {
		if err := d.readTool(raw, name); err != nil {
			return err
		}
	}
	about, _ := hub.TextOf(f.description)
	if first < len(d.r.Tools) && len(about) > 0 {
		t := &d.r.Tools[first]
		if len(t.Description) > 0 {
			about = append(slices.Concat(about, hub.Text(blankLine)), t.Description...)
		}
		t.Description = about
	}
	return nil
}

// present returns nil for null.
func present(value []byte) []byte {
	if hub.IsNull(value) {
		return nil
	}
	return value
}
