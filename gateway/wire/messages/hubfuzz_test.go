package messages_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

// FuzzDecode reads any body. What is understood goes up as JSON that is the same
// each time and is understood again.
func FuzzDecode(f *testing.F) {
	code, err := os.ReadFile("testdata/claude-code.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(code)
	for _, seed := range []string{
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stop_sequences":["a"," "],"temperature":2,"top_p":1,"stream":true}`,
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"cmVsYXkxAA=="},{"type":"redacted_thinking","data":"R"},{"type":"tool_use","id":"a.b","name":"f","input":{"a":"\u0000"}}]}]}`,
		`{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}}],"is_error":true}]}],"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"tool","name":"f"}}`,
		`{"messages":[{"role":"user","content":[{"type":"document","title":"t","context":"c","source":{"type":"text","data":"d"}},{"type":"search_result","title":"t","source":"s","content":[]}]}],"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}},"thinking":{"type":"adaptive"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var r hub.Request
		if wire.Scan(body, &wire.Members{}) != nil || (messages.Hub{}).Decode(body, &r) != nil {
			return
		}
		up, err := messages.Hub{}.Encode(nil, &r, to)
		if err != nil {
			return
		}
		if err := wire.Scan(up, &wire.Members{}); err != nil {
			t.Fatalf("%s becomes %s: %v", body, up, err)
		}
		if again, _ := (messages.Hub{}).Encode(nil, &r, to); !bytes.Equal(up, again) {
			t.Errorf("%s becomes %s and then %s", body, up, again)
		}
		if err := (messages.Hub{}).Decode(up, &hub.Request{}); err != nil {
			t.Errorf("%s becomes %s: %v", body, up, err)
		}
	})
}

// FuzzDecoder reads any answer, streamed by lines or whole. What callers get of it
// is JSON, and the whole message says what the stream says.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"c","name":"patch","input":{"input":"x"}},{"type":"thinking","thinking":"t","signature":"s"}],"stop_reason":"tool_use"}`))
	for _, stream := range []string{
		start(startUsage) + blockStart + textDelta(" ") + textDelta("a") + blockStop + reason("end_turn"),
		blockOf("0", `{"type":"tool_use","id":"c","name":"f","input":{"a":1}}`) + input("0", `{\"a\"`) + blockOf("1", `{"type":"redacted_thinking","data":"R"}`) + endOf("1") + input("0", `:1}`) + endOf("0") + reason("max_tokens"),
		blockOf("3", `{"type":"tool_use","name":"patch","input":null}`) + input("3", `{\"input\":\"a\\`, `n\"}`) + endOf("3") + deltaOf("9", `{"type":"signature_delta","signature":"S"}`),
	} {
		f.Add([]byte(strings.ReplaceAll(strings.ReplaceAll(stream, "\n\n", "\n"), "data: ", "")))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		c, a := &caller{enc: messages.Hub{}.Encoder(reply)}, &hub.Answer{}
		for _, sink := range []hub.Sink{c, a} {
			d, s := messages.Hub{}.Decoder(caught, "acme"), hub.NewSequence(sink, "1")
			_ = d.Answer(answer, s)
			for line := range bytes.Lines(answer) {
				_ = d.Event(&wire.Event{HasData: true, Data: line}, s)
			}
			s.Finish(nil)
		}
		whole := messages.Hub{}.Encoder(reply).AppendAnswer(nil, a)
		if !wire.Valid(whole) {
			t.Errorf("the message is %s", whole)
		}
		for _, block := range strings.Split(strings.TrimSuffix(string(c.out), "\n\n"), "\n\n") {
			if name, data, found := strings.Cut(block, "\ndata: "); !found || !wire.Valid([]byte(data)) || !strings.HasPrefix(name, "event: ") || strings.Contains(data, "\n") {
				t.Errorf("an event is %s", block)
			}
		}
	})
}
