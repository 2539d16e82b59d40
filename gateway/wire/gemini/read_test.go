package gemini_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/wiretest"
)

// Chunks as the API streams them: without a terminal event, usage on each.
const (
	textData   = `{"candidates": [{"content": {"parts": [{"text": "hi"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 12,"totalTokenCount": 12,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 12}]},"modelVersion": "acme-gem","responseId": "r"}`
	finishData = `{"candidates": [{"content": {"parts": [{"text": "!"}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 12,"candidatesTokenCount": 7,"thoughtsTokenCount": 30,"totalTokenCount": 49,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 12}]},"modelVersion": "acme-gem","responseId": "r"}`
	textChunk  = "data: " + textData + "\n\n"
	finish     = "data: " + finishData + "\n\n"
)

// finished is what a tap holds after finish.
func finished() wire.Tap {
	want := wire.Tap{Usage: wire.Usage{Input: 12, Output: 37, Reasoning: 30, Present: true}}
	want.Finish(0, "STOP")
	return want
}

func play(t *testing.T, tap *wire.Tap, stream string) *wiretest.Outcome {
	t.Helper()
	return wiretest.Play(t, gemini.Codec{}, tap, stream)
}

// inArray writes chunks as an array.
func inArray(chunks ...string) string { return "[" + strings.Join(chunks, "\n,\n") + "\n]" }

func playArray(t *testing.T, tap *wire.Tap, chunks ...string) *wiretest.Outcome {
	t.Helper()
	return wiretest.Play(t, gemini.Array{}, tap, inArray(chunks...))
}

func TestReadEvent_TakesTheLargestOfEveryCount(t *testing.T) {
	late := strings.NewReplacer(`"candidatesTokenCount": 7`, `"candidatesTokenCount": 3`, `"promptTokenCount": 12`, `"promptTokenCount": 9,"cachedContentTokenCount": 4`).Replace(finishData)
	want := finished()
	want.Usage.Input, want.Usage.CacheRead = 8, 4
	var events, elements wire.Tap
	kinds := play(t, &events, textChunk+finish+"data: "+late+"\n\n").Kinds
	if !slices.Equal(kinds, []wire.Kind{wire.Content, wire.Content, wire.Content}) || events != want {
		t.Errorf("kinds %v, got %+v", kinds, events)
	}
	kinds = playArray(t, &elements, textData, finishData, late).Kinds
	want.Done = true
	if !slices.Equal(kinds, []wire.Kind{wire.Content, wire.Content, wire.Content, wire.Terminal}) || elements != want {
		t.Errorf("kinds %v, got %+v", kinds, elements)
	}
}

func TestComplete_WantsAFinishReasonOfEveryCandidate(t *testing.T) {
	second := strings.Replace(finish, `"index": 0`, `"index": 1`, 1)
	both := `data: {"candidates":[{"index":1,"finishReason":"STOP"},{"finishReason":"MAX_TOKENS","index":0}]}` + "\n\n"
	blocked := `data: {"promptFeedback": {"blockReason": "SAFETY"},"usageMetadata": {"promptTokenCount": 4}}` + "\n\n"
	for _, c := range []struct {
		choices int
		stream  string
		want    bool
	}{
		{0, "", false}, {0, textChunk, false}, {0, textChunk + finish, true}, {1, finish + textChunk, true},
		{2, textChunk + finish, false}, {2, finish + finish, false}, {2, finish + second, true}, {2, both, true}, {3, both, false},
		{0, blocked, true}, {8, blocked, true}, {64, blocked, true}, {0, strings.Replace(blocked, "SAFETY", "BLOCK_REASON_UNSPECIFIED", 1), false},
		{0, strings.Replace(finish, `"STOP"`, `""`, 1), false}, {0, strings.Replace(finish, `"STOP"`, `null`, 1), false},
		{0, strings.Replace(finish, `"STOP"`, `"FINISH_REASON_UNSPECIFIED"`, 1), false},
		{0, `data: {"candidates":[{"finishReason":"SAFETY"}]}` + "\n\n", true},
	} {
		tap := wire.Tap{Choices: c.choices}
		if o := play(t, &tap, c.stream); o.Broken == c.want {
			t.Errorf("%d candidates, %q: complete %v", c.choices, c.stream, !o.Broken)
		}
	}
}

func TestReadEvent_KeepsTheReasonInTheUpstreamsWord(t *testing.T) {
	for _, reason := range []string{"STOP", "MAX_TOKENS", "SAFETY", "IMAGE_PROHIBITED_CONTENT", "A_NEW_ONE"} {
		var tap wire.Tap
		if play(t, &tap, strings.Replace(finish, "STOP", reason, 1)); tap.Reason != reason {
			t.Errorf("%s became %q", reason, tap.Reason)
		}
	}
	var tap wire.Tap
	if play(t, &tap, `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`+"\n\n"); tap.Reason != "PROHIBITED_CONTENT" {
		t.Errorf("a block became %q", tap.Reason)
	}
}

// limited is an error as the API tells it.
const limited = `{
  "error": {
    "code": 429,
    "message": "You exceeded your current quota, please check your plan and billing details.",
    "status": "RESOURCE_EXHAUSTED",
    "details": [
      {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaMetric": "m", "quotaId": "GenerateRequestsPerMinute"}]},
      {"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": "d", "url": "u"}]},
      {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}
    ]
  }
}`

var failures = map[string]wire.Failure{
	limited: {
		Status: 429, Code: "RESOURCE_EXHAUSTED", RetryAfter: 17 * time.Second,
		Message: "You exceeded your current quota, please check your plan and billing details.",
	},
	`[` + limited + `]`: {
		Status: 429, Code: "RESOURCE_EXHAUSTED", RetryAfter: 17 * time.Second,
		Message: "You exceeded your current quota, please check your plan and billing details.",
	},
	`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`:                 {Status: 503, Code: "UNAVAILABLE", Message: "m"},
	`{"error":{"message":"m","status":"DEADLINE_EXCEEDED"}}`:                      {Status: 504, Code: "DEADLINE_EXCEEDED", Message: "m"},
	`{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"},"x":[]}`:     {Status: 400, Code: "INVALID_ARGUMENT", Message: "m"},
	`{"candidates":[{"finishReason":"STOP"}],"error":{"code":500,"message":"m"}}`: {Status: 500, Message: "m"},
	`{"error":"text"}`: {Status: 500, Message: "text"},
}

func TestReadEvent_RecognisesErrorsInsideAStream(t *testing.T) {
	for document, want := range failures {
		line := strings.ReplaceAll(document, "\n", "")
		for form, o := range map[string]func(*wire.Tap) *wiretest.Outcome{
			"an event": func(tap *wire.Tap) *wiretest.Outcome { return play(t, tap, textChunk+"data: "+line+"\n\n") },
			"its lines": func(tap *wire.Tap) *wiretest.Outcome {
				return play(t, tap, textChunk+"data: "+strings.ReplaceAll(document, "\n", "\ndata: ")+"\n\n")
			},
			"bare": func(tap *wire.Tap) *wiretest.Outcome { return play(t, tap, textChunk+document+"\n") },
			"bare, CRLF": func(tap *wire.Tap) *wiretest.Outcome {
				return play(t, tap, strings.ReplaceAll(textChunk+document+"\n\n", "\n", "\r\n"))
			},
			"an element": func(tap *wire.Tap) *wiretest.Outcome { return playArray(t, tap, textData, document) },
		} {
			var tap wire.Tap
			got := o(&tap)
			if !slices.Equal(got.Kinds, []wire.Kind{wire.Content, wire.Failed}) || !got.Broken || tap.Failure != want {
				t.Errorf("%s %.60s: kinds %v, failure %+v", form, document, got.Kinds, tap.Failure)
			}
		}
	}
}

func TestReadEvent_RecognisesAnErrorThatBeginsAStream(t *testing.T) {
	for body, codec := range map[string]wire.Codec{
		"data: {\"error\":{\"code\":429}}\n\n": gemini.Codec{}, limited: gemini.Codec{}, "[" + limited + "]": gemini.Array{}, limited + "\n": gemini.Array{},
		"event: error\ndata: it broke\n\n": gemini.Codec{},
	} {
		var tap wire.Tap
		if o := wiretest.Play(t, codec, &tap, body); o.Kinds[0] != wire.Failed || tap.Failure.Status < 429 {
			t.Errorf("%.40q: kinds %v, failure %+v", body, o.Kinds, tap.Failure)
		}
	}
}

func TestReadEvent_TakesOddChunksAsTheyAre(t *testing.T) {
	for _, data := range []string{
		`{}`, `[]`, `1`, `null`, `{"candidates":null}`, `{"candidates":[]}`, `{"candidates":[null,1,{}]}`, `{"candidates":{"finishReason":"STOP"}}`, `{"usageMetadata":[]}`,
		`{"error":null}`, `{"error":{}}`, `{"error":""}`, `{"promptFeedback":{}}`, `{"promptFeedback":"blockReason"}`, `{"candidates":[{"error":{"code":500}}]}`, `[{"candidates":[]}]`,
		`{"candidates":[{"content":{"parts":[{"text":"\"finishReason\":\"STOP\",\"usageMetadata\":{\"promptTokenCount\":1},\"error\":{\"code\":5}"}],"finishReason":"STOP","usageMetadata":{"promptTokenCount":1}}}]}`,
	} {
		var tap, element wire.Tap
		kinds := play(t, &tap, "data: "+data+"\n\n").Kinds
		if !slices.Equal(kinds, []wire.Kind{wire.Content}) || tap != (wire.Tap{}) {
			t.Errorf("%s: kinds %v, tap %+v", data, kinds, tap)
		}
		if playArray(t, &element, data); element != (wire.Tap{Done: true}) {
			t.Errorf("%s in an array: tap %+v", data, element)
		}
	}
}

func TestReadEvent_IsSilentForWhatIsNoChunk(t *testing.T) {
	for _, block := range []string{": c\n\n", "\n\n", "\r\n\r\n", "id: 7\n\n", "{\n  \"a\": 1\n}\n\n", "[]\n\n", "{\"error\":\n\n"} {
		var tap wire.Tap
		if kinds := play(t, &tap, block+textChunk).Kinds; !slices.Equal(kinds, []wire.Kind{wire.Content}) {
			t.Errorf("%q: kinds %v", block, kinds)
		}
	}
}

func TestReadEvent_LeavesOutWhatAStreamBrokeOffIn(t *testing.T) {
	var events, elements wire.Tap
	if o := play(t, &events, textChunk+"data: {\"candidates\": [{"); !o.Broken || o.Before != textChunk {
		t.Errorf("sent %q, broken %v", o.Before, o.Broken)
	}
	for _, rest := range []string{"", "\n,\n", "\n,\n{\"candidates\": [{", `,{"a":"]`} {
		o := wiretest.Play(t, gemini.Array{}, &elements, "["+textData+rest)
		if !o.Broken || o.Before != "["+textData {
			t.Errorf("%q: sent %q, broken %v", rest, o.Before, o.Broken)
		}
	}
}

func TestArray_ThatLacksItsBracketIsClosedWhenItIsComplete(t *testing.T) {
	for _, rest := range []string{"", "\n", "\n,\n", ",\n{\"candidates\""} {
		var tap wire.Tap
		o := wiretest.Play(t, gemini.Array{}, &tap, "["+textData+","+finishData+rest)
		if want := "[" + textData + "," + finishData + "\n]"; o.Broken || o.Sent() != want {
			t.Errorf("%q: broken %v, sent %q", rest, o.Broken, o.Sent())
		}
	}
}

func TestArray_TakesItsOwnBracketForTheEnd(t *testing.T) {
	for _, body := range []string{"[]", "[" + textData + "]", "[" + textData + "\r\n]\r\n", " [ ] "} {
		var tap wire.Tap
		o := wiretest.Play(t, gemini.Array{}, &tap, body)
		if want := strings.TrimRight(body, " \r\n"); o.Broken || !tap.Done || o.Sent() != want || !strings.HasSuffix(o.After, "]") {
			t.Errorf("%q: broken %v, sent %q and %q", body, o.Broken, o.Before, o.After)
		}
	}
}

var benched = map[string]string{"text": textData, "finish": finishData, "blocked": `{"promptFeedback":{"blockReason":"SAFETY"}}`}

func TestReadEvent_DoesNotAllocate(t *testing.T) {
	for name, data := range benched {
		var tap wire.Tap
		e := wire.Event{HasData: true, Data: []byte(data), Raw: []byte(data)}
		if n := testing.AllocsPerRun(100, func() { gemini.Codec{}.ReadEvent(&tap, &e); gemini.Array{}.ReadEvent(&tap, &e) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	for name, data := range benched {
		b.Run(name, func(b *testing.B) {
			var tap wire.Tap
			e := wire.Event{HasData: true, Data: []byte(data), Raw: []byte(data)}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				gemini.Codec{}.ReadEvent(&tap, &e)
			}
		})
	}
}
