package generate

import (
	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

// Codec writes what Relay itself says to callers of /v1/generate: errors and model
// lists as chat completions have them. It implements wire.Codec; its methods that
// read answers are never called.
type Codec struct{ chat.Codec }

var _ wire.Codec = Codec{}

// Shape returns generate.
func (Codec) Shape() string { return "generate" }

// WantsUsage returns true: every answer tells its usage.
func (Codec) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Codec) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Terminal returns nothing: a stream ends with generation.completed, which is more
// than a word.
func (Codec) Terminal() string { return "" }

// AppendErrorEvent writes {"type":"error","error":{…}} as an event.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = append(dst, "event: error\ndata: {\"type\":\"error\","...)
	begun := len(dst)
	dst = c.AppendError(dst, e)
	dst = append(dst[:begun], dst[begun+1:]...) // its own brace
	return append(dst, "\n\n"...)
}
