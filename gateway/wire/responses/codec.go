// Package responses is the codec of OpenAI's Responses
// (https://platform.openai.com/docs/api-reference/responses), as OpenAI and the
// servers speak it that follow its lead.
package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

// Codec reads and writes responses. Error answers and model lists are those of
// chat completions. It implements wire.Codec.
type Codec struct{ chat.Codec }

var _ wire.Codec = Codec{}

// Shape returns openai_responses.
func (Codec) Shape() string { return "openai_responses" }

// WantsUsage returns true: every stream reports its usage.
func (Codec) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Codec) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Terminal returns nothing: the upstream's response.completed goes on as it
// came, and a [DONE] that some servers send behind it does not.
func (Codec) Terminal() string { return "" }

// Complete reports whether a terminal event has come. Without it a stream is
// cut off, whatever came before.
func (Codec) Complete(t *wire.Tap) bool { return t.Done }

// AppendErrorEvent writes the error event of the documentation with the error
// once more in a member error. By that member alone OpenAI's own SDKs know an
// event that fails the stream (openai-go v3.99 ssestream.go and openai 6.49
// streaming.mjs hand an event of type error without it on like any other); the
// AI SDK and others read the event's own members.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = c.AppendError(append(dst, "event: error\ndata: "...), e)
	dst = dst[:len(dst)-1] // the brace that ends the document
	dst = wire.AppendTextOrNull(dst, `,"type":"error","code":`, e.Code)
	dst = wire.AppendText(dst, `,"message":`, e.Message)
	dst = wire.AppendTextOrNull(dst, `,"param":`, e.Param)
	return append(dst, `,"sequence_number":0}`+"\n\n"...)
}
