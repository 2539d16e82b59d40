package messages_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

// unsigned is a seal of nothing.
const unsigned = "cmVsYXkxAAAAMAAA"

// marked is a block by which an answer is known again.
var marked = blockOf("0", `{"type":"redacted_thinking","data":"`+unsigned+`"}`) + endOf("0")

// TestEncoder_MarksCallsOfAnswersWithoutThoughts: a caller who gives a budget for
// thinking sends the calls back with it, which Anthropic refuses.
func TestEncoder_MarksCallsOfAnswersWithoutThoughts(t *testing.T) {
	call := []hub.Event{begin(5, "c1", "f"), delta(hub.PartCall, 5, `{}`)}
	text := []hub.Event{delta(hub.PartText, 0, "a")}
	thought := []hub.Event{delta(hub.PartReasoning, 0, "hm")}
	signed := append(thought, keeps(hub.PartReasoning, 0, opaque(hub.OpaqueSignature, "SIG==")))
	for name, test := range map[string]struct {
		budget int64
		events []hub.Event
		want   int
	}{
		"a call":            {2000, call, 1},
		"two calls":         {2000, append(call, begin(6, "c2", "g"), delta(hub.PartCall, 6, `{}`)), 1},
		"behind a text":     {2000, append(text, call...), 1},
		"behind a thought":  {2000, append(signed, call...), 0},
		"an unsigned one":   {2000, append(thought, call...), 1},
		"no call":           {2000, text, 0},
		"a call cut off":    {2000, []hub.Event{begin(5, "c1", "f"), ends(hub.ReasonLength)}, 0},
		"without a budget":  {0, call, 0},
		"adaptive thinking": {-1, call, 0},
	} {
		r := *reply
		r.Request = &hub.Request{Reasoning: hub.Reasoning{Budget: test.budget}}
		c, a := &caller{enc: messages.Hub{}.Encoder(&r)}, &hub.Answer{}
		for _, sink := range []hub.Sink{c, a} {
			s := hub.NewSequence(sink, "1")
			for _, e := range test.events {
				s.Event(e)
			}
			s.Finish(nil)
		}
		whole := string(messages.Hub{}.Encoder(&r).AppendAnswer(nil, a))
		for _, answer := range []string{string(c.out), whole} {
			if got := strings.Count(answer, unsigned); got != test.want {
				t.Errorf("%s: %d marks in %s", name, got, answer)
			}
		}
	}
}

// TestReturns_KnowsAnswersOfOtherHosts sends answers back to a host of the shape.
func TestReturns_KnowsAnswersOfOtherHosts(t *testing.T) {
	foreign := hub.Opaque{Shape: "gemini", Provider: "g", Data: hub.Text("GS")}
	for name, events := range map[string][]hub.Event{
		"an unsigned thought": {delta(hub.PartReasoning, 0, "hm"), begin(1, "c1", "f"), delta(hub.PartCall, 1, `{}`)},
		"a foreign thought":   {delta(hub.PartReasoning, 0, "hm"), keeps(hub.PartReasoning, 0, foreign), begin(1, "c1", "f"), delta(hub.PartCall, 1, `{}`)},
		"a signed call":       {begin(1, "c1", "f"), keeps(hub.PartCall, 1, foreign), delta(hub.PartCall, 1, `{}`)},
	} {
		_, whole := told(t, nil, events...)
		_, content, _ := strings.Cut(whole, `"content":`)
		content, _, _ = strings.Cut(content, `,"stop_reason"`)
		turns := `[{"role":"user","content":"hi"},{"role":"assistant","content":` + content + `},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}]`
		if !(messages.Hub{}).Returns([]byte(turns)) {
			t.Errorf("%s is not known in %s", name, turns)
		}
		up := sent(t, asked(t, turns, `"thinking":{"type":"enabled","budget_tokens":2000}`, `"tools":[{"name":"f","input_schema":{"type":"object"}}]`), to)
		sameJSON(t, name, up["messages"].([]any)[1], `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`)
		sameJSON(t, "thinking", up["thinking"], "")
	}
	if (messages.Hub{}).Returns([]byte(`[{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"EqoB"}]}]`)) {
		t.Error("what Anthropic has signed is taken for Relay's")
	}
}

// BenchmarkReturns asks it of the body of an agent, 80 kB without a seal, as it is
// asked of every request.
func BenchmarkReturns(b *testing.B) {
	turn := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"package main\\n\\nfunc main() { relay(\\\"cmd\\\") }\\n"}]},`
	body := []byte(`{"model":"m","messages":[` + strings.Repeat(turn, 80_000/len(turn)) + `{"role":"user","content":"hi"}]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if (messages.Hub{}).Returns(body) {
			b.Fatal("it holds a seal")
		}
	}
}
