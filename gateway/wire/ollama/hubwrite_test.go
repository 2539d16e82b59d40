package ollama_test

import (
	"strconv"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

const line = `{"model":"m\"1","created_at":"2025-06-15T15:06:40Z",`

func TestHubEncoder_WritesALineForEachPiece(t *testing.T) {
	got := streamed(t, ollama.Hub{}, []string{
		thinks("hm"), says(`a\n`), says("b"),
		calls(`{"id":"c1","function":{"name":"f","arguments":{"b":1, "a":2}}},{"function":{"name":"n__g","arguments":{}}},{"function":{"name":"patch","arguments":{"input":"x"}}}`),
		ends("stop"),
	}, &wire.Usage{Input: 3, CacheRead: 4, CacheCreation: 5, Output: 6, Reasoning: 2})
	want := line + `"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":"a\n"},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":"b"},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"b":1, "a":2}}}]},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a1_2","function":{"index":1,"name":"n__g","arguments":{}}}]},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a1_3","function":{"index":2,"name":"patch","arguments":{"input":"x"}}}]},"done":false}` + "\n" +
		line + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":0,"load_duration":0,"prompt_eval_count":12,"prompt_eval_duration":0,"eval_count":6,"eval_duration":0}` + "\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestGenerateHubEncoder_WritesTheTextAsResponse(t *testing.T) {
	got := streamed(t, ollama.GenerateHub{}, []string{thinks("hm"), says("a"), calls(`{"function":{"name":"f","arguments":{}}}`), ends("length")}, nil)
	want := line + `"response":"","thinking":"hm","done":false}` + "\n" + line + `"response":"a","done":false}` + "\n" +
		line + `"response":"","done":true,"done_reason":"length","total_duration":0,"load_duration":0,"prompt_eval_count":0,"prompt_eval_duration":0,"eval_count":0,"eval_duration":0}` + "\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// pieces plays events as they may come from any other shape.
func pieces(to hub.Sink, events ...hub.Event) {
	sequence := hub.NewSequence(to, "a1")
	for _, e := range events {
		sequence.Event(e)
	}
	sequence.Finish(&wire.Usage{})
}

func TestHubEncoder_ACallThatBreaksOffIsLeftOut(t *testing.T) {
	events := []hub.Event{
		{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{Name: hub.Text("f")}},
		{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text(`{\"a\":`)},
		{Kind: hub.EventFinish, Reason: hub.ReasonLength},
	}
	s := &sink{encoder: ollama.Hub{}.Encoder(reply(asking()))}
	pieces(s, events...)
	a := &hub.Answer{}
	pieces(a, events...)
	whole := string(s.encoder.AppendAnswer(nil, a))
	for _, got := range []string{string(s.out), whole} {
		if strings.Contains(got, "tool_calls") || !strings.Contains(got, `"done_reason":"length"`) {
			t.Error(got)
		}
	}
}

func TestHubEncoder_ArgumentsThatComeInPiecesAreWrittenWhole(t *testing.T) {
	const arguments = `{"text":"a \"b\" \\ ü","n":[1,2]}`
	events := []hub.Event{{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}}}
	for _, c := range hub.Quote(arguments) {
		events = append(events, hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text{c}})
	}
	s := &sink{encoder: ollama.Hub{}.Encoder(reply(asking()))}
	pieces(s, events...)
	if !strings.Contains(string(s.out), `"arguments":`+arguments+`}`) {
		t.Errorf("%s", s.out)
	}
}

func TestHubEncoder_ArgumentsThatAreNoObjectStandInOne(t *testing.T) {
	s := &sink{encoder: ollama.Hub{}.Encoder(reply(asking()))}
	pieces(s, hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}},
		hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text(`[1]`)})
	if !strings.Contains(string(s.out), `"arguments":{"input":[1]}`) {
		t.Errorf("%s", s.out)
	}
}

func TestHubEncoder_LeavesOutWhatOllamaHasNoPlaceFor(t *testing.T) {
	events := []hub.Event{
		{Kind: hub.EventPart, Of: hub.PartImage, Media: hub.Part{Data: hub.Text(png), MediaType: hub.Text("image/png")}},
		{Kind: hub.EventOpaque, Of: hub.PartReasoning, Part: 1, Opaque: hub.Opaque{Shape: "anthropic", Data: hub.Text("SIG")}},
		{Kind: hub.EventDelta, Of: hub.PartRefusal, Part: 2, Text: hub.Text("no")},
		{Kind: hub.EventFinish, Reason: hub.ReasonFilter},
	}
	s := &sink{encoder: ollama.Hub{}.Encoder(reply(asking()))}
	pieces(s, events...)
	if n := strings.Count(string(s.out), "\n"); n != 2 || strings.Contains(string(s.out), "SIG") || !strings.Contains(string(s.out), `"content":"no"`) {
		t.Errorf("%s", s.out)
	}
}

func TestHubAppendAnswer_IsTheSumOfTheStream(t *testing.T) {
	a := folded(t, thinks("h"), thinks("m"), says("a"), says("b"), calls(`{"id":"c1","function":{"name":"f","arguments":{"a":1}}},{"id":"c2","function":{"name":"f","arguments":{}}}`), ends("stop"))
	a.Usage = wire.Usage{Input: 1, CacheRead: 2, Output: 3}
	const end = `"done":true,"done_reason":"stop","total_duration":0,"load_duration":0,"prompt_eval_count":3,"prompt_eval_duration":0,"eval_count":3,"eval_duration":0}`
	got := ollama.Hub{}.Encoder(reply(asking())).AppendAnswer(nil, a)
	saysSame(t, string(got), line+`"message":{"role":"assistant","content":"ab","thinking":"hm","tool_calls":[
		{"id":"c1","function":{"index":0,"name":"f","arguments":{"a":1}}},{"id":"c2","function":{"index":1,"name":"f","arguments":{}}}]},`+end)
	got = ollama.GenerateHub{}.Encoder(reply(asking())).AppendAnswer(nil, a)
	saysSame(t, string(got), line+`"response":"ab","thinking":"hm",`+end)
	got = ollama.Hub{}.Encoder(reply(asking())).AppendAnswer(nil, &hub.Answer{})
	saysSame(t, string(got), line+`"message":{"role":"assistant","content":""},`+strings.ReplaceAll(end, ":3,", ":0,"))
}

func TestHubAnswers_AreReadByTheCodecOfTheShape(t *testing.T) {
	lines := strings.SplitAfter(streamed(t, ollama.Hub{}, []string{says("a"), ends("length")}, &wire.Usage{Input: 3, Output: 6}), "\n")
	var tap wire.Tap
	var kinds []string
	for _, l := range lines[:len(lines)-1] {
		kinds = append(kinds, strconv.Itoa(int(ollama.Codec{}.ReadEvent(&tap, &wire.Event{HasData: true, Data: []byte(l)}))))
	}
	if want := []string{strconv.Itoa(int(wire.Content)), strconv.Itoa(int(wire.Terminal))}; strings.Join(kinds, " ") != strings.Join(want, " ") {
		t.Error(kinds)
	}
	if tap.Usage.Input != 3 || tap.Usage.Output != 6 || tap.Reason != "length" {
		t.Errorf("%+v", tap)
	}
}
