package messages

import "relay/gateway/wire"

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
		readHead(t, e.Type, e.Data)
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
		if m := (message{}); m.parseStart(data) {
			m.tell(t)
		}
	case "message_delta":
		if m := (message{}); m.parseDelta(data) {
			m.tell(t)
		}
	case "message_stop":
		return readStop(t, data), true
	default:
		return wire.Content, false
	}
	return wire.Content, true
}

// readHead reads what the first piece of an event holds whole that is too long
// to be held.
func readHead(t *wire.Tap, name, head []byte) {
	var m message
	switch string(name) {
	case "message_start":
		m.parseStart(head)
	case "message_delta":
		m.parseDelta(head)
	}
	m.tell(t)
}

// readUnnamed reads an event without a name, or with an unknown one, by the
// type that its data has.
func readUnnamed(t *wire.Tap, data []byte) wire.Kind {
	if kind, known := readNamed(t, typeIn(data), data); known {
		return kind
	}
	if t.Fails(data) {
		return wire.Failed
	}
	return wire.Content
}

// typeIn returns the type that the data of an event has; nil when it is no JSON.
func typeIn(data []byte) (name []byte) {
	w := wire.Walk(data)
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "type" {
			name, _ = w.Text(nil)
		}
	}
	if !w.End() {
		return nil
	}
	return name
}

// readStop takes message_stop for the end only when it is whole: one that is
// cut off would not end anything for its reader.
func readStop(t *wire.Tap, data []byte) wire.Kind {
	if !wire.Valid(data) {
		return wire.Content
	}
	t.Done = true
	return wire.Terminal
}

// ReadAnswer reads a whole message. One without content is still content.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var m message
	switch {
	case !m.parse(body):
		return wire.Invalid
	case m.mayBeError && t.Fails(body):
		return wire.Failed
	case m.first != '{':
		return wire.Invalid
	}
	m.tell(t)
	t.NoChoices, t.Done = !m.hasContent, true
	return wire.Content
}
