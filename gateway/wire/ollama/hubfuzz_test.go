package ollama_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

func FuzzHubDecode_WhatIsTakenCanBeWritten(f *testing.F) {
	for _, c := range kept {
		f.Add(c.body)
	}
	f.Add(`{"model":"m","prompt":"x","system":"y","images":["` + png + `"],"options":{"stop":["a"]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range []hub.Caller{ollama.Hub{}, ollama.GenerateHub{}} {
			r, err := tryDecode(c, body)
			if err != nil {
				continue
			}
			if _, err := r.Check("ollama", ollama.Hub{}.Fates()); err != nil {
				continue
			}
			up, err := ollama.Hub{}.Encode(nil, r, target)
			if err == nil {
				err = wire.Scan(up, &wire.Members{})
			}
			if err != nil {
				t.Logf("%s", body)
				wantRefusal(t, err)
			}
		}
	})
}

// wantRefusal fails the test where an error is not what a caller's history may be
// refused for.
func wantRefusal(tb testing.TB, err error) {
	tb.Helper()
	if e, ok := err.(*wire.Error); !ok || e.Code != wire.CodeTranslateRequest { //nolint:errorlint // nothing else is promised
		tb.Error(err)
	}
}

func FuzzHubDecoder_WhatIsReadCanBeWritten(f *testing.F) {
	f.Add(thinks("hm") + "\n" + says("a") + "\n" + calls(`{"function":{"name":"f","arguments":{"a":1}}}`) + "\n" + ends("stop"))
	f.Add(calls(`{"function":{"name":"patch","arguments":{"input":"x"}}},{"id":"c","function":{"name":"f","arguments":"[1"}}`))
	f.Fuzz(func(t *testing.T, answer string) {
		a := &hub.Answer{}
		sequence := hub.NewSequence(a, "a1")
		if err := (ollama.Hub{}).Decoder(asking(), "").Answer([]byte(answer), sequence); err != nil {
			return
		}
		sequence.Finish(&wire.Usage{})
		for _, c := range []hub.Caller{ollama.Hub{}, ollama.GenerateHub{}} {
			if body := c.Encoder(reply(asking())).AppendAnswer(nil, a); !wire.Valid(body) {
				t.Errorf("%q", body)
			}
			if out := streamed(t, c, []string{answer}, nil); out == "" {
				t.Error("nothing is written")
			}
		}
	})
}
