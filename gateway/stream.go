package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"relay/gateway/wire"
)

// Bounds of a stream.
const (
	writeTimeout = 60 * time.Second // a caller that stops reading is cut
	mostHeld     = 4 << 10          // bytes of comments kept back before the first event
	drainTimeout = 50 * time.Millisecond
)

func isEventStream(contentType string) bool {
	return strings.HasPrefix(contentType, wire.ContentTypeEvent)
}

// stream passes an event stream on. Bytes go on untouched as they come, save
// the usage chunk that the caller did not ask for. Nothing is sent before the
// first event, so that another key may still be tried; limits and usage are
// settled before the terminal event goes out.
func (x *exchange) stream(a *attempt) *outcome {
	x.splitter.Reset()
	x.held = x.held[:0]
	x.wantsUsage = x.codec.WantsUsage(x.body, &x.members)
	a.watch(x.s.idleTimeout(a.up))
	for {
		before := time.Now()
		n, err := a.resp.Body.Read(x.splitter.Space())
		x.waited += time.Since(before)
		a.alive()
		x.splitter.Filled(n)
		if errors.Is(err, io.EOF) {
			x.splitter.End()
		}
		if done, o := x.relay(a); done || o != nil {
			return o
		}
		if err = cmp.Or(x.splitter.Err(), err); err != nil {
			return x.ended(a, err)
		}
	}
}

// relay writes the events that have been read, side by side ones at once. done
// says that the stream has been answered to its end.
func (x *exchange) relay(a *attempt) (done bool, o *outcome) {
	var e wire.Event
	var pending wire.Range
	for x.splitter.Next(&e) {
		switch x.codec.ReadEvent(&x.tap, &e) {
		case wire.Silent:
			if !x.began {
				x.hold(x.splitter.Bytes(e.At))
				continue
			}
		case wire.UsageOnly:
			if !x.wantsUsage {
				x.write(&pending, "")
				if x.tap.Done { // the terminal event was glued to it
					x.finishStream(a, []byte(x.codec.Terminal()))
					return true, nil
				}
				continue
			}
		case wire.Terminal:
			x.write(&pending, "")
			x.finishStream(a, x.terminal(&e), []byte(e.Missing))
			return true, nil
		case wire.Failed:
			if !x.began && pending == (wire.Range{}) {
				return false, a.failed()
			}
			x.failedWithin(a, &pending, e)
			return true, nil
		}
		x.startStream(a)
		if pending == (wire.Range{}) {
			pending = e.At
		}
		pending.End = e.At.End
		if e.Missing != "" {
			x.write(&pending, e.Missing)
		}
		if x.tap.Done { // the terminal event was glued to this one
			x.write(&pending, "")
			x.finishStream(a, []byte(x.codec.Terminal()))
			return true, nil
		}
	}
	x.write(&pending, "")
	return x.callerGone, nil
}

// hold keeps comments back until the answer begins.
func (x *exchange) hold(b []byte) {
	if len(x.held)+len(b) <= mostHeld {
		x.held = append(x.held, b...)
	}
}

// failed is the outcome of an answer that was an error object all along.
func (a *attempt) failed() *outcome {
	f := a.x.tap.Failure
	redactFailure(&f, a.c.Key)
	if f.RetryAfter == 0 {
		f.RetryAfter = retryAfter(a.resp.Header, time.Now())
	}
	return &outcome{class: classOf(&f), status: f.Status, failure: f, err: a.failureError(f)}
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
func (x *exchange) failedWithin(a *attempt, pending *wire.Range, e wire.Event) {
	x.write(pending, "")
	x.errorKind = "upstream_error"
	f := x.tap.Failure
	redactFailure(&f, a.c.Key)
	a.c.state.failed(classOf(&f), x.model.ID, f.RetryAfter, time.Now(), f.Message)
	x.settle()
	_ = x.durable() // an error it is already
	text := redacted(string(e.Raw), a.c.Key)
	x.send([]byte(text), []byte(e.Missing))
	if x.splitter.MidEvent() {
		x.send([]byte("\n\n"))
	}
}

// startStream sends the status line and headers, once.
func (x *exchange) startStream(a *attempt) {
	if x.began {
		return
	}
	x.began, x.status, x.first = true, http.StatusOK, time.Now()
	x.succeeded(a)
	h := x.w.Header()
	copyDown(h, a.resp.Header)
	x.answerHeaders(h)
	h["Cache-Control"] = noTransform
	h["X-Accel-Buffering"] = []string{"no"}
	x.w.WriteHeader(http.StatusOK)
	if len(x.held) > 0 {
		x.send(x.held, nil)
	}
}

var noTransform = []string{"no-cache, no-transform"}

// write sends the pending events and what must follow them.
func (x *exchange) write(pending *wire.Range, after string) {
	if pending.Present() {
		x.send(x.splitter.Bytes(*pending), []byte(after))
	}
	*pending = wire.Range{}
}

// send writes and flushes under the write deadline.
func (x *exchange) send(parts ...[]byte) {
	if x.callerGone {
		return
	}
	x.extendWrite()
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if _, err := x.w.Write(part); err != nil {
			x.callerGone = true
			return
		}
	}
	if x.rc.Flush() != nil {
		x.callerGone = true
	}
}

// extendWrite moves the write deadline on. It is moved in steps, since setting
// it costs about as much as a small write.
func (x *exchange) extendWrite() {
	now := time.Now()
	if x.writeUntil.Sub(now) < writeTimeout {
		x.writeUntil = now.Add(writeTimeout + writeTimeout/4)
		_ = x.rc.SetWriteDeadline(x.writeUntil)
	}
}

// terminal is how the caller's stream ends: as its shape says, or, where that
// leaves it to the upstream, as the upstream's did.
func (x *exchange) terminal(e *wire.Event) []byte {
	if own := x.codec.Terminal(); own != "" {
		e.Missing = ""
		return []byte(own)
	}
	return e.Raw
}

// finishStream settles and then writes what ends the stream. What the upstream
// still has to say is read so that its connection can be used again.
func (x *exchange) finishStream(a *attempt, last ...[]byte) {
	x.startStream(a)
	x.settle()
	if e := x.durable(); e != nil {
		x.errorKind, e.RequestID = e.Code, x.id
		x.send(x.codec.AppendErrorEvent(nil, e))
		return
	}
	x.send(last...)
	a.drain()
}

// ended deals with a stream that is over without its terminal event.
func (x *exchange) ended(a *attempt, err error) *outcome {
	switch {
	case x.callerGone || x.left():
		_ = x.abandoned()
		return nil
	case errors.Is(err, io.EOF) && x.codec.Complete(&x.tap):
		x.finishStream(a, []byte(x.codec.Terminal()))
		return nil
	case !x.began && !x.stopping():
		return &outcome{class: classNetwork, err: wire.NewError(wire.CodeUpstreamUnavailable, "Host "+a.host()+" closed the stream before its first event.")}
	}
	return x.breakOff(a, err)
}

// breakOff tells the caller that the stream is not whole: an error event and
// no terminal one.
func (x *exchange) breakOff(a *attempt, err error) *outcome {
	x.errorKind = "truncated"
	e := wire.NewError(wire.CodeUpstreamUnavailable, "Host "+a.host()+" broke the stream off; the answer is not whole.")
	switch {
	case x.stopping():
		e = errStopping()
	case errors.Is(context.Cause(a.ctx), errIdle):
		e = wire.NewError(wire.CodeUpstreamTimeout, "Host "+a.host()+" sent nothing for too long (stream.idle_timeout); the answer is not whole.")
	case errors.Is(err, wire.ErrEventTooLong):
		e = wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" sent an event of more than 16 MiB; the answer is not whole.")
	}
	if !x.stopping() {
		a.c.state.failed(classNetwork, x.model.ID, 0, time.Now(), e.Message)
	}
	x.settle()
	_ = x.durable() // an error it is already
	x.startStream(a)
	if x.splitter.MidEvent() {
		x.send([]byte("\n\n"))
	}
	e.RequestID = x.id
	x.send(x.codec.AppendErrorEvent(nil, e))
	return nil
}

// left reports whether the caller has gone, other than by Relay's stop.
func (x *exchange) left() bool { return x.r.Context().Err() != nil && !x.stopping() }

func (x *exchange) stopping() bool { return errors.Is(context.Cause(x.r.Context()), ErrStopping) }

// idleTimeout is how long the host's streams may be silent.
func (s *Server) idleTimeout(up *upstream) time.Duration {
	if t := up.spec.Timeouts; t != nil && t.Idle != nil {
		return time.Duration(*t.Idle)
	}
	return s.opt.StreamIdleTimeout
}

// watch cancels the attempt once the upstream is silent for that long.
func (a *attempt) watch(idle time.Duration) {
	if idle > 0 {
		a.idleFor = idle
		a.idle = time.AfterFunc(idle, func() { a.cancel(errIdle) })
	}
}

func (a *attempt) alive() {
	if a.idle != nil {
		a.idle.Reset(a.idleFor)
	}
}

// drain reads to the end of an answer whose terminal event has come, for a
// moment only.
func (a *attempt) drain() {
	timer := time.AfterFunc(drainTimeout, func() { a.cancel(nil) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, a.resp.Body, 64<<10)
}
