package chat

import "relay/gateway/wire/hub"

// appendTools writes the tools and what is said of them: nothing where there are
// none.
func appendTools(dst []byte, r *hub.Request) []byte {
	if len(r.Tools) == 0 {
		return dst
	}
	before := `,"tools":[`
	for i := range r.Tools {
		t := r.Tools[i].AsFunction()
		dst = appendTool(append(dst, before...), &t)
		before = ","
	}
	dst = appendChoice(append(dst, ']'), r)
	return appendSwitch(dst, `,"parallel_tool_calls":`, r.Parallel)
}

func appendTool(dst []byte, t *hub.Tool) []byte {
	name := nameOf(hub.Call{Name: t.Name, Namespace: t.Namespace})
	dst = name.AppendAfter(dst, `{"type":"function","function":{"name":`)
	if len(t.Description) > 0 {
		dst = t.Description.AppendAfter(dst, `,"description":`)
	}
	if !hub.IsNull(t.Parameters) {
		dst = append(append(dst, `,"parameters":`...), t.Parameters...)
	}
	return append(appendSwitch(dst, `,"strict":`, hub.SwitchOf(t.Strict)), "}}"...)
}

func appendChoice(dst []byte, r *hub.Request) []byte {
	switch r.Choice.Mode {
	case hub.ChoiceAuto:
		return append(dst, `,"tool_choice":"auto"`...)
	case hub.ChoiceNone:
		return append(dst, `,"tool_choice":"none"`...)
	case hub.ChoiceRequired:
		return append(dst, `,"tool_choice":"required"`...)
	case hub.ChoiceNamed:
		dst = chosenName(r).AppendAfter(dst, `,"tool_choice":{"type":"function","function":{"name":`)
		return append(dst, "}}"...)
	}
	return dst
}

// chosenName returns the name of the chosen tool as it is called here.
func chosenName(r *hub.Request) hub.Text {
	said := r.Choice.Name.String()
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Name.Is(said) {
			return nameOf(hub.Call{Name: t.Name, Namespace: t.Namespace})
		}
	}
	return nameOf(hub.Call{Name: r.Choice.Name})
}
