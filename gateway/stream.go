package gateway

import (
	"cmp"
	"errors"
	"io"
	"time"

	"relay/gateway/wire"
)

// mostHeld is how many bytes of comments are kept back before the first event.
const mostHeld = 4 << 10

// stream passes an event stream on. Bytes go on untouched as they come, save
// the usage chunk that the caller did not ask for. Nothing is sent before the
// first event or a long silence, so that another key may still be tried; limits
// and usage are settled before the terminal event goes out.
func (x *exchange) stream(a *attempt, framing wire.Framing) *outcome {
	x.splitter.Frame(framing)
	x.wantsUsage = x.proxied || x.call.codec.WantsUsage(x.body, &x.members)
	if x.translated() {
		x.splitter.HoldWhole()
	}
	x.pending = wire.Range{}
	x.vigil.answered(a, x.s.idleTimeout(a.up))
	x.s.streaming.add(a)
	defer x.s.streaming.remove(a)
	for {
		n, err := x.read(a)
		x.vigil.spoke = x.vigil.spoke || n > 0
		x.splitter.Filled(n)
		if errors.Is(err, io.EOF) {
			x.splitter.End()
		}
		if done, o := x.relay(a); done || o != nil {
			return o
		}
		if x.callerGone && !a.drain.begin() {
			_ = x.abandoned()
			return nil
		}
		if err = cmp.Or(x.splitter.Err(), err); err != nil {
			return x.ended(a, err)
		}
	}
}

// read waits for the upstream without the floor.
func (x *exchange) read(a *attempt) (int, error) {
	space, before := x.splitter.Space(), time.Now()
	x.vigil.leave(before)
	defer x.vigil.back()
	n, err := a.resp.Body.Read(space)
	x.waited += time.Since(before)
	return n, err
}

// relay deals with the events that have been read. done says that the stream
// has been answered to its end.
func (x *exchange) relay(a *attempt) (done bool, o *outcome) {
	for x.splitter.Next(&x.next) {
		if x.ahead {
			x.ahead = false
			withoutMark(&x.next)
		}
		kind := x.reader.ReadEvent(&x.tap, &x.next)
		if kind == wire.Failed && !x.hasBegun(a) {
			return false, a.failed()
		}
		if done, o = x.relayOne(a, kind); done || o != nil {
			return done, o
		}
	}
	if x.translated() {
		x.sendTranslated(a)
	} else {
		x.write("")
	}
	return false, nil
}

// hasBegun reports whether anything of the stream goes to the caller. What has been
// read of it before does, though it may not be written yet.
func (x *exchange) hasBegun(a *attempt) bool {
	if x.translated() {
		x.sendTranslated(a)
	}
	return x.began
}

// relayOne deals with one event in the shape of either side, and reports whether it
// was the last.
func (x *exchange) relayOne(a *attempt, kind wire.Kind) (last bool, o *outcome) {
	if x.translated() {
		return x.relayTranslated(a, kind)
	}
	return x.relayEvent(a, kind), nil
}

// relayEvent deals with one event, and reports whether it was the last. What
// goes on unchanged waits for those beside it, to be written with them.
func (x *exchange) relayEvent(a *attempt, kind wire.Kind) (last bool) {
	e := &x.next
	if kind == wire.Terminal || kind == wire.Failed {
		e.CompleteCRLF()
	}
	switch {
	case kind == wire.Silent && !x.began:
		x.hold(x.splitter.Bytes(e.At))
	case kind == wire.UsageOnly && !x.wantsUsage:
		x.write("")
	case kind == wire.Terminal:
		last := x.terminal(e) // which may need nothing behind it
		x.finishStream(a, last, []byte(e.Missing))
		return true
	case kind == wire.Failed:
		x.failedWithin(a, e)
		return true
	default:
		x.answering(a)
		if e.Part != wire.PartWhole {
			x.queuePiece(a, e)
		} else {
			x.queue(e)
		}
	}
	if x.tap.Done { // the terminal event was glued to this one
		x.finishStream(a, []byte(x.codec.Terminal()))
	}
	return x.tap.Done
}

// hold keeps comments back until the answer begins.
func (x *exchange) hold(b []byte) {
	if len(x.held)+len(b) <= mostHeld {
		x.held = append(x.held, b...)
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

// idleTimeout is how long the host's streams may be silent.
func (s *Server) idleTimeout(up *upstream) time.Duration {
	if t := up.spec.Timeouts; t != nil && t.Idle != nil {
		return time.Duration(*t.Idle)
	}
	return s.opt.StreamIdleTimeout
}
