// Package ollama holds the codecs of Ollama's own API
// (https://github.com/ollama/ollama/blob/main/docs/api.md): chats and
// generations, embeddings, and what is told of models.
package ollama

import "relay/gateway/wire"

// Version is the version of Ollama whose API Relay speaks. Clients ask for it:
// some want at least 0.13.4, which is the first with Responses.
const Version = "0.17.4"

// Codec reads and writes /api/chat and /api/generate. It implements wire.Codec.
type Codec struct{}

var _ wire.Codec = Codec{}

// Shape returns ollama.
func (Codec) Shape() string { return "ollama" }

// WantsUsage returns true: every stream reports its usage.
func (Codec) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Codec) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Terminal returns nothing: the upstream's last line goes on as it came.
func (Codec) Terminal() string { return "" }

// KeepAlive returns nothing: every line of a stream is an answer to its reader.
func (Codec) KeepAlive() string { return "" }

// StreamType returns application/x-ndjson.
func (Codec) StreamType() string { return wire.ContentTypeLines }

// Framing returns that of the content type. Models that are only loaded are
// answered whole, streamed or not.
func (Codec) Framing(contentType string) wire.Framing { return wire.FramingOf(contentType) }

// Complete reports whether the line has come that says it is the last. Without
// it a stream is cut off, whatever came before.
func (Codec) Complete(t *wire.Tap) bool { return t.Done }

// Status returns the error's own.
func (Codec) Status(e *wire.Error) int { return e.Status }

// AppendError writes {"error":"text"}: the shape has no place for more.
func (Codec) AppendError(dst []byte, e *wire.Error) []byte {
	return append(wire.AppendText(dst, `{"error":`, e.Message), '}')
}

// AppendErrorEvent writes {"error":"text"} as a line.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	return append(c.AppendError(dst, e), '\n')
}
