package wiretest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"relay/gateway/wire"
)

// Pass holds what must become of one stream, of events, of lines or of the
// elements of an array, whichever way it is written and however its bytes arrive:
// it goes on byte for byte, save one event.
type Pass struct {
	Codec   wire.Codec
	Stream  string // whole, lines ending in LF
	LeftOut string // the data of the event that does not go on; empty for none
	End     string // the data of the terminal event; ] of an array
	Want    wire.Tap
}

// Check plays the stream in every spelling: whole, byte by byte, cut at every
// byte, and out of gzip.
func (p *Pass) Check(tb testing.TB) {
	tb.Helper()
	for name, stream := range p.spellings(MoreSpellings) {
		p.check(tb, name+", whole", stream, strings.NewReader(stream))
		p.check(tb, name+", byte by byte", stream, iotest.OneByteReader(strings.NewReader(stream)))
		for i := range stream {
			p.check(tb, fmt.Sprint(name, ", cut at ", i), stream, io.MultiReader(strings.NewReader(stream[:i]), strings.NewReader(stream[i:])))
		}
		packed := Gzip(tb, stream)
		p.checkGzip(tb, name+", gzip", stream, bytes.NewReader(packed))
		p.checkGzip(tb, name+", gzip byte by byte", stream, iotest.OneByteReader(bytes.NewReader(packed)))
	}
}

// CheckLong plays the stream in reads of several sizes, in every spelling that
// long events have, and out of gzip.
func (p *Pass) CheckLong(tb testing.TB) {
	tb.Helper()
	for name, stream := range p.spellings(Spellings) {
		for _, size := range []int{777, 64 << 10} {
			p.check(tb, fmt.Sprint(name, ", in reads of ", size), stream, &inReads{strings.NewReader(stream), size})
		}
		p.checkGzip(tb, name+", gzip", stream, bytes.NewReader(Gzip(tb, stream)))
	}
}

func (p *Pass) checkGzip(tb testing.TB, how, stream string, packed io.Reader) {
	tb.Helper()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		tb.Fatal(err)
	}
	p.check(tb, how, stream, plain)
}

func (p *Pass) check(tb testing.TB, how, stream string, r io.Reader) {
	tb.Helper()
	var tap wire.Tap
	o := PlayFrom(tb, p.Codec, &tap, r)
	if o.Broken || tap != p.Want {
		tb.Fatalf("%s: broken %v\ngot  %+v\nwant %+v", how, o.Broken, tap, p.Want)
	}
	before, after := p.expect(stream)
	got := strings.TrimRight(o.Sent(), "\r\n")
	// Where the left out event ends in CRLF and the two come apart, its last
	// LF is a blank line of its own.
	split := strings.Contains(stream, "\r\n") && got == strings.TrimRight(before+"\n"+after, "\r\n")
	if got != strings.TrimRight(before+after, "\r\n") && !split {
		tb.Fatalf("%s: the bytes became\n%.2000q, want\n%.2000q", how, got, before+after)
	}
	if sent := o.Sent(); !strings.ContainsAny(sent[len(sent)-1:], p.ends()) {
		tb.Fatalf("%s: ends with %q", how, o.After)
	}
}

// expect returns what must go on before the event that is left out, and behind
// it.
func (p *Pass) expect(stream string) (before, after string) {
	blocks, rest := p.read(stream)
	for _, b := range append(blocks, rest) {
		switch data := unbroken(b.Data); {
		case data == p.LeftOut && b.HasData:
			before, after = before+after, ""
			continue
		case data == p.End && p.Codec.Terminal() != "":
			return before, after + p.Codec.Terminal()
		case data == p.End:
			return before, after + b.Raw
		}
		after += b.Raw
	}
	return before, after
}

// unbroken takes out what a spelling has put between members.
func unbroken(data string) string {
	return strings.ReplaceAll(strings.ReplaceAll(data, "\n", ""), "\r \t", "")
}

func (p *Pass) framing() wire.Framing { return p.Codec.Framing(p.Codec.StreamType()) }

// spellings returns the ways in which the stream may be written: of events they
// are the given ones.
func (p *Pass) spellings(ofEvents func(string) map[string]string) map[string]string {
	switch p.framing() {
	case wire.FramingLines:
		return LineSpellings(p.Stream)
	case wire.FramingArray:
		return ArraySpellings(p.Stream)
	}
	return ofEvents(p.Stream)
}

func (p *Pass) read(stream string) (blocks []Block, rest Block) {
	switch p.framing() {
	case wire.FramingLines:
		return ReadLines(stream)
	case wire.FramingArray:
		return ReadArray(stream)
	}
	return ReadStream(stream)
}

// ends are the bytes of which a stream ends with one.
func (p *Pass) ends() string {
	if p.framing() == wire.FramingArray {
		return "]"
	}
	return "\r\n"
}

// inReads yields at most so many bytes a read.
type inReads struct {
	io.Reader
	size int
}

func (r *inReads) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(len(b), r.size)]) }
