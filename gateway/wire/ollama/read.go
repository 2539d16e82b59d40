package ollama

import (
	"bytes"

	"relay/gateway/wire"
)

// ReadEvent reads one line into the tap. One that is no JSON passes on as it is
// and tells nothing.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case e.Part == wire.PartFirst:
		return readHead(t, e.Data)
	case e.Part == wire.PartNext:
		return wire.Content
	case e.Part == wire.PartLast:
		return readTail(t, e)
	case len(bytes.TrimSpace(e.Data)) == 0, e.DropCut():
		return wire.Silent
	}
	return readLine(t, e.Data)
}

// readLine reads a line that is held as a whole.
func readLine(t *wire.Tap, data []byte) wire.Kind {
	var l line
	switch {
	case !l.parse(data):
		return wire.Content
	case l.failed() && t.Fails(data):
		return wire.Failed
	}
	if l.tell(t); l.done {
		t.Done = true
		return wire.Terminal
	}
	return wire.Content
}

// ReadAnswer reads a whole answer. One without a message or response is still
// content.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var l line
	switch {
	case !l.parse(body):
		return wire.Invalid
	case l.failed() && t.Fails(body):
		return wire.Failed
	case l.first != '{':
		return wire.Invalid
	}
	l.done = true
	l.tell(t)
	t.NoChoices, t.Done = !l.hasContent, true
	return wire.Content
}
