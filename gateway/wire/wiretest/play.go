// Package wiretest plays streams through a codec by the rules of a forwarder,
// so that the tests of codecs can say what a caller gets of them.
package wiretest

import (
	"bytes"
	"errors"
	"io"
	"slices"
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
	return PlayFrom(tb, codec, tap, &inPieces{slices.Clone(pieces)})
}

// PlayFrom forwards what a reader yields, in reads as it yields them.
func PlayFrom(tb testing.TB, codec wire.Codec, tap *wire.Tap, stream io.Reader) *Outcome {
	tb.Helper()
	p := player{tb: tb, codec: codec, tap: tap}
	p.splitter.Frame(codec.Framing(codec.StreamType()))
	for !p.ended {
		n, err := stream.Read(p.splitter.Space())
		p.splitter.Filled(n)
		if p.take(); err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			tb.Fatal(err)
		}
		break
	}
	p.splitter.End()
	p.take()
	p.close()
	return &p.Outcome
}

// inPieces yields one piece a read.
type inPieces struct{ left []string }

func (r *inPieces) Read(b []byte) (int, error) {
	for len(r.left) > 0 && r.left[0] == "" {
		r.left = r.left[1:]
	}
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.left[0])
	r.left[0] = r.left[0][n:]
	return n, nil
}

// Bytewise returns the stream as pieces of one byte.
func Bytewise(stream string) []string {
	pieces := make([]string, len(stream))
	for i := range pieces {
		pieces[i] = stream[i : i+1]
	}
	return pieces
}

// player is a forwarder reduced to its rules.
type player struct {
	Outcome
	tb       testing.TB
	codec    wire.Codec
	tap      *wire.Tap
	splitter wire.Splitter
	before   strings.Builder
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
		p.pass(kind, &e)
	}
	if err := p.splitter.Err(); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *player) pass(kind wire.Kind, e *wire.Event) {
	switch kind {
	case wire.Terminal:
		p.end(string(e.Raw) + e.Missing)
		return
	case wire.Failed:
		p.After, p.ended, p.Broken = string(e.Raw)+e.Missing+p.splitter.Close(), true, true
		return
	case wire.UsageOnly:
	default:
		p.before.Write(e.Raw)
		p.before.WriteString(e.Missing)
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
	p.Before = p.before.String()
	switch {
	case p.ended:
	case p.codec.Complete(p.tap):
		p.end(p.splitter.Close())
	default:
		p.Broken = true
		p.After = string(p.codec.AppendErrorEvent(nil, wire.NewError(wire.CodeUpstreamUnavailable, "cut")))
	}
}
