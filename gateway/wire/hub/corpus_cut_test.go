package hub_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// checkCuts holds a stream that is read in two pieces, and one that breaks off,
// against the one that is read whole.
func (c *conversation) checkCuts(t *testing.T, caller, host shape, r *hub.Request, stream, sent string) {
	t.Helper()
	c.checkBrokenOff(t, caller, host, r, stream, sent)
	if rank(caller.Shape()) != firstCaller(host) {
		return // what is read does not depend on who listens
	}
	whole := &reading{}
	a := whole.read(host, stream)
	for i := range stream {
		again := &reading{want: whole.events}
		if b := again.read(host, stream[:i], stream[i:]); again.differs || len(again.want) > 0 || a.tap != b.tap {
			t.Errorf("%s, cut at %d: something else is read", host.Shape(), i)
		}
	}
}

// firstCaller is the rank of the first caller of a host.
func firstCaller(host shape) int {
	if rank(host.Shape()) == 0 {
		return 1
	}
	return 0
}

// reading is a decoder that notes the events that it is given, or holds them
// against those that it wants. With what the tap holds they are all that an answer
// depends on.
type reading struct {
	events, want []string
	differs      bool
}

func (r *reading) read(host shape, pieces ...string) *answering {
	a := &answering{codec: host.wire, decoder: r, sequence: hub.NewSequence(nothing{}, replyID)}
	a.stream(host.streams, pieces...)
	return a
}

func (r *reading) Event(e *wire.Event, _ hub.Sink) error {
	switch {
	case r.want == nil:
		r.events = append(r.events, string(e.Type)+": "+string(e.Data))
	case len(r.want) == 0 || !isEvent(r.want[0], e):
		r.differs = true
	default:
		r.want = r.want[1:]
	}
	return nil
}

func isEvent(noted string, e *wire.Event) bool {
	kind, data, _ := strings.Cut(noted, ": ")
	return kind == string(e.Type) && data == string(e.Data)
}

func (*reading) Answer([]byte, hub.Sink) error { return nil }

// nothing is a sink that hears nothing.
type nothing struct{}

func (nothing) Event(hub.Event) {}

// checkBrokenOff cuts a stream behind each of its lines, and within. What
// comes before is told as ever; then an error follows and no end.
func (c *conversation) checkBrokenOff(t *testing.T, caller, host shape, r *hub.Request, stream, sent string) {
	t.Helper()
	at := 0
	for line := range strings.SplitAfterSeq(stream, "\n") {
		for _, end := range []int{at + len(line)/2, at + len(line)} {
			brokenOff(t, caller, host, r, stream[:end], sent)
		}
		at += len(line)
	}
}

func brokenOff(t *testing.T, caller, host shape, r *hub.Request, begin, sent string) {
	t.Helper()
	l := listen(caller, r)
	a := answer(host, r, l)
	a.stream(host.streams, begin)
	switch {
	case len(l.faults) > 0:
		t.Errorf("%s < %s: %q: %s", caller.Shape(), host.Shape(), begin, l.faults)
	case a.codec.Complete(&a.tap) && a.failure == nil:
		if !l.finished {
			t.Errorf("%s < %s: a whole stream has no end: %q", caller.Shape(), host.Shape(), begin)
		}
	case a.failure == nil || l.finished:
		t.Errorf("%s < %s: a stream that broke off has an end: %q", caller.Shape(), host.Shape(), begin)
	case !strings.HasPrefix(sent, string(l.sent)):
		t.Errorf("%s < %s: a stream that broke off is told in another way (-whole):\n%s", caller.Shape(), host.Shape(), difference(sent, string(l.sent)))
	}
}
