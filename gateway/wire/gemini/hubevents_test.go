package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

// answered reads a stream of a host, in reads of a few bytes, into an answer.
func answered(t *testing.T, r *hub.Request, stream string, atOnce int) *hub.Answer {
	t.Helper()
	var a hub.Answer
	s := hub.NewSequence(&a, "ID")
	d := gemini.Hub{}.Decoder(r, "google")
	splitEvents(t, stream, atOnce, func(e *wire.Event) {
		if err := d.Event(e, s); err != nil {
			t.Fatal(err)
		}
	})
	s.Finish(nil)
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return &a
}

func splitEvents(t *testing.T, stream string, atOnce int, take func(e *wire.Event)) {
	t.Helper()
	var s wire.Splitter
	var e wire.Event
	s.Frame(wire.FramingEvents)
	s.HoldWhole()
	for rest := stream; ; {
		n := copy(s.Space(), rest[:min(atOnce, len(rest))])
		rest = rest[n:]
		if s.Filled(n); n == 0 {
			s.End()
		}
		for s.Next(&e) {
			take(&e)
		}
		if n == 0 {
			return
		}
	}
}

// whole reads a whole answer of a host.
func whole(t *testing.T, r *hub.Request, body string) *hub.Answer {
	t.Helper()
	var a hub.Answer
	s := hub.NewSequence(&a, "ID")
	if err := (gemini.Hub{}).Decoder(r, "google").Answer([]byte(body), s); err != nil {
		t.Fatal(err)
	}
	s.Finish(nil)
	return &a
}

// chunkOf is a chunk with parts, and with a reason if there is one.
func chunkOf(parts, reason string) string {
	if reason != "" {
		reason = `,"finishReason": "` + reason + `"`
	}
	return `{"candidates": [{"content": {"parts": [` + parts + `],"role": "model"}` + reason + `,"index": 0}],"modelVersion": "acme-gem"}`
}

func streamOf(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n"
}

func TestDecoder_ReadsAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		chunks []string
		want   string
		reason hub.Reason
	}{
		"text": {[]string{chunkOf(`{"text": "Hel"}`, ""), chunkOf(`{"text": "lo \u00e9\ud83d"},{"text": "\ude00"}`, ""), chunkOf(`{"text": ""}`, "STOP")}, "model [Hello é😀]\n", hub.ReasonStop},
		"thoughts, then text": {[]string{chunkOf(`{"text": "Hm","thought": true}`, ""), chunkOf(`{"thought": true,"text": "m."}`, ""), chunkOf(`{"text": "Yes"}`, "STOP")},
			"think Hmm.\nmodel [Yes]\n", hub.ReasonStop},
		"a signature on a text":        {[]string{chunkOf(`{"text": "a","thoughtSignature": "U0lH"}`, ""), chunkOf(`{"text": "b"}`, "STOP")}, "model [ab <gemini/google 0  U0lH>]\n", hub.ReasonStop},
		"a signature at the end":       {[]string{chunkOf(`{"text": "a"}`, ""), chunkOf(`{"text": "","thoughtSignature": "U0lH"}`, "STOP")}, "model [a <gemini/google 0  U0lH>]\n", hub.ReasonStop},
		"a signature behind a thought": {[]string{chunkOf(`{"text": "Hm","thought": true}`, ""), chunkOf(`{"text": "","thoughtSignature": "U0lH"}`, "STOP")}, "think Hm <gemini/google 0  U0lH>\n", hub.ReasonStop},
		"a signature alone":            {[]string{chunkOf(`{"text": "","thoughtSignature": "U0lH"}`, "STOP")}, "think  <gemini/google 0  U0lH>\n", hub.ReasonStop},
		"a call in one chunk":          {[]string{chunkOf(`{"functionCall": {"name": "add_numbers","args": {"a": 17, "b": 25}}}`, "STOP")}, "call call_ID_1 add_numbers({\"a\": 17, \"b\": 25})\n", hub.ReasonCalls},
		"parallel calls, the first signed": {[]string{chunkOf(`{"text": "Hm.","thought": true}`, ""), chunkOf(`{"functionCall": {"id": "x","name": "f","args": {"q": "\"<é>\n"}},"thoughtSignature": "U0lH"},{"functionCall": {"name": "f"}}`, ""), chunkOf(`{"functionCall": {"name": "f","args": {}}}`, ""), chunkOf(`{"text": ""}`, "STOP")},
			"think Hm.\ncall x f({\"q\": \"\\\"<é>\\n\"}) <gemini/google 0 x U0lH>\ncall call_ID_2 f({})\ncall call_ID_3 f({})\n", hub.ReasonCalls},
		"a call without an id, signed": {[]string{chunkOf(`{"functionCall": {"name": "f"},"thoughtSignature": "U0lH"}`, "STOP")}, "call call_ID_1 f({}) <gemini/google 0  U0lH>\n", hub.ReasonCalls},
		"a text behind a call":         {[]string{chunkOf(`{"functionCall": {"name": "f"}},{"text": "Done."}`, "STOP")}, "call call_ID_1 f({})\nmodel [Done.]\n", hub.ReasonCalls},
		"a picture":                    {[]string{chunkOf(`{"text": "See"},{"inlineData": {"mimeType": "image/png","data": "QUJD"}},{"text": "that"}`, "STOP")}, "model [See]\nmodel image[image/png QUJD]\nmodel [that]\n", hub.ReasonStop},
		"a sound":                      {[]string{chunkOf(`{"inlineData": {"mimeType": "audio/wav","data": "QU-_"}}`, "STOP")}, "model audio[audio/wav QU+/]\n", hub.ReasonStop},
		"what cannot be told":          {[]string{chunkOf(`{"inlineData": {"mimeType": "video/mp4","data": "QUJD"}},{"inlineData": {"mimeType": "image/png","data": "QUJD"},"thought": true},{"executableCode": {"code": "1"}},{"functionCall": {"args": {}}},{},null,3,{"text": null}`, "STOP")}, "", hub.ReasonStop},
		"a limit":                      {[]string{chunkOf(`{"text": "a"}`, "MAX_TOKENS")}, "model [a]\n", hub.ReasonLength},
		"a filter":                     {[]string{chunkOf(`{"text": "a"}`, ""), `{"candidates": [{"finishReason": "SAFETY","index": 0}]}`}, "model [a]\n", hub.ReasonFilter},
		"a prompt that is blocked":     {[]string{`{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},"usageMetadata": {"promptTokenCount": 7}}`}, "", hub.ReasonFilter},
		"usage alone":                  {[]string{chunkOf(`{"text": "a"}`, "STOP"), `{"usageMetadata": {"promptTokenCount": 7},"promptFeedback": {"blockReason": "BLOCK_REASON_UNSPECIFIED"}}`}, "model [a]\n", hub.ReasonStop},
		"reason before content":        {[]string{`{"candidates": [{"finishReason": "STOP","content": {"role": "model","parts": [{"text": "a"}]}}]}`}, "model [a]\n", hub.ReasonStop},
		"a second candidate":           {[]string{`{"candidates": [{"content": {"parts": [{"text": "a"}]},"finishReason": "STOP"},{"index": 1,"content": {"parts": [{"text": "b"}]},"finishReason": "SAFETY"}]}`}, "model [a]\n", hub.ReasonStop},
	} {
		t.Run(name, func(t *testing.T) {
			r := &hub.Request{}
			answers := map[string]*hub.Answer{"whole": whole(t, r, inArray(c.chunks...))}
			for _, atOnce := range []int{1, 7, 1 << 20} {
				answers[fmt.Sprint(atOnce, " bytes")] = answered(t, r, streamOf(c.chunks...), atOnce)
			}
			for how, a := range answers {
				if diff := cmp.Diff(c.want, told(a.Items)); diff != "" || a.Reason != c.reason {
					t.Errorf("%s: reason %d\n%s", how, a.Reason, diff)
				}
			}
		})
	}
}

func TestDecoder_KnowsEveryReason(t *testing.T) {
	for reason, want := range map[string]hub.Reason{
		"STOP": hub.ReasonStop, "FINISH_REASON_UNSPECIFIED": hub.ReasonStop, "MAX_TOKENS": hub.ReasonLength, "SAFETY": hub.ReasonFilter,
		"RECITATION": hub.ReasonFilter, "LANGUAGE": hub.ReasonFilter, "OTHER": hub.ReasonFilter, "BLOCKLIST": hub.ReasonFilter,
		"PROHIBITED_CONTENT": hub.ReasonFilter, "SPII": hub.ReasonFilter, "IMAGE_SAFETY": hub.ReasonFilter, "MODEL_ARMOR": hub.ReasonFilter,
		"MALFORMED_FUNCTION_CALL": hub.ReasonLength, "UNEXPECTED_TOOL_CALL": hub.ReasonLength, "TOO_MANY_TOOL_CALLS": hub.ReasonLength,
		"CONTINUATION": hub.ReasonLength, "SOMETHING_NEW": hub.ReasonLength,
	} {
		if a := whole(t, &hub.Request{}, chunkOf(`{"text":"a"}`, reason)); a.Reason != want {
			t.Errorf("%s: %d, want %d", reason, a.Reason, want)
		}
	}
}

func TestDecoder_FindsTheToolOfACall(t *testing.T) {
	r := &hub.Request{Tools: []hub.Tool{{Kind: hub.ToolCustom, Name: hub.Text("patch")}, {Name: hub.Text("find"), Namespace: hub.Text("mcp__fs")}}}
	a := whole(t, r, chunkOf(`{"functionCall":{"id":"1","name":"patch","args":{"input":"a\n\"b\""}}},{"functionCall":{"id":"2","name":"mcp__fs__find","args":{}}}`, "STOP"))
	if c := a.Items[0]; !c.Call.Custom || string(c.Arguments) != `a\n\"b\"` {
		t.Errorf("got %+v", c)
	}
	if c := a.Items[1]; string(c.Call.Name) != "find" || string(c.Call.Namespace) != "mcp__fs" {
		t.Errorf("got %+v", c)
	}
}

func TestDecoder_ReadsOnWhatIsNoContent(t *testing.T) {
	d := gemini.Hub{}.Decoder(&hub.Request{}, "")
	var a hub.Answer
	for _, e := range []wire.Event{{Raw: []byte(": comment\n")}, {HasData: true, Data: []byte("[DONE]")}, {HasData: true, Data: []byte("{}")}, {HasData: true, Data: []byte(`{"candidates":[]}`)}} {
		if err := d.Event(&e, &a); err != nil || len(a.Items) > 0 {
			t.Errorf("%s: %v, %d items", e.Data, err, len(a.Items))
		}
	}
}

func TestDecoder_RefusesWhatIsNoJSON(t *testing.T) {
	for _, data := range []string{`{"candidates":[{"content":{"parts":[{"text":"a"}`, `<html>`, `{} {}`, ``} {
		d := gemini.Hub{}.Decoder(&hub.Request{}, "")
		if err := d.Event(&wire.Event{HasData: true, Data: []byte(data)}, hub.NewSequence(&hub.Answer{}, "ID")); err == nil || !strings.HasPrefix(err.Error(), "holds ") {
			t.Errorf("%s: %v", data, err)
		}
	}
}
