package wire

import "strings"

// Framing is how the body of a streamed answer is cut into events.
type Framing uint8

const (
	FramingNone   Framing = iota // not a stream: one answer
	FramingEvents                // server-sent events (WHATWG HTML, section 9.2)
	FramingLines                 // JSON documents, one a line (NDJSON)
	FramingArray                 // one JSON array, an event each element
	FramingBytes                 // what has no events, such as audio: an event each read
)

// Content types of answers.
const (
	ContentTypeJSON  = "application/json"
	ContentTypeEvent = "text/event-stream"
	ContentTypeLines = "application/x-ndjson"
)

// FramingOf tells the framing of those content types that are only used for
// streams.
func FramingOf(contentType string) Framing {
	switch {
	case strings.HasPrefix(contentType, ContentTypeEvent):
		return FramingEvents
	case strings.HasPrefix(contentType, ContentTypeLines):
		return FramingLines
	}
	return FramingNone
}
