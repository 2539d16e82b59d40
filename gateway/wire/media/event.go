package media

import "relay/gateway/wire"

// role says what an event is to its stream.
type role uint8

const (
	unnamed role = iota // its name says nothing
	within
	image // one of the images that were asked for, whole
	end
)

// roleOf knows events by their name.
func roleOf(name []byte) role {
	switch string(name) {
	case "image_generation.partial_image", "image_edit.partial_image",
		"speech.audio.delta", "transcript.text.delta", "transcript.text.segment":
		return within
	case "image_generation.completed", "image_edit.completed":
		return image
	case "speech.audio.done", "transcript.text.done":
		return end
	}
	return unnamed
}

// readEvent reads one event into the tap. Its name says what it is, so those
// that are content alone are not looked into.
func readEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case string(e.Type) == "error":
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	case e.Part == wire.PartFirst && roleOf(e.Type) == within:
		return wire.Content
	}
	data, whole := t.Gather(e, keeps)
	switch {
	case !whole:
		return wire.Content
	case e.Part == wire.PartLast:
		t.Done = e.CutDone()
		return readNamed(t, e.Type, data)
	case !e.HasData:
		return wire.Silent
	case e.IsDone():
		t.Done = true
		return wire.Terminal
	}
	t.Done = e.CutDone()
	switch {
	case e.DropCut():
		return wire.Silent
	case roleOf(e.Type) == within:
		return wire.Content
	}
	return readNamed(t, e.Type, e.Data)
}

// keeps names what is read of an event that is too long to be held.
func keeps(within, name []byte) bool {
	switch string(name) {
	case "type", "object", "error", "usage", "duration":
		return true
	}
	return len(within) > 0
}

// readNamed reads an event that may be the last.
func readNamed(t *wire.Tap, name, data []byte) wire.Kind {
	var r report
	switch {
	case !r.parse(data):
		return wire.Content
	case r.mayFail && t.Fails(data):
		return wire.Failed
	}
	if known := roleOf(name); known != unnamed {
		r.role = known
	}
	if r.tell(t); r.role == image {
		t.Usage.Images++
		t.Usage.Present = true
	}
	if r.role == end || r.role == image && t.Usage.Images >= int64(max(t.Choices, 1)) {
		t.Done = true
		return wire.Terminal
	}
	return wire.Content
}
