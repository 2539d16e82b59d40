package messages

import "relay/gateway/wire/hub"

// anyObject is the schema of an answer that may be any JSON object.
const anyObject = `{"type":"object"}`

// answerTool returns the tool that stands for the format of the answer, where one
// does: the model must call it, and its input is the answer. All versions of the
// shape can do that, but it leaves no room for other tools or for thinking.
func answerTool(r *hub.Request) (t hub.Tool, ok bool) {
	if len(r.Tools) > 0 {
		return t, false
	}
	switch r.Format.Kind {
	case hub.FormatJSON:
		return hub.Tool{Name: hub.Text(answerName), Parameters: []byte(anyObject)}, true
	case hub.FormatSchema:
		kind := textOf(hub.MemberOf(r.Format.Schema, "type"))
		if !kind.Is("object") || thinks(r.Reasoning) {
			return t, false
		}
		return hub.Tool{Name: schemaTool(r.Format.Name), Description: r.Format.About, Parameters: r.Format.Schema}, true
	}
	return t, false
}

const (
	answerName  = "json_output"
	longestTool = 64 // bytes of the name of a tool
)

// schemaTool makes a name for the answer's tool of that of its schema.
func schemaTool(schema hub.Text) hub.Text {
	plain := schema.Plain()
	if len(plain) == 0 {
		return hub.Text(answerName)
	}
	name := make(hub.Text, 0, longestTool)
	for _, c := range plain[:min(len(plain), longestTool)] {
		if !isWord(c) {
			c = '_'
		}
		name = append(name, c)
	}
	return name
}
