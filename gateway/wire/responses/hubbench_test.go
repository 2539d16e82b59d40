package responses_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

// nowhere takes events and keeps nothing.
type nowhere struct{}

func (nowhere) Event(hub.Event) {}

func BenchmarkHubEvent(b *testing.B) {
	for name, delta := range map[string]string{
		"text":      named("response.output_text.delta", `,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word","logprobs":[],"obfuscation":"abcdef"`),
		"arguments": named("response.function_call_arguments.delta", `,"item_id":"fc_1","output_index":1,"delta":"{\"a\":","obfuscation":"abcdef"`),
	} {
		e := eventsOf(delta)[0]
		d := responses.Hub{}.Decoder(nil, "openai")
		begin := eventsOf(item("1", called, ""))[0]
		if err := d.Event(&begin, nowhere{}); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = d.Event(&e, nowhere{})
			}
		})
	}
}

func BenchmarkHubAppend(b *testing.B) {
	for name, begin := range map[string]hub.Event{
		"text":      {Kind: hub.EventPart, Of: hub.PartText},
		"arguments": {Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: hub.Text("call_1"), Name: hub.Text("f")}},
		"reasoning": {Kind: hub.EventPart, Of: hub.PartReasoning},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w := responses.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "0197f3b2c4d57e6f8a9b0c1d2e3f4a5b", Model: "m"})
			out := w.Append(w.Append(nil, hub.Event{Kind: hub.EventStart}), begin)
			e := hub.Event{Kind: hub.EventDelta, Of: begin.Of, Text: hub.Text(" word")}
			for b.Loop() {
				out = w.Append(out[:0], e)
			}
		})
	}
}

// BenchmarkHubChunk is a piece of text from an upstream of the shape to a caller of
// it, through a sequence.
func BenchmarkHubChunk(b *testing.B) {
	b.ReportAllocs()
	e := eventsOf(named("response.output_text.delta", `,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word","logprobs":[],"obfuscation":"abcdef"`))[0]
	to := &through{encoder: responses.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "0197f3b2c4d57e6f8a9b0c1d2e3f4a5b", Model: "m"})}
	s := hub.NewSequence(to, "ID")
	d := responses.Hub{}.Decoder(nil, "openai")
	for b.Loop() {
		to.out = to.out[:0]
		_ = d.Event(&e, s)
	}
}

type through struct {
	encoder hub.Encoder
	out     []byte
}

func (t *through) Event(e hub.Event) { t.out = t.encoder.Append(t.out, e) }

func BenchmarkHubDecode(b *testing.B) {
	body := []byte(`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}],"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}],"stream":true}`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var r hub.Request
		_ = responses.Hub{}.Decode(body, &r)
	}
}
