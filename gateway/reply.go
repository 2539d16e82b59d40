package gateway

import (
	"bytes"
	"cmp"
	"net/http"
	"time"

	"relay/gateway/wire"
)

// writeTimeout is how long one write may wait for a caller that has stopped
// reading.
const writeTimeout = 60 * time.Second

var noTransform = []string{"no-cache, no-transform"}

// startStream sends the status line and headers, once.
func (x *exchange) startStream() {
	if x.began || x.gone() {
		return
	}
	x.began, x.status = true, http.StatusOK
	h := x.w.Header()
	h["Content-Type"] = []string{cmp.Or(x.call.streamType, x.codec.StreamType())}
	x.copyDown(h, x.upstreamHeader())
	x.answerHeaders(h)
	h["Cache-Control"] = noTransform
	h["X-Accel-Buffering"] = []string{"no"}
	x.w.WriteHeader(http.StatusOK)
	if len(x.held) > 0 {
		x.send(x.held)
	}
}

// copyDown copies what may go to the caller of the upstream's header. The type of
// what has been translated is the caller's shape's.
func (x *exchange) copyDown(to, from http.Header) {
	given := to["Content-Type"]
	copyDown(to, from)
	if x.translated() {
		to["Content-Type"] = given
	}
}

// answering notes that the upstream has answered with an event of its own.
func (x *exchange) answering(a *attempt) {
	if x.first.IsZero() {
		x.first = time.Now()
		x.succeeded(a)
		if x.outgoing = nil; !x.translated() { // whose request the writer of the answer refers to
			x.dropBody()
		}
		x.composed = nil // a stream may last for hours
	}
	x.startStream()
}

// queue adds an event to those that are written together: they lie side by side.
func (x *exchange) queue(e *wire.Event) {
	if x.pending == (wire.Range{}) {
		x.pending = e.At
	}
	x.pending.End = e.At.End
	if e.Missing != "" {
		x.write(e.Missing)
	}
}

// write sends the queued events and what must follow them.
func (x *exchange) write(after string) {
	if x.pending.Present() {
		x.send(x.splitter.Bytes(x.pending), []byte(after))
	}
	x.pending = wire.Range{}
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
	if x.vigil != nil {
		x.vigil.told = now
	}
	if patience := x.s.writeTimeout; x.writeUntil.Sub(now) < patience {
		x.writeUntil = now.Add(patience + patience/4)
		_ = x.rc.SetWriteDeadline(x.writeUntil)
	}
}

// gone reports whether the caller has left, or can be written to no more.
func (x *exchange) gone() bool {
	if !x.callerGone && x.left() {
		x.callerGone = true
	}
	return x.callerGone
}

// left reports whether the caller has gone, other than by Relay's stop.
func (x *exchange) left() bool { return x.r.Context().Err() != nil && !x.stopping() }

// withoutMark leaves out the byte order mark that may begin an upstream's
// stream: it would stand within one that Relay has begun.
func withoutMark(e *wire.Event) {
	if bytes.HasPrefix(e.Raw, []byte("\xef\xbb\xbf")) {
		e.At.Start += 3
		e.Raw = e.Raw[3:]
	}
}
