package gemini

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// readTools reads tools: an array of Tool, each a group of functions, or tools
// that Google runs.
func readTools(r *hub.Request, value []byte) error {
	for group := range elements(value) {
		for name, value := range hub.Members(group) {
			var room nameRoom
			switch {
			case hub.IsNull(value):
			case string(camel(name, &room)) == "functionDeclarations":
				if err := readFunctions(r, value); err != nil {
					return err
				}
			default:
				r.Tools = append(r.Tools, hub.Tool{Kind: hub.ToolServer, Name: hub.Quote(string(name)), Raw: group})
			}
		}
	}
	return nil
}

func readFunctions(r *hub.Request, value []byte) error {
	for declaration := range elements(value) {
		t := functionOf(r, declaration)
		if len(t.Name) == 0 {
			return hub.Bad("tools[].functionDeclarations["+strconv.Itoa(len(r.Tools))+"].name", "must be the name of a function")
		}
		r.Tools = append(r.Tools, t)
	}
	return nil
}

// functionOf reads a FunctionDeclaration.
func functionOf(r *hub.Request, declaration []byte) (t hub.Tool) {
	for name, value := range hub.Members(declaration) {
		var room nameRoom
		text, _ := hub.TextOf(value)
		switch string(camel(name, &room)) {
		case "name":
			t.Name = text
		case "description":
			t.Description = text
		case "parameters":
			if t.Parameters == nil && !hub.IsNull(value) {
				t.Parameters = appendJSONSchema(nil, value)
			}
		case "parametersJsonSchema":
			if !hub.IsNull(value) {
				t.Parameters = value
			}
		default:
			addUnknown(r, "functionDeclarations[].", name, value)
		}
	}
	return t
}

// readChoice reads toolConfig.
func readChoice(r *hub.Request, value []byte) error {
	var calling []byte
	for name, value := range hub.Members(value) {
		var room nameRoom
		switch string(camel(name, &room)) {
		case "functionCallingConfig":
			calling = value
		case "includeServerSideToolInvocations": // of tools that are refused
		default:
			addUnknown(r, "toolConfig.", name, value)
		}
	}
	mode, allowed := textOf(calling, "mode"), memberOf(calling, "allowedFunctionNames")
	switch mode.String() {
	case "", "MODE_UNSPECIFIED":
		return nil
	case "AUTO", "auto":
		r.Choice.Mode = hub.ChoiceAuto
	case "NONE", "none":
		r.Choice.Mode = hub.ChoiceNone
	case "VALIDATED", "validated":
		r.Choice.Mode = hub.ChoiceAuto
		return allow(r, allowed)
	case "ANY", "any":
		r.Choice.Mode = hub.ChoiceRequired
		return allow(r, allowed)
	default:
		return hub.Bad("toolConfig.functionCallingConfig.mode", "must be AUTO, ANY, NONE or VALIDATED")
	}
	return nil
}

// mostAllowed is how many functions Google lets a request have.
const mostAllowed = 512

// allow takes the functions that alone may be called: one that must be is named,
// else the others are left out of the request.
func allow(r *hub.Request, names []byte) error {
	var kept []hub.Tool
	tools := r.ToolNames(hub.Call.NameOfFlat)
	for value := range hub.Elements(names) {
		name, _ := hub.TextOf(value)
		t := tools.Tool(name)
		if t == nil || len(kept) == mostAllowed {
			return hub.Bad("toolConfig.functionCallingConfig.allowedFunctionNames", "must name functions of tools")
		}
		kept = append(kept, *t)
	}
	switch {
	case len(kept) == 0:
	case len(kept) == 1 && r.Choice.Mode == hub.ChoiceRequired:
		r.Choice = hub.Choice{Mode: hub.ChoiceNamed, Name: kept[0].Name}
	default:
		r.Tools = kept
	}
	return nil
}
