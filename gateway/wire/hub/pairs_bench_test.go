package hub_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/responses"
)

// heardChunk is a piece of text as a host of a shape streams it.
type heardChunk struct {
	hub     hub.Upstream
	codec   wire.Codec
	framing wire.Framing
	before  string // events that come first
	chunk   string
}

func heardChunks() []heardChunk {
	return []heardChunk{
		{chat.Hub{}, chat.Codec{}, wire.FramingEvents, "", `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}]}` + "\n\n"},
		{responses.Hub{}, responses.Codec{}, wire.FramingEvents, "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n\n", "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\" hello\"}\n\n"},
		{messages.Hub{}, messages.Codec{}, wire.FramingEvents, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n", "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" hello\"}}\n\n"},
		{gemini.Hub{}, gemini.Codec{}, wire.FramingEvents, "", `data: {"candidates":[{"content":{"parts":[{"text":" hello"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12},"modelVersion":"m"}` + "\n\n"},
		{ollama.Hub{}, ollama.Codec{}, wire.FramingLines, "", `{"model":"m","created_at":"2026-03-02T12:00:00Z","message":{"role":"assistant","content":" hello"},"done":false}` + "\n"},
	}
}

// lastWritten writes events for a caller into memory that it uses again.
type lastWritten struct {
	encoder hub.Encoder
	out     []byte
}

func (w *lastWritten) Event(e hub.Event) { w.out = w.encoder.Append(w.out[:0], e) }

// BenchmarkChunk is a chunk of text from the bytes that a host sends to the bytes
// that a caller of another shape gets: cut, tapped for usage, decoded, put into
// order and written.
func BenchmarkChunk(b *testing.B) {
	for _, from := range heardChunks() {
		for _, to := range shapes() {
			if to.Shape() != from.hub.Shape() {
				b.Run(from.hub.Shape()+"_to_"+to.Shape(), func(b *testing.B) { benchmarkChunk(b, from, to.Caller) })
			}
		}
	}
}

// BenchmarkChunkPassed is what a caller of the host's own shape costs: cut and
// tapped.
func BenchmarkChunkPassed(b *testing.B) {
	for _, from := range heardChunks() {
		b.Run(from.hub.Shape(), func(b *testing.B) {
			var s wire.Splitter
			s.Frame(from.framing)
			var tap wire.Tap
			var e wire.Event
			b.ReportAllocs()
			for b.Loop() {
				s.Filled(copy(s.Space(), from.chunk))
				for s.Next(&e) {
					from.codec.ReadEvent(&tap, &e)
				}
			}
		})
	}
}

func benchmarkChunk(b *testing.B, from heardChunk, to hub.Caller) {
	request := &hub.Request{Streamed: true}
	w := &lastWritten{encoder: to.Encoder(&hub.Reply{Request: request, ID: "0123456789", Model: "m", Created: 1_700_000_000})}
	decoder, sequence := from.hub.Decoder(request, ""), hub.NewSequence(w, "0123456789")
	var s wire.Splitter
	s.Frame(from.framing)
	s.HoldWhole()
	var tap wire.Tap
	var e wire.Event
	hear := func(text string) {
		s.Filled(copy(s.Space(), text))
		for s.Next(&e) {
			if kind := from.codec.ReadEvent(&tap, &e); kind == wire.Silent || !e.HasData {
				continue
			}
			if err := decoder.Event(&e, sequence); err != nil {
				b.Fatal(err)
			}
		}
	}
	hear(from.before)
	hear(from.chunk)
	b.ReportAllocs()
	for b.Loop() {
		hear(from.chunk)
	}
}
