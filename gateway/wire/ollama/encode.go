package ollama

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// Encode writes a body of /api/chat. stream is always said, since a request
// without it is streamed.
func (Hub) Encode(dst []byte, r *hub.Request, to hub.Target) ([]byte, error) {
	dst = wire.AppendText(dst, `{"model":`, to.Model)
	dst, err := appendMessages(append(dst, `,"messages":[`...), r)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `],"stream":`...)
	if to.Streamed {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	if len(r.Tools) > 0 && r.Choice.Mode != hub.ChoiceNone {
		dst = appendTools(dst, r.Tools)
	}
	dst = appendFormat(dst, &r.Format)
	dst = appendOptions(dst, r)
	dst = appendHints(dst, r)
	for name, value := range hub.Members(r.Extension("ollama")) {
		dst = append(append(wire.AppendText(dst, ",", string(name)), ':'), value...)
	}
	leave(r, to.Left)
	return append(dst, '}'), nil
}

// appendTools writes the tools. A tool that takes nothing is given the schema of
// an object without members, which templates go through.
func appendTools(dst []byte, tools []hub.Tool) []byte {
	dst = append(dst, `,"tools":[`...)
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendTool(dst, tools[i].AsFunction())
	}
	return append(dst, ']')
}

func appendTool(dst []byte, t hub.Tool) []byte {
	call := hub.Call{Name: t.Name, Namespace: t.Namespace}
	dst = call.NameOfFlat().AppendAfter(dst, `{"type":"function","function":{"name":`)
	if len(t.Description) > 0 {
		dst = t.Description.AppendAfter(dst, `,"description":`)
	}
	dst = append(dst, `,"parameters":`...)
	if hub.IsNull(t.Parameters) {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	} else {
		dst = append(dst, t.Parameters...)
	}
	return append(dst, "}}"...)
}

func appendFormat(dst []byte, f *hub.Format) []byte {
	switch f.Kind {
	case hub.FormatJSON:
		return append(dst, `,"format":"json"`...)
	case hub.FormatSchema:
		return append(append(dst, `,"format":`...), f.Schema...)
	}
	return dst
}

// appendHints writes what is said of the model as a whole.
func appendHints(dst []byte, r *hub.Request) []byte {
	if keep := r.Param(hub.KeepAlive); keep != nil {
		dst = append(append(dst, `,"keep_alive":`...), keep...)
	}
	if think := thinkOf(r.Reasoning); think != "" {
		dst = append(append(dst, `,"think":`...), think...)
	}
	switch string(r.Param(hub.Truncation)) {
	case truncateYes:
		dst = append(dst, `,"truncate":true`...)
	case truncateNo:
		dst = append(dst, `,"truncate":false`...)
	}
	return dst
}

// Values of hub.Truncation, which Ollama tells as true and false.
const truncateYes, truncateNo = `"auto"`, `"disabled"`

// thinkOf returns the value of think, empty where nothing is said: models then
// think if they can. What a caller has said in Ollama's own words stays; an effort
// is the nearest of low, medium and high; a budget is true. A model that may think
// as it likes is told nothing, since models that cannot think refuse true.
func thinkOf(r hub.Reasoning) string {
	switch {
	case r.Think == "true", r.Think == "false":
		return r.Think
	case r.Think != "":
		return `"` + r.Think + `"`
	case r.Off():
		return "false"
	case r.Budget < 0:
		return ""
	case r.Budget > 0:
		return "true"
	}
	return levelOf(r.Effort)
}

func levelOf(effort string) string {
	switch effort {
	case "":
		return ""
	case "minimal", "low":
		return `"low"`
	case "medium":
		return `"medium"`
	}
	return `"high"`
}
