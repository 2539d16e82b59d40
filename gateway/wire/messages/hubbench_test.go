package messages_test

import (
	"os"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

// nowhere is a sink that takes nothing.
type nowhere struct{}

func (nowhere) Event(hub.Event) {}

func BenchmarkDecodeChunk(b *testing.B) {
	e := &wire.Event{HasData: true, Data: []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" and some words of a text"}}`)}
	d := messages.Hub{}.Decoder(caught, "acme")
	b.ReportAllocs()
	for b.Loop() {
		_ = d.Event(e, nowhere{})
	}
}

func BenchmarkEncodeChunk(b *testing.B) {
	w := messages.Hub{}.Encoder(reply)
	e := delta(hub.PartText, 0, " and some words of a text")
	out := w.Append(nil, hub.Event{Kind: hub.EventPart, Of: hub.PartText})
	b.ReportAllocs()
	for b.Loop() {
		out = w.Append(out[:0], e)
	}
}

// BenchmarkTranslateChunk is a chunk from an upstream of the shape to a caller of
// the shape, with the sequence between them.
func BenchmarkTranslateChunk(b *testing.B) {
	e := &wire.Event{HasData: true, Data: []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" and some words of a text"}}`)}
	d := messages.Hub{}.Decoder(caught, "acme")
	c := &caller{enc: messages.Hub{}.Encoder(reply)}
	s := hub.NewSequence(c, "1")
	b.ReportAllocs()
	for b.Loop() {
		c.out = c.out[:0]
		_ = d.Event(e, s)
	}
}

func BenchmarkRequest(b *testing.B) {
	body, err := os.ReadFile("testdata/claude-code.json")
	if err != nil {
		b.Fatal(err)
	}
	var out []byte
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var r hub.Request
		if err := (messages.Hub{}).Decode(body, &r); err != nil {
			b.Fatal(err)
		}
		if out, err = (messages.Hub{}).Encode(out[:0], &r, to); err != nil {
			b.Fatal(err)
		}
	}
}
