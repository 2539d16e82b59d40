// Package gemini holds the codecs of the Gemini API
// (https://ai.google.dev/api/generate-content), as Google and the servers speak
// it that follow its lead, and reads the paths and members by which its calls
// name a model.
package gemini

import "relay/gateway/wire"

// Codec reads and writes generateContent, whole and streamed as server-sent
// events (streamGenerateContent?alt=sse). It implements wire.Codec.
type Codec struct{}

var _ wire.Codec = Codec{}

// Shape returns gemini.
func (Codec) Shape() string { return "gemini" }

// WantsUsage returns true: every answer reports its usage.
func (Codec) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Codec) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Framing returns that of the content type.
func (Codec) Framing(contentType string) wire.Framing { return wire.FramingOf(contentType) }

// StreamType returns text/event-stream.
func (Codec) StreamType() string { return wire.ContentTypeEvent }

// Terminal returns nothing: the shape has no terminal event.
func (Codec) Terminal() string { return "" }

// Complete reports whether every candidate that was asked for has told its
// finishReason, or the prompt was blocked.
func (Codec) Complete(t *wire.Tap) bool { return t.Done || t.Finished() }

// KeepAlive returns a blank block. Google's clients for Go and Python take a
// comment line for a chunk and fail; blank lines they pass over, as all do. Two
// line ends are the least: the Go client cuts at two, and one would become the
// beginning of the next event. For its sake they must be those of the stream, see
// wire.Splitter.LineEnds.
func (Codec) KeepAlive() string { return "\n\n" }

// Status returns the error's own.
func (Codec) Status(e *wire.Error) int { return e.Status }
