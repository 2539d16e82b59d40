package wire

import "bytes"

// [DONE] ends the streams of chat completions. Some servers end streams of other
// shapes with it too, behind the event that ends those, on a line of that event,
// or instead of it.
const done = "[DONE]"

// IsDone reports whether the event's data is [DONE], once or several times.
func (e *Event) IsDone() bool {
	return len(e.Data) > 0 && e.Data[0] != '{' && isDone(e.Data)
}

// CutDone leaves out a [DONE] that is glued to the JSON of an event, whose
// readers would fail on it, and reports whether there was one. Nearly every event
// ends in its brace and is let go at the first look.
func (e *Event) CutDone() bool {
	n := len(e.Data)
	if n == 0 || e.Data[n-1] == '}' {
		return false
	}
	data, raw := bytes.LastIndexByte(e.Data, '}'), bytes.LastIndexByte(e.Raw, '}')
	if data < 0 || raw < 0 || !isDone(e.Data[data+1:]) {
		return false
	}
	e.Data = e.Data[:data+1]
	e.Keep(raw+1, "\n\n")
	return true
}

// DropDone leaves out an event that is a [DONE] to which no answer has led, and
// reports whether it did so: clients take it for a clean end and never see the
// error that follows.
func (e *Event) DropDone() bool {
	if !e.IsDone() {
		return false
	}
	e.Keep(0, "\n") // what lies side by side is written with what lies between
	return true
}

// isDone reports whether a text is [DONE], before others and behind field names.
func isDone(text []byte) bool {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("data:"))
	rest, found := bytes.CutPrefix(bytes.TrimSpace(text), []byte(done))
	return found && (len(bytes.TrimSpace(rest)) == 0 || isDone(rest))
}
