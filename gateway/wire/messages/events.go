package messages

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// answer reads one answer of an upstream into events.
type answer struct {
	tools    hub.ToolNames // of the request
	provider string
	tool     hub.Text // whose input is the answer's text; empty: there is none
	blocks   []*opened
}

func newAnswer(r *hub.Request, provider string) *answer {
	a := &answer{tools: r.ToolNames(toolName), provider: provider}
	if t, ok := answerTool(r); ok {
		a.tool = t.Name
	}
	return a
}

var (
	errEvent  = errors.New("holds an event that is no JSON")
	errAnswer = errors.New("is no message")
	errLong   = errors.New("holds a part of more than 16 MiB")
	errBlocks = errors.New("holds more than 4096 blocks that have begun and not ended")
)

// event holds what an event of a stream tells, as it is written.
type event struct {
	kind  []byte
	index int
	block []byte // of content_block_start

	text, thinking, partial, signature []byte // of the delta of content_block_delta
	reason, stop                       []byte // of that of message_delta
}

func (e *event) read(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "type":
			e.kind = w.Raw()
		case "index":
			e.index = int(w.Index())
		case "content_block":
			e.block = w.Raw()
		case "delta":
			e.readDelta(w)
		}
	}
}

func (e *event) readDelta(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "text":
			e.text = w.Raw()
		case "thinking":
			e.thinking = w.Raw()
		case "partial_json":
			e.partial = w.Raw()
		case "signature":
			e.signature = w.Raw()
		case "stop_reason":
			e.reason = w.Raw()
		case "stop_sequence":
			e.stop = w.Raw()
		}
	}
}

// Event reads one event of a stream. Those that are not known say nothing.
func (a *answer) Event(e *wire.Event, to hub.Sink) error {
	var said event
	w := wire.Walk(e.Data)
	said.read(&w)
	if !w.End() {
		return errEvent
	}
	switch kind := textOf(said.kind); string(kind) {
	case "content_block_delta":
		return a.delta(&said, to)
	case "content_block_start":
		return a.open(said.index, said.block, to)
	case "content_block_stop":
		a.close(said.index, to)
	case "message_delta":
		a.finish(said.reason, said.stop, to)
	}
	return nil
}

// delta reads a piece of a block.
func (a *answer) delta(e *event, to hub.Sink) error {
	switch {
	case e.text != nil:
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Part: e.index, Text: textOf(e.text)})
	case e.thinking != nil:
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Part: e.index, Text: textOf(e.thinking)})
	case e.partial != nil:
		return a.arguments(e.index, textOf(e.partial), to)
	case e.signature != nil:
		return a.sign(e.index, textOf(e.signature))
	}
	return nil
}

// arguments reads a piece of the input of a tool. That of tools that the provider
// runs is nothing to the caller.
func (a *answer) arguments(index int, piece hub.Text, to hub.Sink) error {
	b := a.block(index)
	switch {
	case b == nil || len(piece) == 0:
		return nil
	case b.custom:
		b.held = append(b.held, piece...)
		return b.bounded()
	}
	b.begun = true
	to.Event(hub.Event{Kind: hub.EventDelta, Of: b.of, Part: index, Text: piece})
	return nil
}

// sign keeps a piece of a signature until its block ends.
func (a *answer) sign(index int, piece hub.Text) error {
	b := a.block(index)
	if b == nil {
		return nil
	}
	b.held = append(b.held, piece...)
	return b.bounded()
}

func (a *answer) finish(reason, stop []byte, to hub.Sink) {
	if hub.IsNull(reason) {
		return
	}
	e := hub.Event{Kind: hub.EventFinish, Reason: reasonOf(textOf(reason)), StopSeq: textOf(stop)}
	if e.Reason == hub.ReasonCalls && len(a.tool) > 0 {
		e.Reason = hub.ReasonStop
	}
	to.Event(e)
}

// Answer reads a whole message.
func (a *answer) Answer(body []byte, to hub.Sink) error {
	var content, reason, stop []byte
	w := wire.Walk(body)
	isObject := w.First() == '{'
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "content":
			content = w.Raw()
		case "stop_reason":
			reason = w.Raw()
		case "stop_sequence":
			stop = w.Raw()
		}
	}
	if !w.End() || !isObject {
		return errAnswer
	}
	index := 0
	for block := range hub.Elements(content) {
		if err := a.open(index, block, to); err != nil {
			return err
		}
		a.close(index, to)
		index++
	}
	a.finish(reason, stop, to)
	return nil
}
