package generate_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
)

func FuzzDecode_WhatIsTakenRefersToTheBody(f *testing.F) {
	f.Add(`{"model":"m","instructions":"i","input":[{"role":"user","content":[{"type":"image","url":"data:image/png;base64,QQ=="}]},
		{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"reasoning","summary":[{"type":"text","text":"s"}],"opaque":"x"}]}`)
	f.Add(asks(`"tools":{"definitions":[{"name":"f","parameters":{}}],"choice":{"name":"f"}},"cache":{"tools":true},"extensions":{"openai":{"n":2}}`))
	f.Add(asks(`"sampling":{"stop":["a"],"seed":1},"reasoning":{"budget_tokens":5},"output":{"format":{"type":"json_schema","schema":{}}},"metadata":{"a":"b"}`))
	f.Fuzz(func(t *testing.T, body string) {
		r, err := tryDecode(body)
		if err != nil {
			if _, ok := err.(*wire.Error); !ok { //nolint:errorlint // nothing else is promised
				t.Error(err)
			}
			return
		}
		if len(r.Items) == 0 {
			t.Error("nothing is asked")
		}
		for _, item := range r.Items {
			for _, text := range []hub.Text{item.Text, item.Call.ID, item.Call.Name, item.Arguments} {
				if !wire.Valid(text.Append(nil)) {
					t.Errorf("%q", text)
				}
			}
		}
	})
}

func FuzzAppend_AnswersAreJSON(f *testing.F) {
	f.Add(uint8(1), "text", `{"a":1}`, "SIG")
	f.Add(uint8(6), "", `{"a":`, "")
	f.Fuzz(func(t *testing.T, kind uint8, said, arguments, data string) {
		o := hub.Opaque{Shape: "gemini", Data: hub.Quote(data)}
		told := []hub.Event{
			{Kind: hub.EventDelta, Of: hub.PartKind(kind % 2), Text: hub.Quote(said)},
			{Kind: hub.EventOpaque, Of: hub.PartReasoning, Opaque: o},
			{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{Name: hub.Quote(said), Custom: kind > 9}},
			{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Quote(arguments)},
			{Kind: hub.EventOpaque, Of: hub.PartCall, Opaque: o},
			{Kind: hub.EventFinish, Reason: hub.Reason(kind % 9)},
		}
		if got := whole(told, &used); !wire.Valid([]byte(got)) {
			t.Errorf("%q", got)
		}
		for _, data := range events(t, streamed(told, &used)) {
			if !wire.Valid([]byte(data)) {
				t.Errorf("%q", data)
			}
		}
	})
}

func BenchmarkHub_EncodeAPieceOfText(b *testing.B) {
	w := generate.Hub{}.Encoder(reply())
	e := hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text(" hello")}
	out := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		out = w.Append(out[:0], e)
	}
}

func BenchmarkHub_DecodeARequest(b *testing.B) {
	body := []byte(`{"model":"m","instructions":"be brief","input":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"sampling":{"temperature":0.5,"max_tokens":100},
		"tools":{"definitions":[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}],"choice":"auto"}}`)
	b.ReportAllocs()
	for b.Loop() {
		var r hub.Request
		if err := (generate.Hub{}).Decode(body, &r); err != nil {
			b.Fatal(err)
		}
	}
}
