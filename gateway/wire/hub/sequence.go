package hub

import (
	"errors"
	"slices"
	"strconv"

	"relay/gateway/wire"
)

// Sequence puts the events of a Decoder into an order that every shape can tell:
// EventStart; then part after part, each begun with EventPart, ended with
// EventPartEnd and numbered from 0, one open at a time; then EventFinish. Pieces
// of a part whose turn has not come are kept back. It makes the ids that calls
// lack, gives a call without arguments {}, and says so where a call was cut off.
type Sequence struct {
	to      Sink
	id      string
	begun   bool
	open    bool
	now     part // while open
	next    int  // number of the next part
	calls   int
	cut     bool
	refused bool // the model has told a refusal
	waiting queue
	held    int // bytes that wait
	reason  Reason
	stopSeq Text
	err     error
}

// part is a part that is open or waits for its turn.
type part struct {
	of     PartKind
	part   int // the decoder's number
	call   Call
	opaque []Opaque
	text   Text // of a call all of its arguments, of others what waits
	ended  bool
	cut    bool // as its decoder says
	media  Part
}

// MostHeld is how many bytes of parts a Sequence keeps back. Each that waits counts
// as heldPart bytes more, so that there are not too many to look through.
const (
	MostHeld = 16 << 20
	heldPart = 4 << 10
)

var errHeld = errors.New("holds parallel tool calls of more than 16 MiB")

// NewSequence returns a sequence whose events go to the sink. id tells its answer
// apart from others, see Reply.ID.
func NewSequence(to Sink, id string) *Sequence { return &Sequence{to: to, id: id} }

// Err returns an error once more than MostHeld bytes had to be kept back. No part
// is taken any more then.
func (s *Sequence) Err() error { return s.err }

// Event takes the next event of a Decoder. A delta without text says nothing.
func (s *Sequence) Event(e Event) {
	s.start()
	switch {
	case s.err != nil, e.Kind == EventDelta && len(e.Text) == 0:
	case e.Kind == EventPartEnd:
		s.end(e)
	case e.Kind == EventFinish:
		s.reason, s.stopSeq = e.Reason, slices.Clone(e.StopSeq)
	default:
		s.take(e)
	}
}

// Finish ends the answer.
func (s *Sequence) Finish(u *wire.Usage) {
	s.start()
	s.close()
	for s.waiting.len() > 0 {
		s.release()
		s.close()
	}
	s.to.Event(Event{Kind: EventFinish, Reason: s.reasonTold(), StopSeq: s.stopSeq, Usage: u})
}

// reasonTold is why the answer ends. Several upstreams say stop where tools are
// called, and where the model refuses.
func (s *Sequence) reasonTold() Reason {
	stopped := s.reason == ReasonStop || s.reason == ReasonUnknown
	switch {
	case s.cut:
		return ReasonLength
	case stopped && s.calls > 0:
		return ReasonCalls
	case stopped && s.refused:
		return ReasonRefusal
	case stopped:
		return ReasonStop
	}
	return s.reason
}

func (s *Sequence) start() {
	if !s.begun {
		s.begun = true
		s.to.Event(Event{Kind: EventStart})
	}
}

// take deals with an event of a part that is open, waits or begins.
func (s *Sequence) take(e Event) {
	switch {
	case s.open && s.now.is(e):
		s.pass(e)
		return
	case s.keep(e), !e.begins():
		return
	}
	p := part{of: e.Of, part: e.Part, call: e.Call.clone(), media: e.Media}
	if s.waiting.len() > 0 || s.open && !s.now.complete() {
		p.media = e.Media.clone()
		s.waiting.add(p)
		s.hold(heldPart + len(p.media.Data))
		s.keep(e)
		return
	}
	s.close()
	s.begin(p)
	s.pass(e)
}

func (p *part) is(e Event) bool { return p.of == e.Of && p.part == e.Part }

// begins reports whether a part may begin with the event. What comes of a call that
// has been ended, such as an empty rest of its arguments, begins none.
func (e *Event) begins() bool {
	return e.Kind == EventPart || e.Of == PartText || e.Of == PartRefusal || e.Of == PartReasoning
}

// keep adds an event to the part that waits for its turn, if one does.
func (s *Sequence) keep(e Event) bool {
	p := s.waiting.of(e)
	if p == nil {
		return false
	}
	switch e.Kind {
	case EventDelta:
		p.text = append(p.text, e.Text...)
		s.hold(len(e.Text))
	case EventOpaque:
		p.opaque = append(p.opaque, e.Opaque.Clone())
		s.hold(len(e.Opaque.Data))
	}
	return true
}

func (s *Sequence) hold(n int) {
	if s.held += n; s.held > MostHeld {
		s.err = errHeld
	}
}

// complete reports whether the part may be ended because another begins: no more
// can come of a call whose arguments are whole. Of a text nobody can tell.
func (p *part) complete() bool {
	return p.of != PartCall || p.ended || !p.call.Custom && len(p.text) > 0 && wire.Valid(p.text.Plain())
}

// begin opens a part. Media refer to a buffer and go on with it.
func (s *Sequence) begin(p part) {
	if p.of == PartCall {
		s.calls++
		if len(p.call.ID) == 0 {
			p.call.ID = Text("call_" + s.id + "_" + strconv.Itoa(s.calls))
		}
	}
	s.refused = s.refused || p.of == PartRefusal
	s.now, s.open = p, true
	s.to.Event(Event{Kind: EventPart, Of: p.of, Part: s.next, Call: p.call, Media: p.media})
}

// pass hands an event of the open part on.
func (s *Sequence) pass(e Event) {
	if e.Kind == EventPart {
		return
	}
	if e.Kind == EventDelta && s.now.of == PartCall {
		s.now.text = append(s.now.text, e.Text...)
		if len(s.now.text) > MostHeld {
			s.err = errHeld
		}
	}
	e.Part = s.next
	if e.Kind == EventOpaque || len(e.Text) > 0 {
		s.to.Event(e)
	}
}

// end takes the end of a part as its decoder tells it.
func (s *Sequence) end(e Event) {
	if s.open && s.now.is(e) {
		s.now.ended, s.now.cut = true, e.Cut
		s.close()
		for !s.open && s.waiting.len() > 0 {
			s.release()
		}
		return
	}
	if p := s.waiting.of(e); p != nil {
		p.ended, p.cut = true, e.Cut
	}
}

// release opens the part that has waited longest.
func (s *Sequence) release() {
	p := s.waiting.next()
	text := p.text
	p.text = nil
	s.begin(p)
	s.held -= heldPart + len(p.media.Data) + len(text)
	s.pass(Event{Kind: EventDelta, Of: p.of, Text: text})
	for _, o := range p.opaque {
		s.held -= len(o.Data)
		s.pass(Event{Kind: EventOpaque, Of: p.of, Opaque: o})
	}
	if p.ended || s.waiting.len() > 0 && s.now.complete() {
		s.close()
	}
}

// close ends the open part, if there is one.
func (s *Sequence) close() {
	if !s.open {
		return
	}
	p := &s.now
	cut := p.cut
	if p.of == PartCall && !p.call.Custom {
		if len(p.text) == 0 && !cut && (p.ended || s.reason != ReasonLength) {
			s.pass(Event{Kind: EventDelta, Of: p.of, Text: Text("{}")})
		}
		cut = cut || !wire.Valid(p.text.Plain())
	}
	s.cut = s.cut || cut
	s.to.Event(Event{Kind: EventPartEnd, Of: p.of, Part: s.next, Cut: cut})
	s.open, s.now = false, part{}
	s.next++
}
