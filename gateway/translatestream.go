package gateway

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// relayTranslated deals with one event of an upstream that speaks another shape
// than the caller, and reports whether it was the last. What it makes for the
// caller is written with that of the events read beside it.
func (x *exchange) relayTranslated(a *attempt, kind wire.Kind) (last bool, o *outcome) {
	t := x.translation
	if kind == wire.Failed {
		x.failedTranslated(a)
		return true, nil
	}
	if kind != wire.Silent && x.next.HasData {
		err := t.decoder.Event(&x.next, t.sequence)
		if err == nil {
			err = t.sequence.Err()
		}
		if err != nil {
			return x.untranslatable(a, err)
		}
	}
	if kind == wire.Terminal || x.tap.Done {
		x.finishTranslated(a)
		return true, nil
	}
	return false, nil
}

// sendTranslated writes what has been translated so far.
func (x *exchange) sendTranslated(a *attempt) {
	t := x.translation
	if len(t.out) == 0 {
		return
	}
	x.answering(a)
	x.send(t.out)
	t.out = t.out[:0]
}

// finishTranslated ends the caller's stream.
func (x *exchange) finishTranslated(a *attempt) {
	x.sendTranslated(a)
	x.tellDetails()
	x.translation.sequence.Finish(&x.tap.Usage)
	x.finishStream(a, x.translation.out)
}

// failedTranslated tells the caller of an error that came after content.
func (x *exchange) failedTranslated(a *attempt) {
	x.sendTranslated(a)
	x.errorKind = "upstream_error"
	f := a.failure()
	x.failed(a.c, classOf(&f), f.RetryAfter, f.Message)
	if x.foreign() {
		f.Type = "" // it is a word of the other shape
	}
	x.tellWithin(f.AsError())
}

// untranslatable ends a stream of which an event means nothing in its shape. One that
// has not begun has failed as an answer does that comes whole.
func (x *exchange) untranslatable(a *attempt, err error) (last bool, o *outcome) {
	if !x.hasBegun(a) {
		return false, a.unreadable(err)
	}
	e := a.garbled(err)
	x.failed(a.c, classServerError, 0, e.Message)
	x.breakOff(e)
	return true, nil
}

// garbled says what is wrong with an answer.
func (a *attempt) garbled(err error) *wire.Error {
	return wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" sent an answer that cannot be translated: it "+err.Error()+".")
}

// wholeTranslated turns a whole answer into the caller's shape: as a stream where
// the caller waits for one.
func (x *exchange) wholeTranslated(a *attempt) *outcome {
	t := x.translation
	if x.tap.NoChoices {
		return a.invalid("answered without any choice")
	}
	if x.call.embeds != nil {
		return x.vectors(a)
	}
	if x.streams() {
		return x.streamWhole(a)
	}
	answer := &hub.Answer{}
	sequence := hub.NewSequence(answer, t.reply.ID)
	if err := t.decoder.Answer(x.buffer, sequence); err != nil {
		return a.unreadable(err)
	}
	sequence.Finish(&x.tap.Usage)
	x.tellDetails()
	x.buffer = t.encoder.AppendAnswer(nil, answer)
	return nil
}

// streamWhole writes an answer that came whole as the stream that was asked for.
func (x *exchange) streamWhole(a *attempt) *outcome {
	t := x.translation
	if err := t.decoder.Answer(x.buffer, t.sequence); err != nil {
		return a.unreadable(err)
	}
	return nil
}

// vectors turns embeddings into the caller's shape.
func (x *exchange) vectors(a *attempt) *outcome {
	v, err := x.translation.to.embeds.ReadVectors(x.buffer)
	if err != nil {
		return a.unreadable(err)
	}
	x.buffer = x.call.embeds.AppendVectors(nil, v, &x.translation.embeds, x.requested, x.tap.Usage.Prompt())
	return nil
}

// unreadable is the outcome of a whole answer that no other key would make better.
func (a *attempt) unreadable(err error) *outcome {
	return &outcome{final: true, class: classServerError, status: a.resp.StatusCode, err: a.garbled(err)}
}
