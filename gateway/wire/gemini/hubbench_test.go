package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
)

// nowhere takes events and forgets them.
type nowhere struct{}

func (nowhere) Event(hub.Event) {}

func BenchmarkDecoder_ReadsATextChunk(b *testing.B) {
	e := wire.Event{HasData: true, Data: []byte(chunkOf(`{"text": "Some words of an answer"}`, ""))}
	s := hub.NewSequence(nowhere{}, "ID")
	d := gemini.Hub{}.Decoder(&hub.Request{}, "google")
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Event(&e, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncoder_WritesATextChunk(b *testing.B) {
	enc := gemini.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "0192d5c8f0a07e6b8c1d2e3f4a5b6c7d", Model: "acme-gem"})
	e := hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text("Some words of an answer")}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = enc.Append(dst[:0], e)
	}
}

func BenchmarkHub_TranslatesATextChunk(b *testing.B) {
	e := wire.Event{HasData: true, Data: []byte(chunkOf(`{"text": "Some words of an answer"}`, ""))}
	to := &streamed{enc: gemini.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "0192d5c8f0a07e6b8c1d2e3f4a5b6c7d", Model: "acme-gem"})}
	s := hub.NewSequence(to, "ID")
	d := gemini.Hub{}.Decoder(&hub.Request{}, "google")
	b.ReportAllocs()
	for b.Loop() {
		to.body = to.body[:0]
		if err := d.Event(&e, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHub_TranslatesARequest(b *testing.B) {
	tools := strings.TrimSuffix(strings.Repeat(`{"name":"find","description":"Finds it.","parametersJsonSchema":{"type":"object","properties":{"q":{"type":"string","description":"What to find, in a few words"}},"required":["q"]}},`, 30), ",")
	turns := strings.Repeat(`{"role":"user","parts":[{"text":"`+strings.Repeat("word ", 200)+`"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"find","args":{"q":"x"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"find","response":{"output":"y"}}}]},`, 20)
	body := []byte(`{"contents":[` + turns + `{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[` + tools + `]}]}`)
	var dst []byte
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var r hub.Request
		if err := (gemini.Hub{}).Decode(body, &r); err != nil {
			b.Fatal(err)
		}
		up, err := gemini.Hub{}.Encode(dst[:0], &r, target)
		if err != nil {
			b.Fatal(err)
		}
		dst = up
	}
}
