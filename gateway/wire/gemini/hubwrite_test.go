package gemini_test

import (
	"encoding/json"

	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/wiretest"

	"github.com/google/go-cmp/cmp"
)

// streamed writes events as an encoder does.
type streamed struct {
	enc  hub.Encoder
	body []byte
}

func (s *streamed) Event(e hub.Event) { s.body = s.enc.Append(s.body, e) }

// thoughtful is a request that wants thoughts.
var thoughtful = &hub.Request{Reasoning: hub.Reasoning{Summary: "auto"}}

// write gives events to a stream and a whole answer, as events, array and body.
func write(r *hub.Request, usage *wire.Usage, events ...hub.Event) (sse, array, body string) {
	reply := &hub.Reply{Request: r, ID: "a1b2", Model: `acme "gem"`, Created: 1}
	s, l := &streamed{enc: gemini.Hub{}.Encoder(reply)}, &streamed{enc: gemini.HubArray{}.Encoder(reply)}
	var a hub.Answer
	for _, to := range []hub.Sink{s, l, &a} {
		sequence := hub.NewSequence(to, "a1b2")
		for _, e := range events {
			sequence.Event(e)
		}
		sequence.Finish(usage)
	}
	return string(s.body), string(l.body), string(gemini.Hub{}.Encoder(reply).AppendAnswer(nil, &a))
}

// chunksOf returns the data of a stream's events.
func chunksOf(t *testing.T, sse string) []string {
	t.Helper()
	var chunks []string
	splitEvents(t, sse, 1<<20, func(e *wire.Event) {
		if e.HasData {
			chunks = append(chunks, string(e.Data))
		}
	})
	return chunks
}

// partsOf returns the parts of chunks, all in one array.
func partsOf(t *testing.T, chunks ...string) string {
	t.Helper()
	all := []json.RawMessage{}
	for _, c := range chunks {
		var v struct {
			Candidates []struct {
				Content struct {
					Role  string
					Parts []json.RawMessage
				}
			}
			ModelVersion, ResponseID string
		}
		if err := json.Unmarshal([]byte(c), &v); err != nil || len(v.Candidates) != 1 || v.Candidates[0].Content.Role != "model" || v.ModelVersion != `acme "gem"` || v.ResponseID != "a1b2" {
			t.Errorf("%s: %v", c, err)
			continue
		}
		all = append(all, v.Candidates[0].Content.Parts...)
	}
	parts, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(parts)
}

func delta(of hub.PartKind, part int, text string) hub.Event {
	return hub.Event{Kind: hub.EventDelta, Of: of, Part: part, Text: hub.Quote(text)}
}

func opaque(of hub.PartKind, part int, o hub.Opaque) hub.Event {
	return hub.Event{Kind: hub.EventOpaque, Of: of, Part: part, Opaque: o}
}

func begun(part int, id, name string) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: part, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}}
}

func ended(reason hub.Reason) hub.Event { return hub.Event{Kind: hub.EventFinish, Reason: reason} }

func TestEncoder_WritesParts(t *testing.T) {
	signing := claude
	signing.Signed = hub.Text("Hm") // which the caller is not told
	image := hub.Event{Kind: hub.EventPart, Of: hub.PartImage, Part: 1, Media: hub.Part{MediaType: hub.Text("image/png"), Data: hub.Text("QUJD")}}
	redacted := hub.Opaque{Shape: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("RED==")}
	for name, c := range map[string]struct {
		r              *hub.Request
		events         []hub.Event
		streamed, full string
	}{
		"text":    {&hub.Request{}, []hub.Event{delta(hub.PartText, 0, "Hel"), delta(hub.PartText, 0, "lo\n\"")}, `[{"text":"Hel"},{"text":"lo\n\""},{"text":""}]`, `[{"text":"Hello\n\""}]`},
		"nothing": {&hub.Request{}, nil, `[{"text":""}]`, `[{"text":""}]`},
		"thoughts": {thoughtful, []hub.Event{delta(hub.PartReasoning, 0, "H"), delta(hub.PartReasoning, 0, "m"), delta(hub.PartText, 0, "a")},
			`[{"text":"H","thought":true},{"text":"m","thought":true},{"text":"a"},{"text":""}]`, `[{"text":"Hm","thought":true},{"text":"a"}]`},
		"thoughts that are not wanted": {&hub.Request{Reasoning: hub.Reasoning{Budget: 1024}}, []hub.Event{delta(hub.PartReasoning, 0, "Hm"), delta(hub.PartText, 0, "a")}, `[{"text":"a"},{"text":""}]`, `[{"text":"a"}]`},
		"a refusal":                    {&hub.Request{}, []hub.Event{delta(hub.PartRefusal, 0, "No.")}, `[{"text":"No."},{"text":""}]`, `[{"text":"No."}]`},
		"a picture":                    {&hub.Request{}, []hub.Event{image}, `[{"inlineData":{"mimeType":"image/png","data":"QUJD"}},{"text":""}]`, `[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]`},
		"a call in pieces": {&hub.Request{}, []hub.Event{begun(0, "c1", "f"), delta(hub.PartCall, 0, `{"a": `), delta(hub.PartCall, 0, "12345678901234567890,\r\n"), delta(hub.PartCall, 0, `"b":"\n"}`)},
			`[{"functionCall":{"id":"c1","name":"f","args":{"a":12345678901234567890,"b":"\n"}},"thoughtSignature":"cmVsYXkxAAAAMAAA"},{"text":""}]`, `[{"functionCall":{"id":"c1","name":"f","args":{"a":12345678901234567890,"b":"\n"}},"thoughtSignature":"cmVsYXkxAAAAMAAA"}]`},
		"calls that interleave": {&hub.Request{}, []hub.Event{begun(0, "c1", "f"), begun(1, "", "g"), delta(hub.PartCall, 0, `{"a"`), delta(hub.PartCall, 1, `{}`), delta(hub.PartCall, 0, `:1}`)},
			`[{"functionCall":{"id":"c1","name":"f","args":{"a":1}},"thoughtSignature":"cmVsYXkxAAAAMAAA"},{"functionCall":{"id":"call_a1b2_2","name":"g","args":{}}},{"text":""}]`, `[{"functionCall":{"id":"c1","name":"f","args":{"a":1}},"thoughtSignature":"cmVsYXkxAAAAMAAA"},{"functionCall":{"id":"call_a1b2_2","name":"g","args":{}}}]`},
		"arguments that are no object": {&hub.Request{}, []hub.Event{begun(0, "c1", "f"), delta(hub.PartCall, 0, `[1]`)}, `[{"functionCall":{"id":"c1","name":"f","args":{"input":"[1]"}},"thoughtSignature":"cmVsYXkxAAAAMAAA"},{"text":""}]`, `[{"functionCall":{"id":"c1","name":"f","args":{"input":"[1]"}},"thoughtSignature":"cmVsYXkxAAAAMAAA"}]`},
		"a call that is cut off":       {&hub.Request{}, []hub.Event{delta(hub.PartText, 0, "a"), begun(0, "c1", "f"), delta(hub.PartCall, 0, `{"a":`)}, `[{"text":"a"},{"text":""}]`, `[{"text":"a"}]`},
		"its own signatures": {thoughtful, []hub.Event{delta(hub.PartReasoning, 0, "Hm"), opaque(hub.PartReasoning, 0, google("A")), delta(hub.PartText, 0, "a"), opaque(hub.PartText, 0, google("B")), begun(0, "c1", "f"), opaque(hub.PartCall, 0, google("C")), opaque(hub.PartReasoning, 0, google("D"))},
			`[{"text":"Hm","thought":true},{"text":"","thought":true,"thoughtSignature":"A"},{"text":"a"},{"text":"","thoughtSignature":"B"},{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"C"},{"text":"","thought":true,"thoughtSignature":"D"},{"text":""}]`,
			`[{"text":"Hm","thought":true,"thoughtSignature":"A"},{"text":"a","thoughtSignature":"B"},{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"C"},{"text":"","thought":true,"thoughtSignature":"D"}]`},
		"its own signature on a hidden thought": {&hub.Request{}, []hub.Event{delta(hub.PartReasoning, 0, "Hm"), opaque(hub.PartReasoning, 0, google("A"))}, `[{"text":"","thoughtSignature":"A"},{"text":""}]`, `[{"text":"","thoughtSignature":"A"}]`},
		"a seal rides on the next call": {&hub.Request{}, []hub.Event{delta(hub.PartReasoning, 0, "Hm"), opaque(hub.PartReasoning, 0, claude), delta(hub.PartText, 0, "a"), begun(0, "c1", "f"), delta(hub.PartCall, 0, "{}"), begun(1, "c2", "f"), delta(hub.PartCall, 1, "{}")},
			`[{"text":"a"},{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + seal(signing) + `"},{"functionCall":{"id":"c2","name":"f","args":{}}},{"text":""}]`,
			`[{"text":"a"},{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + seal(signing) + `"},{"functionCall":{"id":"c2","name":"f","args":{}}}]`},
		"a sealed call": {&hub.Request{}, []hub.Event{begun(0, "c1", "f"), opaque(hub.PartCall, 0, claude)},
			`[{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + seal(claude) + `"},{"text":""}]`, `[{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + seal(claude) + `"}]`},
		"a seal without a call": {thoughtful, []hub.Event{delta(hub.PartReasoning, 0, "Hm"), opaque(hub.PartReasoning, 0, claude), delta(hub.PartText, 0, "a")},
			`[{"text":"Hm","thought":true},{"text":"a"},{"text":"","thoughtSignature":"` + seal(claude) + `"}]`, `[{"text":"Hm","thought":true},{"text":"a"},{"text":"","thoughtSignature":"` + seal(claude) + `"}]`},
		"two seals": {&hub.Request{}, []hub.Event{opaque(hub.PartReasoning, 0, claude), opaque(hub.PartReasoning, 1, redacted), begun(0, "c1", "f")},
			`[{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + string(hub.SealAll([]hub.Opaque{claude, redacted})) + `"},{"text":""}]`,
			`[{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + string(hub.SealAll([]hub.Opaque{claude, redacted})) + `"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			sse, array, body := write(c.r, nil, append(c.events, ended(hub.ReasonStop))...)
			sameJSON(t, partsOf(t, chunksOf(t, sse)...), c.streamed)
			sameJSON(t, partsOf(t, body), c.full)
			var elements []json.RawMessage
			if err := json.Unmarshal([]byte(array), &elements); err != nil {
				t.Fatalf("%s: %v", array, err)
			}
			chunks := []string{}
			for _, e := range elements {
				chunks = append(chunks, string(e))
			}
			sameJSON(t, partsOf(t, chunks...), c.streamed)
		})
	}
}

func TestEncoder_EndsWithReasonAndUsage(t *testing.T) {
	usage := &wire.Usage{Input: 29, CacheRead: 71, CacheCreation: 3, Output: 50, Reasoning: 20, Present: true}
	sse, _, body := write(&hub.Request{}, usage, delta(hub.PartText, 0, "a"), ended(hub.ReasonLength))
	end := `"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":103,"candidatesTokenCount":30,"totalTokenCount":153,"cachedContentTokenCount":71,"thoughtsTokenCount":20},"modelVersion":"acme \"gem\"","responseId":"a1b2"}`
	chunks := chunksOf(t, sse)
	if len(chunks) != 2 || strings.Contains(chunks[0], "finishReason") || strings.Contains(chunks[0], "usageMetadata") {
		t.Errorf("got %q", chunks)
	}
	sameJSON(t, chunks[1], `{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},`+end)
	sameJSON(t, body, `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},`+end)
}

func TestEncoder_IsReadByTheCodec(t *testing.T) {
	usage := &wire.Usage{Input: 29, CacheRead: 71, Output: 50, Reasoning: 20, ServerToolUseInput: 4, Present: true}
	sse, array, body := write(thoughtful, usage, delta(hub.PartReasoning, 0, "Hm"), delta(hub.PartText, 0, "a"), begun(0, "c1", "f"), ended(hub.ReasonStop))
	want := wire.Tap{Reason: "STOP", Usage: *usage}
	for name, p := range map[string]struct {
		codec  wire.Codec
		stream string
	}{"events": {gemini.Codec{}, sse}, "array": {gemini.Array{}, array}} {
		var tap wire.Tap
		if o := wiretest.Play(t, p.codec, &tap, p.stream); o.Broken || !tap.Finished() || tap.Usage != want.Usage || tap.Reason != "STOP" {
			t.Errorf("%s: broken %v, tap %+v", name, o.Broken, tap)
		}
	}
	var tap wire.Tap
	if kind := (gemini.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.Usage != want.Usage || tap.NoChoices {
		t.Errorf("kind %d, tap %+v", kind, tap)
	}
}

func TestEncoder_TellsReasonsInGooglesWords(t *testing.T) {
	for reason, want := range map[hub.Reason]string{
		hub.ReasonUnknown: "STOP", hub.ReasonStop: "STOP", hub.ReasonStopSequence: "STOP", hub.ReasonCalls: "STOP", hub.ReasonLength: "MAX_TOKENS",
		hub.ReasonFilter: "SAFETY", hub.ReasonRefusal: "SAFETY", hub.ReasonPause: "MAX_TOKENS",
	} {
		if sse, _, body := write(&hub.Request{}, nil, ended(reason)); !strings.Contains(sse, `"finishReason":"`+want+`"`) || !strings.Contains(body, `"finishReason":"`+want+`"`) || strings.Contains(sse+body, "usageMetadata") {
			t.Errorf("%d: %s %s", reason, sse, body)
		}
	}
}

func TestEncoder_OfAnArrayCanBeEndedByAnError(t *testing.T) {
	enc := gemini.HubArray{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "a"})
	body := enc.Append(nil, hub.Event{Kind: hub.EventStart})
	if len(body) > 0 {
		t.Fatalf("the array begins before its first element: %s", body)
	}
	body = enc.Append(body, delta(hub.PartText, 0, "a"))
	body = gemini.Array{}.AppendErrorEvent(body, wire.NewError(wire.CodeUpstreamUnavailable, "it broke"))
	var elements []struct {
		Candidates []json.RawMessage
		Error      struct{ Message string }
	}
	if err := json.Unmarshal(body, &elements); err != nil || len(elements) != 2 || elements[1].Error.Message != "it broke" {
		t.Errorf("%s: %v", body, err)
	}
}

func TestEncoder_WritesEventsThatEndInTwoLFs(t *testing.T) {
	sse, _, _ := write(&hub.Request{}, nil, delta(hub.PartText, 0, "a"), ended(hub.ReasonStop))
	if strings.Count(sse, "\n\n") != 2 || strings.Count(sse, "\n") != 4 || strings.Contains(sse, "\r") || !strings.HasPrefix(sse, "data: {") {
		t.Errorf("got %q", sse)
	}
}

// TestHub_ComesBackAsItWentOut holds what a caller is told against what Relay
// understands when the caller says it again.
func TestHub_ComesBackAsItWentOut(t *testing.T) {
	events := []hub.Event{delta(hub.PartReasoning, 0, "H"), delta(hub.PartReasoning, 0, "m"), opaque(hub.PartReasoning, 0, claude), delta(hub.PartText, 0, "Let me "), delta(hub.PartText, 0, "look."), begun(0, "c1", "f"), delta(hub.PartCall, 0, `{"a":1}`), begun(1, "c2", "g"), ended(hub.ReasonCalls)}
	want := "user [q]\nthink Hm <anthropic/anthropic 0  SIG==>\nmodel [Let me look.]\ncall c1 f({\"a\":1})\ncall c2 g({})\nresult c1 f: [ok]\n"
	sse, array, body := write(thoughtful, nil, events...)
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(array), &elements); err != nil {
		t.Fatal(err)
	}
	inArray := []string{}
	for _, e := range elements {
		inArray = append(inArray, string(e))
	}
	for how, chunks := range map[string][]string{"stream": chunksOf(t, sse), "array": inArray, "whole": {body}} {
		answer := partsOf(t, chunks...)
		request := decode(t, `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":`+answer+`},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]}]}`)
		if diff := cmp.Diff(want, told(request.Items)); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
}

// TestHub_KeepsTheSignatureOfACall is the tool loop of a Gemini host whose caller
// keeps what it was told, or does not.
func TestHub_KeepsTheSignatureOfACall(t *testing.T) {
	a := answered(t, &hub.Request{}, streamOf(chunkOf(`{"functionCall": {"name": "f","args": {}},"thoughtSignature": "GS=="},{"functionCall": {"name": "f","args": {}}}`, "STOP")), 1)
	items := append([]hub.Item{user("q")}, a.Items...)
	body := encode(t, &hub.Request{Items: items}, target)
	sameJSON(t, body, `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"call_ID_1","name":"f","args":{}},"thoughtSignature":"GS=="},{"functionCall":{"id":"call_ID_2","name":"f","args":{}}}]}]}`)
	items[1].Opaque = hub.Opaque{}
	body = encode(t, &hub.Request{Items: items}, target)
	if strings.Count(body, "thoughtSignature") != 1 || !strings.Contains(body, `"thoughtSignature":"skip_thought_signature_validator"`) {
		t.Errorf("got %s", body)
	}
}
