package gateway

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"relay/gateway/wire"
)

// whole passes an answer on that is not streamed. It is read to its end first:
// an error object, an empty or a broken body must not reach the caller as
// success.
func (x *exchange) whole(a *attempt) *outcome {
	err := x.awaitAnswer(a, a.answered)
	read := time.Now()
	x.waited += read.Sub(a.answered)
	switch {
	case err != nil && x.r.Context().Err() != nil:
		return &outcome{class: classNone, err: errCallerGone}
	case errors.Is(err, errAnswerTooLarge):
		return a.invalid("answered with more than 64 MiB")
	case errors.Is(err, errUnpacked):
		return a.invalid("packed more into its answer than Relay unpacks")
	case err != nil:
		return &outcome{class: classNetwork, err: wire.NewError(wire.CodeUpstreamUnavailable, "Host "+a.host()+" broke its answer off.")}
	}
	switch x.reader.ReadAnswer(&x.tap, x.buffer) {
	case wire.Failed:
		return a.failed()
	case wire.Invalid:
		return a.invalid("answered with status " + strconv.Itoa(a.resp.StatusCode) + " and a body that is empty or no JSON object")
	}
	if x.translated() {
		if o := x.wholeTranslated(a); o != nil {
			return o
		}
	}
	x.succeeded(a)
	switch {
	case x.gone():
		_ = x.abandoned()
	case x.translated() && x.streams():
		x.finishTranslated(a)
	case x.began:
		x.tellWithin(wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" answered whole although a stream was asked for, and too late for the stream that Relay has begun."))
	default:
		x.sendWhole(a, read)
	}
	return nil
}

// invalid is the outcome of an answer that no other key would make better.
func (a *attempt) invalid(what string) *outcome {
	return &outcome{
		final: true, class: classServerError, status: a.resp.StatusCode,
		err: wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" "+what+"."),
	}
}

// awaitAnswer reads without the floor, for a caller that waits for a stream.
func (x *exchange) awaitAnswer(a *attempt, now time.Time) error {
	switch {
	case x.translated() && x.streams(): // the stream that the caller waits for is made of it
		x.vigil.answered(a, 0)
	case !x.began:
		x.vigil.end() // the caller gets it whole, too
	}
	x.vigil.leave(now)
	defer x.vigil.back()
	return x.readAnswer(a)
}

var errAnswerTooLarge = errors.New("answer too large")

// readAnswer reads the body into the exchange's buffer.
func (x *exchange) readAnswer(a *attempt) error {
	if a.resp.ContentLength > maxAnswer {
		return errAnswerTooLarge
	}
	x.buffer = grow(x.buffer[:0], int(max(a.resp.ContentLength, 0))+512)
	for {
		n, err := a.resp.Body.Read(x.buffer[len(x.buffer):cap(x.buffer)])
		x.buffer = x.buffer[:len(x.buffer)+n]
		switch {
		case len(x.buffer) > maxAnswer:
			return errAnswerTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(x.buffer) == cap(x.buffer):
			x.buffer = grow(x.buffer, len(x.buffer))
		}
	}
}

// succeeded closes the key's breaker.
func (x *exchange) succeeded(a *attempt) {
	if x.metered() {
		a.c.trial.succeeded()
		x.trying = trial{}
	}
}

// bufferedAnswer is the size up to which the kernel takes an answer whole, so
// that writing it cannot wait for the caller.
const bufferedAnswer = 64 << 10

// sendWhole settles and then writes the answer, which was there at the time read.
func (x *exchange) sendWhole(a *attempt, read time.Time) {
	x.first = read
	x.status = a.resp.StatusCode
	x.settle()
	if e := x.durable(); e != nil {
		x.withhold(e)
		return
	}
	h := x.w.Header()
	h["Content-Type"] = []string{wire.ContentTypeJSON}
	x.copyDown(h, a.resp.Header)
	x.answerHeaders(h)
	if x.cost != nil {
		h["X-Relay-Cost-Usd"] = x.values.one(usd(*x.cost))
	}
	h["Content-Length"] = x.values.one(strconv.Itoa(len(x.buffer)))
	x.began = true
	x.w.WriteHeader(a.resp.StatusCode)
	x.writeWhole(x.buffer)
}

// writeWhole writes an answer piece by piece, each under a deadline of its own:
// a caller may take its time, as long as it goes on reading.
func (x *exchange) writeWhole(body []byte) {
	for len(body) > 0 && !x.callerGone {
		piece := body[:min(len(body), bufferedAnswer)]
		if len(piece) < len(x.buffer) {
			x.extendWrite()
		}
		if _, err := x.w.Write(piece); err != nil {
			x.callerGone = true
		}
		body = body[len(piece):]
	}
}

// answerHeaders tells what answered.
func (x *exchange) answerHeaders(h http.Header) {
	h["X-Relay-Host"] = x.values.one(x.key.Host.Name())
	h["X-Relay-Model"] = x.values.one(x.model.Name)
	h["X-Relay-Attempts"] = x.values.one(strconv.Itoa(x.attempts + 1))
	x.translatedHeaders(h)
	x.answerLimitHeaders(h)
	if warned := cmp.Or(x.ticket.Warned(), x.own.Warned()); warned != nil {
		h["X-Relay-Budget-Warning"] = []string{"the budget of " + warned.Source.Owner + " is used up"}
	}
}

// usd writes nano-dollars as dollars with all nine decimals that are not zero.
func usd(nanos int64) string {
	var room [24]byte
	text := strconv.AppendInt(room[:0], nanos, 10)
	for len(text) < 10 {
		text = slices.Insert(text, 0, '0')
	}
	text = slices.Insert(text, len(text)-9, '.')
	for text[len(text)-1] == '0' && text[len(text)-3] != '.' {
		text = text[:len(text)-1]
	}
	return string(text)
}
