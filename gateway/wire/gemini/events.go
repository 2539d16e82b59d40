package gemini

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decoder reads one answer of a host, of which only the first candidate is told.
type decoder struct {
	tools    hub.ToolNames // of the request
	provider string
	parts    int // calls and media so far
	last     hub.PartKind
}

// Decoder returns a reader of chunks and whole answers, which have one form.
func (Hub) Decoder(r *hub.Request, provider string) hub.Decoder {
	return &decoder{tools: r.ToolNames(hub.Call.NameOfFlat), provider: provider, last: hub.PartReasoning}
}

var errNoJSON = errors.New("holds something that is no JSON")

// Event reads a chunk.
func (d *decoder) Event(e *wire.Event, to hub.Sink) error {
	if !e.HasData || string(e.Data) == "[DONE]" {
		return nil
	}
	return d.Answer(e.Data, to)
}

// Answer reads a whole answer, or an array of chunks.
func (d *decoder) Answer(body []byte, to hub.Sink) error {
	w := wire.Walk(body)
	if w.First() == '{' {
		d.chunk(&w, to)
	}
	for more := w.Array(); more; more = w.Element() {
		d.chunk(&w, to)
	}
	if !w.End() {
		return errNoJSON
	}
	return nil
}

func (d *decoder) chunk(w *wire.Walker, to hub.Sink) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "candidates":
			d.candidates(w, to)
		case "promptFeedback":
			d.feedback(w, to)
		}
	}
}

func (d *decoder) candidates(w *wire.Walker, to hub.Sink) {
	first := true
	for more := w.Array(); more; more = w.Element() {
		if first {
			d.candidate(w, to)
		}
		first = false
	}
}

// candidate reads a candidate. Why it ends is told behind what it says.
func (d *decoder) candidate(w *wire.Walker, to hub.Sink) {
	reason := ""
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "content":
			d.content(w, to)
		case "finishReason":
			reason = w.Reason()
		}
	}
	if isReason(reason) {
		to.Event(hub.Event{Kind: hub.EventFinish, Reason: reasonOf(reason)})
	}
}

func (d *decoder) content(w *wire.Walker, to hub.Sink) {
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) != "parts" {
			continue
		}
		for more := w.Array(); more; more = w.Element() {
			var p part
			p.read(w)
			d.part(&p, to)
		}
	}
}

// feedback reads why a prompt was not answered.
func (d *decoder) feedback(w *wire.Walker, to hub.Sink) {
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "blockReason" && isReason(w.Reason()) {
			to.Event(hub.Event{Kind: hub.EventFinish, Reason: hub.ReasonFilter})
		}
	}
}

// reasonOf returns what a finishReason is to callers. An answer that has come to
// no proper end, as with a call that is malformed, is incomplete.
func reasonOf(reason string) hub.Reason {
	switch reason {
	case "STOP":
		return hub.ReasonStop
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "OTHER",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER":
		return hub.ReasonFilter
	}
	return hub.ReasonLength
}
