package hub_test

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// answering plays one answer of a host by the rules of the gateway.
type answering struct {
	codec    wire.Codec
	decoder  hub.Decoder
	sequence *hub.Sequence
	splitter wire.Splitter
	tap      wire.Tap
	ended    bool
	failure  *wire.Error
}

func answer(from shape, r *hub.Request, to hub.Sink) *answering {
	return &answering{codec: from.wire, decoder: from.up.Decoder(r, from.provider), sequence: hub.NewSequence(to, replyID)}
}

// stream plays a stream that comes in pieces and ends cleanly.
func (a *answering) stream(contentType string, pieces ...string) {
	a.splitter.Frame(a.codec.Framing(contentType))
	for _, piece := range pieces {
		a.read(piece)
	}
	a.splitter.End()
	a.take()
	switch {
	case a.ended:
	case a.codec.Complete(&a.tap):
		a.finish()
	default:
		a.fail(wire.NewError(wire.CodeUpstreamUnavailable, "The stream was cut off."))
	}
}

func (a *answering) read(piece string) {
	for piece != "" && !a.ended {
		n := copy(a.splitter.Space(), piece)
		a.splitter.Filled(n)
		piece = piece[n:]
		a.take()
	}
}

func (a *answering) take() {
	for e := (wire.Event{}); !a.ended && a.splitter.Next(&e); {
		a.event(a.codec.ReadEvent(&a.tap, &e), &e)
	}
}

func (a *answering) event(kind wire.Kind, e *wire.Event) {
	if kind == wire.Failed {
		a.fail(a.tap.Failure.AsError())
		return
	}
	if e.HasData {
		if err := a.decoder.Event(e, a.sequence); err != nil {
			a.fail(wire.Errorf(wire.CodeUpstreamInvalid, "The answer %v.", err))
			return
		}
	}
	if kind == wire.Terminal || a.tap.Done {
		a.finish()
	}
}

// whole plays a whole answer.
func (a *answering) whole(body string) {
	switch kind := a.codec.ReadAnswer(&a.tap, []byte(body)); {
	case kind == wire.Failed:
		a.fail(a.tap.Failure.AsError())
		return
	case kind == wire.Invalid, a.tap.NoChoices:
		a.fail(wire.NewError(wire.CodeUpstreamInvalid, "The host answered without any choice."))
		return
	}
	if err := a.decoder.Answer([]byte(body), a.sequence); err != nil {
		a.fail(wire.Errorf(wire.CodeUpstreamInvalid, "The answer %v.", err))
		return
	}
	a.finish()
}

func (a *answering) finish() {
	a.ended = true
	if err := a.sequence.Err(); err != nil {
		a.fail(wire.Errorf(wire.CodeUpstreamInvalid, "The answer %v.", err))
		return
	}
	a.sequence.Finish(&a.tap.Usage)
}

func (a *answering) fail(err *wire.Error) { a.ended, a.failure = true, err }
