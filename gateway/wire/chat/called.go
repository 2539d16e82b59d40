package chat

import (
	"bytes"
	"errors"
	"slices"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// calls reads the calls of an answer into parts, numbered from 0. Servers tell
// pieces of one by its index. Some leave that out or repeat it, and begin a call
// with a new id and name.
type calls struct {
	tools hub.ToolNames // of the request
	list  []called
	whole bool // the answer is: each tells a call
}

// called is a call that has begun.
type called struct {
	index    int64
	id       hub.Text // as its server tells it
	begun    bool     // its name is known
	posing   bool     // a function that stands in the place of a custom tool
	told     bool     // its text has been told
	argument hub.Text // of one that is posing
}

// mostCalls bounds the calls of an answer.
const mostCalls = 4096

var errCalls = errors.New("holds more than 4096 tool calls")

// callPiece is a piece of a call; nil is absent.
type callPiece struct {
	index           int64
	indexed, custom bool
	id, name        hub.Text
	argument        []byte
}

// read passes on the calls of a chunk or answer.
func (c *calls) read(from *choice, to hub.Sink) error {
	w := wire.Walk(from.toolCalls)
	for more := w.Array(); more; more = w.Element() {
		var p callPiece
		p.read(&w)
		if err := c.take(&p, to); err != nil {
			return err
		}
	}
	if hub.IsNull(from.functionCall) {
		return nil
	}
	var p callPiece
	w = wire.Walk(from.functionCall)
	p.readInner(&w)
	return c.take(&p, to)
}

func (p *callPiece) read(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "index":
			p.indexed = w.First() != 'n'
			p.index = w.Index()
		case "id":
			p.id, _ = hub.TextOf(w.Raw())
		case "function":
			p.readInner(w)
		case "custom":
			p.custom = w.First() == '{'
			p.readInner(w)
		}
	}
}

func (p *callPiece) readInner(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "name":
			p.name, _ = hub.TextOf(w.Raw())
		case "arguments", "input":
			p.argument = w.Raw()
		}
	}
}

// take passes on a piece.
func (c *calls) take(p *callPiece, to hub.Sink) error {
	n := c.find(p)
	if n < 0 {
		if len(c.list) == mostCalls {
			return errCalls
		}
		n = len(c.list)
		c.list = append(c.list, called{index: p.index})
	}
	call := &c.list[n]
	if len(call.id) == 0 {
		call.id = slices.Clone(p.id)
	}
	text := argumentsOf(p.argument)
	if !call.begun && (len(p.name) > 0 || len(text) > 0) {
		c.begin(n, p, to)
	}
	switch {
	case len(text) == 0:
	case call.posing:
		call.argument = append(call.argument, text...)
	default:
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Part: n, Text: text})
	}
	return nil
}

// find returns the call that a piece belongs to; -1: it begins one.
func (c *calls) find(p *callPiece) int {
	for n := len(c.list) - 1; n >= 0 && !c.whole; n-- {
		call := &c.list[n]
		if p.indexed && call.index != p.index {
			continue
		}
		if call.begun && p.beginsAfter(call) {
			return -1
		}
		return n
	}
	return -1
}

// beginsAfter reports whether a piece that seems to belong to a call begins another.
// Pieces that go on have no name, or repeat it with the id.
func (p *callPiece) beginsAfter(call *called) bool {
	if len(p.name) == 0 {
		return false
	}
	return len(p.id) == 0 && !p.indexed || len(p.id) > 0 && !bytes.Equal(p.id, call.id)
}

// begin tells that a call begins.
func (c *calls) begin(n int, p *callPiece, to hub.Sink) {
	call := &c.list[n]
	made := c.tools.Call(call.id, p.name)
	call.begun, call.posing = true, made.Custom && !p.custom
	made.Custom = made.Custom || p.custom
	to.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: n, Call: made})
}

// flush tells the texts of custom calls whose arguments had to come to their end. One
// that has not is cut off; so is one of which nothing has come when the answer met
// its limit.
func (c *calls) flush(to hub.Sink, reason hub.Reason) {
	for n := range c.list {
		call := &c.list[n]
		if !call.posing || call.told {
			continue
		}
		call.told = true
		plain := call.argument.Plain()
		whole := wire.Valid(plain)
		if whole {
			to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Part: n, Text: hub.CustomText(plain)})
		}
		cut := !whole && (len(plain) > 0 || reason == hub.ReasonLength)
		to.Event(hub.Event{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: n, Cut: cut})
	}
}
