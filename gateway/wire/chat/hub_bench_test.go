package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

const benchChunk = `{"id":"chatcmpl-B1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-x","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}],"usage":null}`

// sink keeps nothing.
type sink struct{}

func (sink) Event(hub.Event) {}

func BenchmarkHubEvent(b *testing.B) {
	decoder, e := chat.Hub{}.Decoder(&hub.Request{}, "p"), &wire.Event{HasData: true, Data: []byte(benchChunk)}
	b.ReportAllocs()
	for b.Loop() {
		if err := decoder.Event(e, sink{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHubAppend(b *testing.B) {
	encoder, e := chat.Hub{}.Encoder(reply(false)), hub.Event{Kind: hub.EventDelta, Text: hub.Text(" hello")}
	out := encoder.Append(nil, e)
	b.ReportAllocs()
	for b.Loop() {
		out = encoder.Append(out[:0], e)
	}
}

func BenchmarkHubChunk(b *testing.B) {
	s := &stream{encoder: chat.Hub{}.Encoder(reply(false))}
	seq, decoder := hub.NewSequence(s, "01"), chat.Hub{}.Decoder(&hub.Request{}, "p")
	e := &wire.Event{HasData: true, Data: []byte(benchChunk)}
	b.ReportAllocs()
	for b.Loop() {
		s.out = s.out[:0]
		if err := decoder.Event(e, seq); err != nil {
			b.Fatal(err)
		}
	}
}

// A request of a coding agent: 30 tools, 40 messages, some 100 kB.
func BenchmarkHubRequest(b *testing.B) {
	tool := `{"type":"function","function":{"name":"f","description":"` + strings.Repeat("what it does ", 100) + `","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"number"}}}}}}`
	turn := `{"role":"user","content":"` + strings.Repeat("words ", 250) + `"},{"role":"assistant","content":"` + strings.Repeat("words ", 250) + `"}`
	body := []byte(`{"model":"m","messages":[` + strings.Repeat(turn+",", 19) + turn + `],"tools":[` + strings.Repeat(tool+",", 29) + tool + `],"temperature":0.5,"max_tokens":100,"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	out := make([]byte, 0, 2*len(body))
	for b.Loop() {
		var r hub.Request
		if err := (chat.Hub{}).Decode(body, &r); err != nil {
			b.Fatal(err)
		}
		if _, err := r.Check("openai", chat.Hub{}.Fates()); err != nil {
			b.Fatal(err)
		}
		var err error
		if out, err = (chat.Hub{}).Encode(out[:0], &r, hub.Target{Model: "up"}); err != nil {
			b.Fatal(err)
		}
	}
}
