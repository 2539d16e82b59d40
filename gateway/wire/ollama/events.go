package ollama

import (
	"bytes"
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decoder reads an answer of /api/chat. A stream is a line for each piece; a whole
// answer has the form of a line.
type decoder struct {
	tools hub.ToolNames // of the request
	calls int
}

var (
	errLine    = errors.New("holds a line that is no JSON object")
	errMessage = errors.New("holds no message")
)

// Event reads a line.
func (d *decoder) Event(e *wire.Event, to hub.Sink) error {
	if len(bytes.TrimSpace(e.Data)) == 0 {
		return nil
	}
	var p piece
	if !p.parse(e.Data) {
		return errLine
	}
	return d.tell(&p, to)
}

// Answer reads a whole answer.
func (d *decoder) Answer(body []byte, to hub.Sink) error {
	var p piece
	switch {
	case !p.parse(body):
		return errLine
	case !p.hasMessage:
		return errMessage
	}
	return d.tell(&p, to)
}

// tell passes on what a line holds, in the order in which a model makes it.
func (d *decoder) tell(p *piece, to hub.Sink) error {
	if len(p.thinking) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Text: p.thinking})
	}
	if len(p.content) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: p.content})
	}
	for value := range hub.Elements(p.calls) {
		if err := d.tellCall(value, to); err != nil {
			return err
		}
	}
	if p.done {
		to.Event(hub.Event{Kind: hub.EventFinish, Reason: p.reason})
	}
	return nil
}

// tellCall passes on a call, which always comes whole.
func (d *decoder) tellCall(value []byte, to hub.Sink) error {
	said, err := readCall(value)
	if err != nil {
		return errors.New("holds a call that " + err.Error())
	}
	c := d.tools.Call(said.id, said.name)
	to.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: d.calls, Call: c})
	to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Part: d.calls, Text: said.textFor(c)})
	to.Event(hub.Event{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: d.calls})
	d.calls++
	return nil
}

// piece is what a line says to the caller of a model. Of members with one name the
// last counts.
type piece struct {
	hasMessage        bool
	content, thinking hub.Text
	calls             []byte
	done              bool
	reason            hub.Reason
}

// parse reads a document and reports whether it is a JSON object.
func (p *piece) parse(document []byte) bool {
	w := wire.Walk(document)
	isObject := w.First() == '{'
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "message":
			p.readMessage(&w)
		case "done":
			p.done = w.First() == 't'
		case "done_reason":
			p.reason = reasonOf(w.Raw())
		}
	}
	return w.End() && isObject
}

func (p *piece) readMessage(w *wire.Walker) {
	p.content, p.thinking, p.calls = nil, nil, nil
	p.hasMessage = w.First() == '{'
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "content":
			p.content, _ = hub.TextOf(w.Raw())
		case "thinking":
			p.thinking, _ = hub.TextOf(w.Raw())
		case "tool_calls":
			p.calls = w.Raw()
		}
	}
}

// reasonOf reads why an answer ends. What loads or unloads a model says nothing.
func reasonOf(value []byte) hub.Reason {
	switch string(value) {
	case `"stop"`, `"load"`, `"unload"`:
		return hub.ReasonStop
	case `"length"`:
		return hub.ReasonLength
	}
	return hub.ReasonUnknown
}
