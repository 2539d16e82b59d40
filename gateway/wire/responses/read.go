package responses

import "relay/gateway/wire"

// ReadEvent reads one event into the tap. Its name says what it is, so most
// events, which are pieces of text, are not looked into.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	if string(e.Type) == "error" {
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	}
	if e.Part == wire.PartFirst && roleOf(e.Type) == within {
		return wire.Content
	}
	data, whole := t.Gather(e, keeps)
	switch {
	case !whole:
		return wire.Content
	case e.Part == wire.PartLast:
		e.CutDone()
		return readEvent(t, e.Type, data)
	case !e.HasData, e.DropDone():
		return wire.Silent
	}
	e.CutDone()
	switch {
	case e.DropCut():
		return wire.Silent
	case roleOf(e.Type) == within:
		return wire.Content
	}
	return readEvent(t, e.Type, e.Data)
}

// keeps names what is read of an event that is too long to be held.
func keeps(within, name []byte) bool {
	switch string(within) {
	case "":
		return string(name) == "type" || string(name) == "error" || string(name) == "response"
	case "response":
		switch string(name) {
		case "status", "error", "usage", "incomplete_details":
			return true
		}
		return false
	}
	return true
}

// readEvent reads an event that may be the last.
func readEvent(t *wire.Tap, name, data []byte) wire.Kind {
	var v event
	if !v.parse(data) {
		return wire.Content
	}
	if known := roleOf(name); known != unnamed {
		v.role = known
	}
	switch {
	case v.mayFail && t.Fails(data):
		return wire.Failed
	case v.role == failure, v.role == end && v.response.failed():
		t.Usage.MergePrompt(v.response.usage)
		t.Failure = failureIn(data)
		return wire.Failed
	case v.role == end:
		v.response.tell(t)
		t.Done = true
		return wire.Terminal
	}
	return wire.Content
}

// ReadAnswer reads a whole response. One without output is still content, as is
// one that is still to be made.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var r response
	switch {
	case !r.parse(body):
		return wire.Invalid
	case r.failed() && t.Fails(body):
		return wire.Failed
	case r.first != '{':
		return wire.Invalid
	case r.status == "failed":
		t.Failure = wire.Failure{Status: 500}
		return wire.Failed
	}
	r.tell(t)
	t.NoChoices, t.Done = !r.hasOutput, true
	return wire.Content
}
