package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/wiretest"
)

const (
	textDelta  = `data: {"id":"cmpl-1","object":"text_completion","choices":[{"text":"hi \"usage\":{\"prompt_tokens\":9} 雨","index":0,"logprobs":null,"finish_reason":null}]}` + "\n\n"
	textFinish = `data: {"id":"cmpl-1","object":"text_completion","choices":[{"text":"","index":0,"logprobs":null,"finish_reason":"stop"}],"usage":null}` + "\n\n"
)

func TestCompletions_StreamPassesEveryByteButTheUsageChunk(t *testing.T) {
	p := wiretest.Pass{Codec: chat.Completions{}, Stream: textDelta + textFinish + "data: " + report + "\n\n" + done, LeftOut: report, End: "[DONE]", Want: passed()}
	p.Check(t)
}

func TestCompletions_StreamPassesLongTexts(t *testing.T) {
	text := strings.Repeat(`long \"usage\":{\"prompt_tokens\":9} `, 8_000)
	long := `data: {"id":"c","choices":[{"text":"` + text + `","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":7}}` + "\n\n"
	p := wiretest.Pass{Codec: chat.Completions{}, Stream: textDelta + long + done, End: "[DONE]", Want: passed()}
	p.CheckLong(t)
}

func TestCompletions_AskForUsageAndReadIt(t *testing.T) {
	body := []byte(`{"model":"m","prompt":"p","stream":true}`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	edit, asks := chat.Completions{}.AskUsage(body, &m)
	if want := `{"model":"m","prompt":"p","stream":true,"stream_options":{"include_usage":true}}`; !asks || string(wire.Splice(nil, body, edit)) != want {
		t.Errorf("asks %v with %+v", asks, edit)
	}
	var tap wire.Tap
	answer := `{"object":"text_completion","choices":[{"text":"hi","index":0,"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`
	if kind := (chat.Completions{}).ReadAnswer(&tap, []byte(answer)); kind != wire.Content || tap.Usage != (wire.Usage{Input: 5, Output: 7, Present: true}) || tap.Reason != "length" {
		t.Errorf("kind %d, tap %+v", kind, tap)
	}
}

func TestRerank_ReadsUsageOfEveryKindOfServer(t *testing.T) {
	for body, want := range map[string]wire.Usage{
		`{"results":[{"index":0,"relevance_score":0.9}],"usage":{"total_tokens":15}}`:                                                {Input: 15, Present: true},
		`{"results":[{"index":0}],"usage":{"prompt_tokens":15,"total_tokens":15}}`:                                                   {Input: 15, Present: true},
		`{"data":[{"index":0}],"usage":{"total_tokens":15}}`:                                                                         {Input: 15, Present: true},
		`{"results":[{}],"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}}`:                                  {Present: true},
		`{"results":[{}],"meta":{"tokens":{"input_tokens":7,"output_tokens":0},"billed_units":{"input_tokens":9,"search_units":1}}}`: {Input: 7, Present: true},
		`{"results":[{}],"meta":{"billed_units":{"input_tokens":9}}}`:                                                                {Input: 9, Present: true},
		`{"results":[{}],"meta":{"tokens":{"input_tokens":-1}}}`:                                                                     {Present: true, Flagged: true},
		`{"results":[{"usage":{"total_tokens":9},"document":{"text":"\"usage\":{\"total_tokens\":9}"}}]}`:                            {},
		`{"results":[{}],"meta":{}}`: {}, `{"results":[{}],"meta":null,"usage":null}`: {}, `[{"index":0,"score":0.9}]`: {},
	} {
		var tap wire.Tap
		if kind := (chat.Rerank{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.Usage != want || tap.NoChoices || !tap.Done {
			t.Errorf("%s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestModerations_MissNoUsage(t *testing.T) {
	for body, want := range map[string]wire.Usage{
		`{"id":"modr-1","model":"m","results":[{"flagged":false,"categories":{"harassment":false}}]}`: {Present: true},
		`{"results":[{}],"usage":{"prompt_tokens":7,"total_tokens":7,"completion_tokens":0}}`:         {Input: 7, Present: true},
	} {
		var tap wire.Tap
		if kind := (chat.Moderations{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.Usage != want || tap.NoChoices || !tap.Done {
			t.Errorf("%s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestRerankAndModerations_TellErrorsAndWhatIsNoAnswerApart(t *testing.T) {
	for _, codec := range []wire.Codec{chat.Rerank{}, chat.Moderations{}} {
		for body, want := range map[string]wire.Kind{
			`{"error":{"message":"m","code":429}}`: wire.Failed, `{"results":[],"error":"m"}`: wire.Failed, `[{"error":{"code":503}}]`: wire.Failed, `{"object":"error","message":"m"}`: wire.Failed,
			"": wire.Invalid, "<html>": wire.Invalid, `"ok"`: wire.Invalid, `null`: wire.Invalid, `{"results":[`: wire.Invalid, `{"results":[]} x`: wire.Invalid,
		} {
			var tap wire.Tap
			if kind := codec.ReadAnswer(&tap, []byte(body)); kind != want {
				t.Errorf("%T %s: kind %d, want %d", codec, body, kind, want)
			}
		}
		for _, body := range []string{`{}`, `{"results":[]}`, `{"results":null,"error":null}`} {
			var tap wire.Tap
			if kind := codec.ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.NoChoices {
				t.Errorf("%T %s: kind %d, flagged %v", codec, body, kind, tap.NoChoices)
			}
		}
		if _, asks := codec.AskUsage(nil, nil); asks || !codec.WantsUsage(nil, nil) || codec.Framing(wire.ContentTypeEvent) != wire.FramingNone || codec.Shape() != "openai" {
			t.Errorf("%T: usage must be asked for, or it is streamed", codec)
		}
	}
}

func FuzzReadOtherAnswers(f *testing.F) {
	f.Add([]byte(`{"results":[{}],"usage":{"total_tokens":15},"meta":{"tokens":{"input_tokens":7},"billed_units":{"input_tokens":9,"search_units":1}}}`))
	f.Add([]byte(`[{"error":{"code":503}}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, codec := range []wire.Codec{chat.Completions{}, chat.Rerank{}, chat.Moderations{}} {
			var tap wire.Tap
			codec.ReadAnswer(&tap, body)
			wiretest.CheckUsage(t, tap.Usage)
		}
	})
}
