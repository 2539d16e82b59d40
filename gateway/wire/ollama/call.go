package ollama

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// call is a call as Ollama writes it, in requests and answers.
type call struct {
	id, name  hub.Text
	arguments []byte // a JSON object, or a text that holds one
}

var (
	errCall      = errors.New("must be an object with a function")
	errName      = errors.New("must name its function")
	errArguments = errors.New("must have arguments that are an object")
)

// readCall reads {"id","function":{"name","arguments"}}. An error follows the path
// of the call, or "holds a call that".
func readCall(value []byte) (call, error) {
	var c call
	var ok bool
	function := value
	for name, value := range hub.Members(value) {
		switch string(name) {
		case "id":
			c.id, _ = hub.TextOf(value)
		case "function":
			function, ok = value, value[0] == '{'
		}
	}
	if !ok {
		return c, errCall
	}
	for name, value := range hub.Members(function) {
		switch string(name) {
		case "name":
			c.name, _ = hub.TextOf(value)
		case "arguments":
			c.arguments = value
		}
	}
	switch {
	case len(c.name) == 0:
		return c, errName
	case !hub.IsNull(c.arguments) && c.arguments[0] != '{' && c.arguments[0] != '"':
		return c, errArguments
	}
	return c, nil
}

// textFor returns the arguments as text; those of a custom tool stand in one of
// them.
func (c *call) textFor(tool hub.Call) hub.Text {
	object := c.object()
	if tool.Custom {
		return hub.CustomText(object)
	}
	return hub.Quote(string(object))
}

// object returns the arguments as JSON. Some servers and clients write them as a
// text.
func (c *call) object() []byte {
	if hub.IsNull(c.arguments) {
		return []byte("{}")
	}
	if text, ok := hub.TextOf(c.arguments); ok {
		return text.Plain()
	}
	return c.arguments
}

// isObject reports whether a document is one JSON object.
func isObject(document []byte) bool {
	w := wire.Walk(document)
	return w.First() == '{' && w.End()
}
