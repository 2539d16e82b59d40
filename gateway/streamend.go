package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"relay/gateway/wire"
)

// tailTimeout is how long the end of an upstream's body may take once its
// terminal event has come.
const tailTimeout = 50 * time.Millisecond

// finishStream settles and then writes what ends the stream. What the upstream
// still has to say is read so that its connection can be used again.
func (x *exchange) finishStream(a *attempt, last ...[]byte) {
	x.write("")
	x.answering(a)
	x.noteGone()
	x.settle()
	if e := x.durable(); e != nil {
		x.errorKind, e.RequestID = e.Code, x.id
		if x.next.Part == wire.PartLast { // its pieces have gone on
			end, _ := x.splitter.Break()
			x.send([]byte(end))
		}
		x.sendError(e)
		return
	}
	x.send(last...)
	a.readTail()
}

// noteGone makes the record tell of a caller that has left before the end.
func (x *exchange) noteGone() {
	if x.gone() {
		x.recordGone()
	}
}

func (x *exchange) recordGone() {
	x.errorKind = errCallerGone.Code
	if !x.began {
		x.status = errCallerGone.Status
	}
}

// readTail reads to the end of an answer whose terminal event has come, for a
// moment only.
func (a *attempt) readTail() {
	timer := time.AfterFunc(tailTimeout, func() { a.cancel(nil) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, a.resp.Body, 64<<10)
}

// failed is the outcome of an answer that was an error object all along.
func (a *attempt) failed() *outcome {
	f := a.failure()
	return &outcome{class: classOf(&f), status: f.Status, failure: f, err: a.failureError(f)}
}

// failure is what the error object has said, without the key.
func (a *attempt) failure() wire.Failure {
	return a.heard(a.x.tap.Failure)
}

// heard is what an upstream has said of a failure: without the key, and with
// the wait of the answer's header over that of its body.
func (a *attempt) heard(f wire.Failure) wire.Failure {
	redactFailure(&f, a.c.Key)
	if asked := retryAfter(a.resp.Header, time.Now()); asked > 0 {
		f.RetryAfter = asked
	}
	return f
}

// failureError is what the caller sees of it when nothing else answers: its
// own status, in the caller's shape.
func (a *attempt) failureError(f wire.Failure) *wire.Error {
	if classOf(&f) == classAuth {
		return nil
	}
	return f.AsError()
}

// failedWithin passes an error on that comes after content. The stream has
// failed: it gets no terminal event.
func (x *exchange) failedWithin(a *attempt, e *wire.Event) {
	x.write("")
	x.errorKind = "upstream_error"
	f := a.failure()
	x.failed(a.c, classOf(&f), f.RetryAfter, f.Message)
	x.settle()
	_ = x.durable() // an error it is already
	x.send(x.withoutKey(a, e), []byte(e.Missing))
	x.endEvent()
	x.send([]byte(x.splitter.Close()))
}

// endEvent ends an event of which a part has been sent.
func (x *exchange) endEvent() {
	if !x.splitter.MidEvent() {
		return
	}
	if x.pieces != nil {
		x.send(x.pieces.rest())
	}
	end, ok := x.splitter.Break()
	x.cut = x.cut || !ok
	x.send([]byte(end))
}

// ended deals with a stream that is over without its terminal event.
func (x *exchange) ended(a *attempt, err error) *outcome {
	switch {
	case x.gone():
		_ = x.abandoned()
		return nil
	case errors.Is(err, io.EOF) && !x.splitter.MidEvent() && x.reader.Complete(&x.tap):
		x.endComplete(a)
		return nil
	}
	own := a.revoked()
	if x.stopping() {
		own = errStopping()
	}
	switch {
	case !x.began && own != nil:
		return &outcome{class: classNone, final: true, err: own}
	case !x.began && errors.Is(err, io.EOF) && x.codec.StreamType() == "":
		return a.invalid("answered with status " + strconv.Itoa(a.resp.StatusCode) + " and a body that is empty or holds nothing of an answer")
	case !x.began:
		return &outcome{class: classNetwork, err: a.cutOff(err, "before its first event")}
	case own != nil:
		x.breakOff(own)
	default:
		e := a.cutOff(err, "before its end")
		x.failed(a.c, classNetwork, 0, e.Message)
		x.breakOff(e)
	}
	return nil
}

// endComplete ends a stream that was whole and had no terminal event.
func (x *exchange) endComplete(a *attempt) {
	if x.translated() {
		x.finishTranslated(a)
		return
	}
	x.finishStream(a, []byte(x.codec.Terminal()), []byte(x.splitter.Close()))
}

// breakOff tells the caller that the stream is not whole: an error event and
// no terminal one.
func (x *exchange) breakOff(e *wire.Error) {
	x.errorKind = "truncated"
	if e.RefusedBy != "" {
		x.errorKind = e.Code
	}
	x.endEvent()
	x.tellWithin(e)
}

// cutOff says why an upstream's stream is not whole.
func (a *attempt) cutOff(err error, when string) *wire.Error {
	code, what := wire.CodeUpstreamUnavailable, "broke its stream off"
	switch {
	case errors.Is(a.cause(), errIdle):
		code, what = wire.CodeUpstreamTimeout, "sent nothing for too long (stream.idle_timeout)"
	case errors.Is(err, wire.ErrEventTooLong):
		code, what = wire.CodeUpstreamInvalid, "sent an event of more than 16 MiB"
	case errors.Is(err, errUnpacked):
		code, what = wire.CodeUpstreamInvalid, "packed more into its stream than Relay unpacks"
	}
	return wire.NewError(code, "Host "+a.host()+" "+what+" "+when+".")
}

// tellWithin ends a stream that has begun with an error event.
func (x *exchange) tellWithin(e *wire.Error) {
	x.errorKind = cmp.Or(x.errorKind, e.Code, "upstream_error")
	x.settle()
	_ = x.durable() // an error it is already
	told := *e
	told.RequestID = x.id
	x.sendError(&told)
}

// sendError ends a stream with an error event, or by cutting the connection where
// none would be read.
func (x *exchange) sendError(e *wire.Error) {
	event := x.codec.AppendErrorEvent(nil, e)
	if x.cut = x.cut || len(event) == 0; !x.cut {
		x.send(event)
	}
}

// stopping reports whether the stop of Relay cuts the request.
func (x *exchange) stopping() bool { return errors.Is(context.Cause(x.r.Context()), ErrStopping) }
