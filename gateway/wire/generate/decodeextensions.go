package generate

import (
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// readExtensions keeps members for hosts of one shape. They can name neither the
// model nor whom to call: Relay has decided that.
func (b *request) readExtensions() error {
	return object("extensions", b.extensions, func(shape string, value []byte) error {
		path := "extensions." + shape
		switch shape {
		case "openai", "openai_responses", "anthropic", "gemini", "ollama":
		default:
			return unknown(path)
		}
		var m wire.Members
		switch {
		case hub.IsNull(value):
			return nil
		case value[0] != '{':
			return hub.Bad(path, "must be an object")
		case wire.Scan(value, &m) != nil || m.Model.Present() || m.Stream.Present():
			return hub.Bad(path, "must not name the model or whether to stream: the members model and stream of the body do")
		case m.Steering.Present():
			return unknown(path + "." + strings.Trim(string(m.Steering.Of(value)), `"`))
		}
		b.r.Extensions = append(b.r.Extensions, hub.Extension{Shape: shape, Object: value})
		return nil
	})
}
