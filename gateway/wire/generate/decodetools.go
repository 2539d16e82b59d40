package generate

import "relay/gateway/wire/hub"

// readTools reads what the model may call. A choice among no tools says nothing.
func (b *request) readTools() error {
	var choice []byte
	parallel := hub.Unset
	err := object("tools", b.tools, func(name string, value []byte) (err error) {
		switch name {
		case "definitions":
			b.r.Tools = nil
			return list("tools.definitions", value, b.readTool)
		case "choice":
			choice = value
		case "parallel":
			parallel, err = boolean("tools.parallel", value)
		default:
			return unknown("tools." + name)
		}
		return err
	})
	if err != nil || len(b.r.Tools) == 0 {
		return err
	}
	b.r.Parallel = parallel
	return b.readChoice(choice)
}

// readTool reads a definition: name, description, parameters and strict of a
// function, whose type may be left out; name, description and format of a custom
// tool, which takes any text or one that follows a grammar.
func (b *request) readTool(at string, value []byte) error {
	kind, err := kindOf(at, value, "function", "function", "custom")
	if err != nil {
		return err
	}
	custom := kind == "custom"
	var t hub.Tool
	err = object(at, value, func(name string, value []byte) error {
		switch path := at + "." + name; {
		case name == "type":
			return nil
		case name == "name":
			return into(&t.Name, path, value)
		case name == "description":
			return into(&t.Description, path, value)
		case name == "parameters" && !custom:
			return keep(&t.Parameters, path, value)
		case name == "format" && custom:
			return keep(&t.Format, path, value)
		case name == "strict" && !custom:
			return readStrict(&t, path, value)
		default:
			return unknown(path)
		}
	})
	if err == nil && len(t.Name) == 0 {
		err = hub.Bad(at+".name", "must name the tool")
	}
	if custom {
		t.Kind = hub.ToolCustom
	}
	b.r.Tools = append(b.r.Tools, t)
	return err
}

// kindOf returns the type of an element, which tells what members it may have.
func kindOf(at string, value []byte, unsaid string, words ...string) (string, error) {
	if value[0] != '{' {
		return "", hub.Bad(at, "must be an object")
	}
	said, err := word(at+".type", hub.MemberOf(value, "type"), words...)
	if said == "" && err == nil {
		said = unsaid
	}
	if said == "" && err == nil {
		err = hub.Bad(at+".type", "must be said")
	}
	return said, err
}

// keep keeps an object as it is written.
func keep(to *[]byte, path string, value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	*to = value
	return object(path, value, anything)
}

func readStrict(t *hub.Tool, path string, value []byte) error {
	said, err := boolean(path, value)
	if said != hub.Unset {
		t.Strict = value
	}
	return err
}

// readChoice reads auto, none, required, or {"name"} of one of the tools.
func (b *request) readChoice(value []byte) error {
	const at = "tools.choice"
	if hub.IsNull(value) {
		return nil
	}
	if value[0] == '{' {
		b.r.Choice.Mode = hub.ChoiceNamed
		return b.readNamed(at, value)
	}
	said, err := word(at, value, "auto", "none", "required")
	switch said {
	case "auto":
		b.r.Choice.Mode = hub.ChoiceAuto
	case "none":
		b.r.Choice.Mode = hub.ChoiceNone
	case "required":
		b.r.Choice.Mode = hub.ChoiceRequired
	}
	return err
}

func (b *request) readNamed(at string, value []byte) error {
	err := object(at, value, func(name string, value []byte) error {
		if name != "name" {
			return unknown(at + "." + name)
		}
		return into(&b.r.Choice.Name, at+".name", value)
	})
	if err == nil && b.r.ToolNamed(hub.Call{Name: b.r.Choice.Name}) == nil {
		err = hub.Bad(at+".name", "must name one of the tools")
	}
	return err
}
