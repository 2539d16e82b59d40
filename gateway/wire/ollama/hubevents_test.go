package ollama_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

// asking is a request with tools, one of which takes any text.
func asking() *hub.Request {
	return &hub.Request{Tools: []hub.Tool{
		{Name: hub.Text("f")}, {Name: hub.Text("g"), Namespace: hub.Text("n")}, {Kind: hub.ToolCustom, Name: hub.Text("patch")},
	}}
}

// sink writes what it is given for a caller.
type sink struct {
	encoder hub.Encoder
	out     []byte
}

func (s *sink) Event(e hub.Event) { s.out = s.encoder.Append(s.out, e) }

func reply(r *hub.Request) *hub.Reply {
	return &hub.Reply{Request: r, ID: "a1", Model: `m"1`, Created: 1_750_000_000}
}

// streamed plays lines of an upstream to a caller of a shape.
func streamed(tb testing.TB, c hub.Caller, lines []string, u *wire.Usage) string {
	tb.Helper()
	s := &sink{encoder: c.Encoder(reply(asking()))}
	sequence := hub.NewSequence(s, "a1")
	d := ollama.Hub{}.Decoder(asking(), "local")
	for _, line := range lines {
		if err := d.Event(&wire.Event{HasData: true, Data: []byte(line)}, sequence); err != nil {
			tb.Fatal(err, line)
		}
	}
	sequence.Finish(u)
	return string(s.out)
}

// folded plays lines into a whole answer.
func folded(tb testing.TB, lines ...string) *hub.Answer {
	tb.Helper()
	a := &hub.Answer{}
	sequence := hub.NewSequence(a, "a1")
	d := ollama.Hub{}.Decoder(asking(), "local")
	for _, line := range lines {
		if err := d.Event(&wire.Event{HasData: true, Data: []byte(line)}, sequence); err != nil {
			tb.Fatal(err, line)
		}
	}
	sequence.Finish(&wire.Usage{})
	return a
}

const begun = `{"model":"m","created_at":"2026-01-01T00:00:00Z",`

func says(content string) string {
	return begun + `"message":{"role":"assistant","content":"` + content + `"},"done":false}`
}

func thinks(thinking string) string {
	return begun + `"message":{"role":"assistant","content":"","thinking":"` + thinking + `"},"done":false}`
}

func calls(calls string) string {
	return begun + `"message":{"role":"assistant","content":"","tool_calls":[` + calls + `]},"done":false}`
}

func ends(reason string) string {
	return begun + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"` + reason + `","total_duration":5,"prompt_eval_count":3,"eval_count":2}`
}

func TestHubDecoder_ReadsThoughtsTextAndCallsInOrder(t *testing.T) {
	a := folded(t, thinks("h"), thinks(`m\n`), says("a"), "", " ", says(`\u00e9\"`),
		calls(`{"id":"c1","function":{"index":0,"name":"f","arguments":{"b":9007199254740993, "a":"\"q\""}}},{"function":{"name":"n__g","arguments":{}}}`),
		calls(`{"function":{"name":"patch","arguments":{"input":"*** \"x\""}}}`), ends("stop"))
	if len(a.Items) != 5 || a.Reason != hub.ReasonCalls {
		t.Fatalf("%+v", a)
	}
	if got := a.Items[0].Text.String(); got != "hm\n" {
		t.Errorf("%q", got)
	}
	if got := a.Items[1].Parts[0].Text.String(); got != `aé"` {
		t.Errorf("%q", got)
	}
	for i, want := range []struct{ id, name, namespace, arguments string }{
		{"c1", "f", "", `{"b":9007199254740993, "a":"\"q\""}`}, {"call_a1_2", "g", "n", `{}`}, {"call_a1_3", "patch", "", `*** "x"`},
	} {
		c := a.Items[2+i]
		if c.Call.ID.String() != want.id || c.Call.Name.String() != want.name || c.Call.Namespace.String() != want.namespace || c.Arguments.String() != want.arguments {
			t.Errorf("%s %s %s %s", c.Call.ID, c.Call.Name, c.Call.Namespace, c.Arguments)
		}
	}
}

func TestHubDecoder_TellsWhyAnAnswerEnds(t *testing.T) {
	for said, want := range map[string]hub.Reason{"stop": hub.ReasonStop, "length": hub.ReasonLength, "load": hub.ReasonStop, "unload": hub.ReasonStop, "new": hub.ReasonStop} {
		if a := folded(t, says("a"), ends(said)); a.Reason != want {
			t.Errorf("%s: %v", said, a.Reason)
		}
	}
}

func TestHubDecoder_TheLastLineMayHoldContent(t *testing.T) {
	a := folded(t, begun+`"done_reason":"length","done":true,"message":{"content":"x","thinking":"t","role":"assistant"}}`)
	if len(a.Items) != 2 || a.Items[0].Text.String() != "t" || a.Items[1].Parts[0].Text.String() != "x" || a.Reason != hub.ReasonLength {
		t.Errorf("%+v", a)
	}
}

func TestHubDecoder_AWholeAnswerHasTheFormOfALine(t *testing.T) {
	a := &hub.Answer{}
	sequence := hub.NewSequence(a, "a1")
	body := `{"model":"m","message":{"role":"assistant","content":"x","thinking":"t","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]},"done":true,"done_reason":"stop"}`
	if err := (ollama.Hub{}).Decoder(asking(), "").Answer([]byte(body), sequence); err != nil {
		t.Fatal(err)
	}
	sequence.Finish(&wire.Usage{Input: 7})
	if len(a.Items) != 3 || a.Items[2].Arguments.String() != `{"a":1}` || a.Reason != hub.ReasonCalls || a.Usage.Input != 7 {
		t.Errorf("%+v", a)
	}
}

func TestHubDecoder_SaysWhatIsWrong(t *testing.T) {
	for body, want := range map[string]string{
		`{"message":{"content":"x"`: "holds a line that is no JSON object",
		`["x"]`:                     "holds a line that is no JSON object",
		`{"message":{"content":"x","tool_calls":[7]}}`:                                         "holds a call that must be an object with a function",
		`{"message":{"content":"x","tool_calls":[{"function":{}}]}}`:                           "holds a call that must name its function",
		`{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":[1]}}]}}`: "holds a call that must have arguments that are an object",
	} {
		err := ollama.Hub{}.Decoder(asking(), "").Event(&wire.Event{HasData: true, Data: []byte(body)}, hub.NewSequence(&hub.Answer{}, "a1"))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{`{"done":true}`, `{"message":null,"done":true}`, ``} {
		if err := (ollama.Hub{}).Decoder(asking(), "").Answer([]byte(body), hub.NewSequence(&hub.Answer{}, "a1")); err == nil {
			t.Error(body)
		}
	}
}
