package chat

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decoder reads one answer of an upstream. It implements hub.Decoder.
type decoder struct {
	thought thought
	calls   calls
}

var (
	errNoJSON   = errors.New("holds what is not JSON")
	errNoChoice = errors.New("holds no choice")
)

// Event reads a chunk of a stream.
func (d *decoder) Event(e *wire.Event, to hub.Sink) error {
	if isDone(e.Data) || len(e.Data) == 0 {
		d.calls.flush(to, hub.ReasonUnknown)
		return nil
	}
	var c choice
	if !c.read(e.Data, "delta") {
		return errNoJSON
	}
	return d.tell(&c, to)
}

// Answer reads a whole answer.
func (d *decoder) Answer(body []byte, to hub.Sink) error {
	var c choice
	switch {
	case !c.read(body, "message"):
		return errNoJSON
	case !c.found:
		return errNoChoice
	}
	d.calls.whole = true
	err := d.tell(&c, to)
	d.calls.flush(to, c.endReason())
	return err
}

// tell passes on what a choice says, thoughts first, whatever the order of its
// members.
func (d *decoder) tell(c *choice, to hub.Sink) error {
	d.thought.read(c, to)
	if c.says() {
		d.thought.end(to)
	}
	d.content(c.content, to)
	if t, _ := hub.TextOf(c.refusal); len(t) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartRefusal, Text: t})
	}
	if err := d.calls.read(c, to); err != nil {
		return err
	}
	if !c.ends() {
		return nil
	}
	reason := c.endReason()
	d.calls.flush(to, reason)
	to.Event(hub.Event{Kind: hub.EventFinish, Reason: reason})
	return nil
}

// content passes on text, which some servers write as parts.
func (d *decoder) content(value []byte, to hub.Sink) {
	if len(value) > 0 && value[0] == '"' {
		d.words(value, to)
		return
	}
	for part := range hub.Elements(value) {
		d.contentPart(part, to)
	}
}

func (d *decoder) words(value []byte, to hub.Sink) {
	if t, _ := hub.TextOf(value); len(t) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: t})
	}
}

// contentPart passes on a part: Mistral's thoughts are parts of text within one.
func (d *decoder) contentPart(part []byte, to hub.Sink) {
	kind, _ := hub.TextOf(hub.MemberOf(part, "type"))
	switch kind.String() {
	case "text":
		d.words(hub.MemberOf(part, "text"), to)
	case "thinking":
		for within := range hub.Elements(hub.MemberOf(part, "thinking")) {
			t, _ := hub.TextOf(hub.MemberOf(within, "text"))
			d.thought.delta(t, bareIndex, to)
		}
	}
}
