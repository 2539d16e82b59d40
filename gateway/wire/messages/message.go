package messages

import "relay/gateway/wire"

// message is what a message says, or an event that begins or ends one. It goes
// into the tap only once its document has been read without a fault. Of members
// with one name the last counts.
type message struct {
	first      byte // of the document
	mayBeError bool
	hasContent bool
	reason     string // why it ended
	usage      wire.Usage
}

// parse reads a whole message and reports whether it is JSON.
func (m *message) parse(document []byte) bool {
	w := wire.Walk(document)
	m.first = w.First()
	m.mayBeError = m.first == '['
	m.read(&w)
	return w.End()
}

// parseStart reads message_start, which holds a message.
func (m *message) parseStart(event []byte) bool {
	w := wire.Walk(event)
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "message" {
			m.read(&w)
		}
	}
	return w.End()
}

// parseDelta reads message_delta: why the message ends, and its counts.
func (m *message) parseDelta(event []byte) bool {
	w := wire.Walk(event)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "delta":
			m.readReason(&w)
		case "usage":
			m.readUsage(&w)
		}
	}
	return w.End()
}

func (m *message) read(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "type", "object":
			m.mayBeError = w.Is("error") || m.mayBeError
		case "error":
			m.mayBeError = true
		case "content":
			m.hasContent = w.First() == '['
		case "stop_reason":
			m.reason = w.Reason()
		case "usage":
			m.readUsage(w)
		}
	}
}

func (m *message) readReason(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "stop_reason" {
			m.reason = w.Reason()
		}
	}
}

// readUsage reads a usage object that is held whole.
func (m *message) readUsage(w *wire.Walker) {
	if w.First() != '{' {
		return
	}
	if u := readUsage(w); w.OK() {
		m.usage.Replace(u)
	}
}

// tell puts what was read into the tap.
func (m *message) tell(t *wire.Tap) {
	if m.reason != "" {
		t.Finish(0, m.reason)
	}
	t.Usage.Merge(m.usage)
}
