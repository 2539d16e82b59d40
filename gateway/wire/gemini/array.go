package gemini

import (
	"bytes"
	"strings"

	"relay/gateway/wire"
)

// Array is the codec of streamGenerateContent without alt=sse: the answer is one
// JSON array whose elements, the chunks, come one by one. It implements
// wire.Codec.
type Array struct{ Codec }

var _ wire.Codec = Array{}

// Framing returns FramingArray for JSON and for what does not say what it is.
func (Array) Framing(contentType string) wire.Framing {
	if contentType == "" || strings.HasPrefix(contentType, wire.ContentTypeJSON) {
		return wire.FramingArray
	}
	return wire.FramingOf(contentType)
}

// StreamType returns nothing: an array that has begun cannot become the status
// and object that an error is.
func (Array) StreamType() string { return "" }

// KeepAlive returns nothing.
func (Array) KeepAlive() string { return "" }

// ReadEvent reads one element into the tap, or the bracket that ends the stream.
func (a Array) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	if isBracket(e) {
		t.Done = true
		return wire.Terminal
	}
	return a.Codec.ReadEvent(t, e)
}

// isBracket reports whether an event is the end of an array. Other events
// without data end in a line end, there or as missing.
func isBracket(e *wire.Event) bool {
	return e.Part == wire.PartWhole && !e.HasData && e.Missing == "" && bytes.HasSuffix(e.Raw, []byte("]"))
}

// AppendErrorEvent writes the error as the last element of an array of which at
// least one element has been read, and the array's end.
func (a Array) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = append(dst, ",\n"...)
	dst = a.AppendError(dst, e)
	return append(dst, "\n]"...)
}
