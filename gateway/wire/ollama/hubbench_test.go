package ollama_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

// nowhere is where measured events go.
type nowhere struct{}

func (nowhere) Event(hub.Event) {}

func BenchmarkHub_DecodeAPieceOfText(b *testing.B) {
	e := wire.Event{HasData: true, Data: []byte(says(" hello"))}
	d := ollama.Hub{}.Decoder(asking(), "")
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Event(&e, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHub_EncodeAPieceOfText(b *testing.B) {
	w := ollama.Hub{}.Encoder(reply(asking()))
	e := hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text(" hello")}
	out := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		out = w.Append(out[:0], e)
	}
}

func BenchmarkHub_TranslateAPieceOfText(b *testing.B) {
	e := wire.Event{HasData: true, Data: []byte(says(" hello"))}
	d := ollama.Hub{}.Decoder(asking(), "")
	s := &sink{encoder: ollama.Hub{}.Encoder(reply(asking()))}
	sequence := hub.NewSequence(s, "a1")
	b.ReportAllocs()
	for b.Loop() {
		s.out = s.out[:0]
		if err := d.Event(&e, sequence); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHub_DecodeAndEncodeARequest(b *testing.B) {
	body := []byte(kept["a tool loop"].body)
	out := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		var r hub.Request
		if err := (ollama.Hub{}).Decode(body, &r); err != nil {
			b.Fatal(err)
		}
		if _, err := (ollama.Hub{}).Encode(out, &r, target); err != nil {
			b.Fatal(err)
		}
	}
}
