package gemini

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// tools writes the functions, and the caller's tools for this shape behind them.
func (w *writer) tools() {
	before := len(w.dst)
	w.name("tools")
	w.dst = append(w.dst, '[')
	begun := len(w.dst)
	if len(w.r.Tools) > 0 {
		w.dst = append(w.dst, `{"functionDeclarations":[`...)
		for i := range w.r.Tools {
			w.part()
			w.tool(w.r.Tools[i].AsFunction())
		}
		w.dst = append(w.dst, "]}"...)
	}
	for tool := range hub.Elements(w.extra("tools")) {
		w.part()
		w.dst = append(w.dst, tool...)
	}
	if len(w.dst) == begun {
		w.dst = w.dst[:before]
		return
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) tool(t hub.Tool) {
	call := hub.Call{Name: t.Name, Namespace: t.Namespace}
	w.dst = append(w.dst, '{')
	w.text("name", call.NameOfFlat())
	if !t.Description.Blank() {
		w.text("description", t.Description)
	}
	if !hub.IsNull(t.Parameters) {
		w.raw("parametersJsonSchema", t.Parameters)
	}
	w.dst = append(w.dst, '}')
}

// choice writes toolConfig; without tools there is nothing to choose.
func (w *writer) choice() {
	mode := modeOf(w.r.Choice.Mode)
	if mode == "" || len(w.r.Tools) == 0 {
		return
	}
	w.name("toolConfig")
	w.dst = wire.AppendText(w.dst, `{"functionCallingConfig":{"mode":`, mode)
	if w.r.Choice.Mode == hub.ChoiceNamed {
		w.name("allowedFunctionNames")
		w.dst = append(w.r.Choice.Name.AppendAfter(w.dst, "["), ']')
	}
	w.dst = append(w.dst, "}}"...)
}

func modeOf(mode hub.ChoiceMode) string {
	switch mode {
	case hub.ChoiceAuto:
		return "AUTO"
	case hub.ChoiceNone:
		return "NONE"
	case hub.ChoiceRequired, hub.ChoiceNamed:
		return "ANY"
	}
	return ""
}
