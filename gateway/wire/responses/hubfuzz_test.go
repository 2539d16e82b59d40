package responses_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

// FuzzHubDecode holds what is decoded against what is encoded: it is JSON, and
// decodes again to as many items of the same kinds, save those that say nothing.
func FuzzHubDecode(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","input":"hi","instructions":"be","tools":[{"type":"function","name":"f"},{"type":"custom","name":"p","format":{"type":"grammar","grammar":{"syntax":"lark"}}}],"tool_choice":{"type":"custom","name":"p"}}`,
		`{"input":[{"role":"developer","content":"a"},{"role":"user","content":[{"type":"input_image","image_url":"data:image\/png;base64,iVBO"},{"type":"input_file","file_id":"f"}]},{"type":"reasoning","id":"rs","summary":[{"text":"a"}],"encrypted_content":"E"},{"type":"function_call","call_id":"c","name":"f","arguments":""},{"type":"function_call_output","call_id":"c","output":[]}]}`,
		`{"input":"a","tools":[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"g"}]}],"text":{"format":{"type":"json_schema","schema":{}},"verbosity":"low"},"reasoning":{"effort":"low"},"max_output_tokens":1e0}`,
		`{"input":[]}`,
	} {
		f.Add([]byte(seed))
	}
	codec := responses.Hub{}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(string(body))
		if err != nil {
			return
		}
		if _, err := r.Check(codec.Shape(), codec.Fates()); err != nil {
			return
		}
		up, err := codec.Encode(nil, r, hub.Target{Model: "up"})
		if nothing := len(r.Items) == 0; nothing != (err != nil) { // which OpenAI refuses
			t.Fatalf("%d items: %v", len(r.Items), err)
		}
		if err != nil {
			return
		}
		again, err := decode(string(up))
		if err != nil {
			t.Fatalf("%v: %s", err, up)
		}
		if len(again.Tools) != len(r.Tools) || len(again.Items) > len(r.Items) {
			t.Errorf("%d of %d tools, %d of %d items: %s", len(again.Tools), len(r.Tools), len(again.Items), len(r.Items), up)
		}
		reply := &hub.Reply{Request: r, ID: "ID"}
		if answer := codec.Encoder(reply).AppendAnswer(nil, &hub.Answer{}); !wire.Valid(answer) {
			t.Errorf("the answer is %s", answer)
		}
	})
}

// FuzzHubEvent tells whatever is read to a caller: events of JSON with numbers in
// order, and at the end the response that a whole answer is.
func FuzzHubEvent(f *testing.F) {
	for _, seed := range []string{
		item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) + completed,
		completed, thoughts + words + named("response.incomplete", `,"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		reply := &hub.Reply{Request: &hub.Request{}, ID: "ID"}
		to := &told{encoder: responses.Hub{}.Encoder(reply)}
		s := hub.NewSequence(to, "ID")
		d := responses.Hub{}.Decoder(nil, "p")
		for _, e := range eventsOf(stream) {
			if d.Event(&e, s) != nil {
				break
			}
		}
		s.Finish(nil)
		for i, e := range eventsOf(string(to.stream)) {
			w := wire.Walk(e.Data)
			if !strings.Contains(string(e.Data), `","sequence_number":`+string(wire.AppendNumber(nil, "", int64(i)))+",") || !w.End() {
				t.Fatalf("event %d is %s", i, e.Data)
			}
		}
		if answer := wholeOf(reply, &to.answer); !wire.Valid(answer) {
			t.Errorf("the answer is %s", answer)
		}
	})
}

func wholeOf(r *hub.Reply, a *hub.Answer) []byte {
	return responses.Hub{}.Encoder(r).AppendAnswer(nil, a)
}

func FuzzHubAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"completed","output":` + output + `}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := &hub.Answer{}
		s := hub.NewSequence(a, "ID")
		if (responses.Hub{}).Decoder(nil, "p").Answer(body, s) != nil {
			return
		}
		s.Finish(nil)
		if answer := wholeOf(&hub.Reply{Request: &hub.Request{}, ID: "ID"}, a); !wire.Valid(answer) {
			t.Errorf("the answer is %s", answer)
		}
	})
}
