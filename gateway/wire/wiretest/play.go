// Package wiretest plays streams through a codec by the rules of a forwarder,
// so that the tests of codecs can say what a caller gets of them.
package wiretest

import (
	"bytes"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// Outcome is what became of a stream whose caller did not ask for usage.
type Outcome struct {
	Kinds  []wire.Kind // of the events that were read, those of kind Silent left out
	Before string      // what the caller has when limits are settled
	After  string      // what it gets after that
	Broken bool        // the stream was not whole
}

// Sent returns all that the caller gets.
func (o *Outcome) Sent() string { return o.Before + o.After }

// Play forwards a stream that ends cleanly. Each piece is read by itself, or by
// several reads where the splitter has no space for it.
func Play(tb testing.TB, codec wire.Codec, tap *wire.Tap, pieces ...string) *Outcome {
	tb.Helper()
	p := player{tb: tb, codec: codec, tap: tap}
	for _, piece := range pieces {
		for len(piece) > 0 && !p.ended {
			n := copy(p.splitter.Space(), piece)
			piece = piece[n:]
			p.splitter.Filled(n)
			p.take()
		}
	}
	p.splitter.End()
	p.take()
	p.close()
	return &p.Outcome
}

// Bytewise returns the stream as pieces of one byte.
func Bytewise(stream string) []string {
	pieces := make([]string, len(stream))
	for i := range pieces {
		pieces[i] = stream[i : i+1]
	}
	return pieces
}

// Spellings returns a stream whose lines end in LF in the other ways it may be
// written, by what is different.
func Spellings(stream string) map[string]string {
	return map[string]string{
		"LF":       stream,
		"CRLF":     strings.ReplaceAll(stream, "\n", "\r\n"),
		"CR":       strings.ReplaceAll(stream, "\n", "\r"),
		"comments": withComments(stream),
		"mark":     "\xef\xbb\xbf" + stream,
		"no space": strings.NewReplacer("event: ", "event:", "data: ", "data:").Replace(stream),
		"cut end":  strings.TrimRight(stream, "\n"),
	}
}

// withComments puts comments before, within and between events, and none behind
// the last.
func withComments(stream string) string {
	last := len(strings.TrimRight(stream, "\n"))
	return ": first\n\n" + strings.ReplaceAll(stream[:last], "\n\n", "\n: inside\n\n: between\n\n") + stream[last:]
}

// player is a forwarder reduced to its rules.
type player struct {
	Outcome
	tb       testing.TB
	codec    wire.Codec
	tap      *wire.Tap
	splitter wire.Splitter
	ended    bool
}

// take forwards the events that have been read.
func (p *player) take() {
	p.tb.Helper()
	for e := (wire.Event{}); !p.ended && p.splitter.Next(&e); {
		kind := p.codec.ReadEvent(p.tap, &e)
		if !bytes.Equal(e.Raw, p.splitter.Bytes(e.At)) {
			p.tb.Fatalf("an event holds %q and stands at %q", e.Raw, p.splitter.Bytes(e.At))
		}
		if kind != wire.Silent {
			p.Kinds = append(p.Kinds, kind)
		}
		p.pass(kind, string(e.Raw)+e.Missing)
	}
	if err := p.splitter.Err(); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *player) pass(kind wire.Kind, event string) {
	switch kind {
	case wire.Terminal:
		p.end(event)
		return
	case wire.Failed:
		p.After, p.ended, p.Broken = event, true, true
		return
	case wire.UsageOnly:
	default:
		p.Before += event
	}
	if p.tap.Done {
		p.end("")
	}
}

// end writes the codec's terminal event, or the upstream's where it has none.
func (p *player) end(own string) {
	p.ended = true
	if p.After = p.codec.Terminal(); p.After == "" {
		p.After = own
	}
}

// close deals with a stream that ended without a terminal event.
func (p *player) close() {
	switch {
	case p.ended:
	case p.codec.Complete(p.tap):
		p.end("")
	default:
		p.Broken = true
		p.After = string(p.codec.AppendErrorEvent(nil, wire.NewError(wire.CodeUpstreamUnavailable, "cut")))
	}
}
