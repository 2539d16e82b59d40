package responses

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decoder reads an upstream's answer. The end of an item tells what its events
// have not told, and the end of the response what no item has.
type decoder struct {
	provider string
	items    []seen
	err      error
}

// seen is what has been told of an item of the output.
type seen struct {
	index   int64
	id      string
	kind    hub.PartKind
	next    int64 // content_index or summary_index that no piece has come of
	begun   bool  // a call has been told
	pieces  bool  // there have been pieces of a call or of reasoning
	raw     bool  // those of reasoning are what was thought, not its summary
	through bool  // the item has ended
}

var (
	errNoJSON = errors.New("holds an event that is no JSON")
	errItems  = errors.New("holds more than 4096 items")
)

// mostItems bounds the items of an answer, also of those that are told again at its
// end.
const mostItems = 4096

// Event reads an event of the stream.
func (d *decoder) Event(e *wire.Event, to hub.Sink) error {
	if !e.HasData || len(e.Data) == 0 || string(e.Data) == "[DONE]" {
		return nil
	}
	var s step
	if !s.read(e.Data) {
		return errNoJSON
	}
	name := e.Type
	if len(name) == 0 || string(name) == "message" {
		t, _ := hub.TextOf(s.typ)
		name = t.Plain()
	}
	d.take(name, &s, to)
	return d.err
}

func (d *decoder) take(name []byte, s *step, to hub.Sink) {
	switch string(name) {
	case "response.output_text.delta":
		d.words(s, hub.PartText, to)
	case "response.refusal.delta":
		d.words(s, hub.PartRefusal, to)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		d.arguments(s, to)
	case "response.reasoning_summary_text.delta":
		d.thought(s, s.summary, false, to)
	case "response.reasoning_text.delta":
		d.thought(s, s.content, true, to)
	case "response.output_item.added":
		d.added(s, to)
	case "response.output_item.done":
		d.ended(s.output, s.item, to)
	case "response.completed", "response.incomplete", "response.done", "response.cancelled":
		d.finish(s.response, to)
	}
}

// step is what an event says.
type step struct {
	typ, delta, item, response []byte
	output, content, summary   int64
}

func (s *step) read(data []byte) (ok bool) {
	w := wire.Walk(data)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "type":
			s.typ = w.Raw()
		case "output_index":
			s.output = w.Index()
		case "content_index":
			s.content = w.Index()
		case "summary_index":
			s.summary = w.Index()
		case "delta":
			s.delta = w.Raw()
		case "item":
			s.item = w.Raw()
		case "response":
			s.response = w.Raw()
		}
	}
	return w.End()
}

// at returns what is known of an item; the last one is the one that events are of.
func (d *decoder) at(index int64) *seen {
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].index == index {
			return &d.items[i]
		}
	}
	return nil
}

// open returns what is known of an item of a kind, and begins with it where
// nothing is.
func (d *decoder) open(index int64, kind hub.PartKind) *seen {
	if i := d.at(index); i != nil {
		return i
	}
	if len(d.items) == mostItems {
		d.err = errItems
		return &seen{index: index, kind: kind}
	}
	d.items = append(d.items, seen{index: index, kind: kind})
	return &d.items[len(d.items)-1]
}

// number tells the parts of all items apart.
func number(index, content int64) int { return int(index<<20 + content) }

func (d *decoder) words(s *step, of hub.PartKind, to hub.Sink) {
	i := d.open(s.output, hub.PartText)
	i.next = max(i.next, s.content+1)
	tell(to, of, number(s.output, s.content), s.delta)
}

func (d *decoder) arguments(s *step, to hub.Sink) {
	if i := d.at(s.output); i != nil && i.begun && !i.through {
		i.pieces = true
		tell(to, hub.PartCall, number(s.output, 0), s.delta)
	}
}

// thought takes a piece of reasoning. Servers that tell what was thought and its
// summary are taken by what comes first.
func (d *decoder) thought(s *step, part int64, raw bool, to hub.Sink) {
	i := d.open(s.output, hub.PartReasoning)
	if i.pieces && i.raw != raw {
		return
	}
	of := number(s.output, 0)
	if i.pieces && part >= i.next {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Part: of, Text: hub.Text(blankLine)})
	}
	i.pieces, i.raw, i.next = true, raw, max(i.next, part+1)
	tell(to, hub.PartReasoning, of, s.delta)
}

// tell hands a piece on.
func tell(to hub.Sink, of hub.PartKind, part int, value []byte) {
	if t, ok := hub.TextOf(value); ok && len(t) > 0 {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: of, Part: part, Text: t})
	}
}

// Answer reads a whole response.
func (d *decoder) Answer(body []byte, to hub.Sink) error {
	if w := wire.Walk(body); w.First() != '{' || !w.End() {
		return errors.New("is no JSON object")
	}
	d.finish(body, to)
	return d.err
}
