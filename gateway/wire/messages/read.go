package messages

import (
	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// ReadEvent reads one event into the tap. Its name says what it is, so most
// events, which are pieces of text, are not looked into.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case string(e.Type) == "error":
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	case e.Part == wire.PartNext, e.Part == wire.PartLast:
		return wire.Content
	case e.Part == wire.PartFirst:
		readNamed(t, e.Type, e.Data)
		return wire.Content
	case !e.HasData, e.DropCut():
		return wire.Silent
	}
	kind, known := readNamed(t, e.Type, e.Data)
	if !known {
		return readUnnamed(t, e.Data)
	}
	return kind
}

// readNamed reads an event by its name.
func readNamed(t *wire.Tap, name, data []byte) (kind wire.Kind, known bool) {
	switch string(name) {
	case "content_block_delta", "content_block_start", "content_block_stop":
	case "ping":
		return wire.Silent, true
	case "message_start":
		readMessage(t, wire.View(data).Get("message"))
	case "message_delta":
		readDelta(t, wire.View(data))
	case "message_stop":
		return readStop(t, data), true
	default:
		return wire.Content, false
	}
	return wire.Content, true
}

// readUnnamed reads an event without a name, or with an unknown one, by the
// type that its data has.
func readUnnamed(t *wire.Tap, data []byte) wire.Kind {
	document := wire.View(data)
	if kind, known := readNamed(t, []byte(document.Get("type").Str), data); known {
		return kind
	}
	if f, ok := wire.FailureIn(document); ok {
		t.Failure = f
		return wire.Failed
	}
	return wire.Content
}

// readDelta reads what changes at the end of a message: why it ends, and its
// counts.
func readDelta(t *wire.Tap, event gjson.Result) {
	event.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "delta":
			readReason(t, value.Get("stop_reason"))
		case "usage":
			readReport(t, value)
		}
		return true
	})
}

// readStop takes message_stop for the end only when it is whole: one that is
// cut off would not end anything for its reader.
func readStop(t *wire.Tap, data []byte) wire.Kind {
	if !gjson.ValidBytes(data) {
		return wire.Content
	}
	t.Done = true
	return wire.Terminal
}

func readReason(t *wire.Tap, reason gjson.Result) {
	if reason.Type == gjson.String && reason.Str != "" {
		t.Finish(0, reason.Str)
	}
}

func readReport(t *wire.Tap, usage gjson.Result) {
	if usage.IsObject() {
		t.Usage.Merge(readUsage(usage))
	}
}

// message tells what a message object turned out to be.
type message struct {
	mayBeError bool
	hasContent bool
}

// readMessage reads a message in one pass: its content is the longest part and
// is stepped over once.
func readMessage(t *wire.Tap, document gjson.Result) (m message) {
	document.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "type", "object":
			m.mayBeError = m.mayBeError || value.Str == "error"
		case "error":
			m.mayBeError = true
		case "content":
			m.hasContent = value.IsArray()
		case "stop_reason":
			readReason(t, value)
		case "usage":
			readReport(t, value)
		}
		return true
	})
	return m
}

// ReadAnswer reads a whole message. One without content is still content.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	if !gjson.ValidBytes(body) {
		return wire.Invalid
	}
	document := wire.View(body)
	m := readMessage(t, document)
	if m.mayBeError || document.IsArray() {
		if f, ok := wire.FailureIn(document); ok {
			t.Failure = f
			return wire.Failed
		}
	}
	if !document.IsObject() {
		return wire.Invalid
	}
	t.NoChoices, t.Done = !m.hasContent, true
	return wire.Content
}
