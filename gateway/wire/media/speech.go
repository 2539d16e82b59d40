package media

import (
	"strings"

	"relay/gateway/wire"
)

// Speech is the codec of text read aloud. Its answers are audio that may be
// played while it comes, or events that hold audio (stream_format sse). It
// implements wire.Codec.
type Speech struct{ base }

var _ wire.Codec = Speech{}

// Framing returns FramingBytes for all that is neither events nor JSON, whether
// the request asked for a stream or not.
func (Speech) Framing(contentType string) wire.Framing {
	contentType = strings.ToLower(contentType)
	switch {
	case strings.HasPrefix(contentType, wire.ContentTypeEvent):
		return wire.FramingEvents
	case strings.HasPrefix(contentType, wire.ContentTypeJSON):
		return wire.FramingNone
	}
	return wire.FramingBytes
}

// StreamType returns nothing: what the audio will be is not known beforehand.
func (Speech) StreamType() string { return "" }

// KeepAlive returns nothing: there is room for nothing within audio.
func (Speech) KeepAlive() string { return "" }

// AppendErrorEvent writes nothing, for the same reason.
func (Speech) AppendErrorEvent(dst []byte, _ *wire.Error) []byte { return dst }

// ReadEvent reads one event into the tap, or a piece of audio, which has no
// other bytes than its data. All tokens of the answer are audio.
func (Speech) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	if e.HasData && len(e.Data) == len(e.Raw) {
		t.Choices = 1
		t.Finish(0, "")
		return wire.Content
	}
	kind := readEvent(t, e)
	t.Usage.AudioOutput = t.Usage.Output
	return kind
}

// Complete reports whether the last event has come, or audio, which has none.
func (Speech) Complete(t *wire.Tap) bool { return t.Done || t.Finished() }

// ReadAnswer reads a whole answer: an error, or what a server has to say in JSON.
// It takes audio too.
func (Speech) ReadAnswer(t *wire.Tap, body []byte) wire.Kind { return readAny(t, body) }
