package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
)

func answer(text, usage string) string {
	return `{"candidates": [{"content": {"parts": [{"text": "` + text + `"}],"role": "model"},"finishReason": "STOP","index": 0,` +
		`"safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT","probability": "NEGLIGIBLE"}]}],"usageMetadata": ` + usage + `,"modelVersion": "acme-gem"}`
}

func TestReadAnswer_ReadsUsageAndReason(t *testing.T) {
	var tap wire.Tap
	kind := gemini.Codec{}.ReadAnswer(&tap, []byte(answer("hi", `{"promptTokenCount": 9,"candidatesTokenCount": 3,"totalTokenCount": 12}`)))
	if want := (wire.Usage{Input: 9, Output: 3, Present: true}); kind != wire.Content || tap.Usage != want {
		t.Errorf("kind %d, usage %+v", kind, tap.Usage)
	}
	if tap.Reason != "STOP" || tap.NoChoices || !tap.Finished() || !tap.Done {
		t.Errorf("got %+v", tap)
	}
}

func TestReadAnswer_TakesABlockedPromptForAWholeAnswer(t *testing.T) {
	var tap wire.Tap
	kind := gemini.Codec{}.ReadAnswer(&tap, []byte(`{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},"usageMetadata": {"promptTokenCount": 7,"totalTokenCount": 7}}`))
	if kind != wire.Content || tap.Reason != "PROHIBITED_CONTENT" || tap.NoChoices || tap.Usage.Input != 7 {
		t.Errorf("kind %d, got %+v", kind, tap)
	}
}

func TestReadAnswer_FlagsAnAnswerWithoutCandidates(t *testing.T) {
	for _, body := range []string{`{}`, `{"candidates":[]}`, `{"candidates":null}`, `{"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}}`, `{"usageMetadata":{"promptTokenCount":1}}`} {
		var tap wire.Tap
		if kind := (gemini.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.NoChoices {
			t.Errorf("%s: kind %d, flagged %v", body, kind, tap.NoChoices)
		}
	}
}

func TestReadAnswer_TellsAnErrorFromAnAnswer(t *testing.T) {
	for body, want := range failures {
		for name, codec := range map[string]wire.Codec{"content": gemini.Codec{}, "array": gemini.Array{}, "embeddings": gemini.Embeddings{}, "counting": gemini.Counting{}} {
			var tap wire.Tap
			if kind := codec.ReadAnswer(&tap, []byte(body)); kind != wire.Failed || tap.Failure != want {
				t.Errorf("%s %.60s: kind %d, failure %+v", name, body, kind, tap.Failure)
			}
		}
	}
}

func TestReadAnswer_ClassesErrorsByTheirCode(t *testing.T) {
	for body, want := range map[string]wire.Class{
		limited: wire.ClassRateLimit, "[" + limited + "]": wire.ClassRateLimit,
		`{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`:                                                             wire.ClassServer,
		`{"error":{"code":503,"status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}`: wire.ClassOverloaded,
		`{"error":{"code":500,"message":"internal","status":"INTERNAL"}}`:                                                                  wire.ClassServer,
		`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}]}}`: wire.ClassAuth,
		`{"error":{"code":400,"message":"Invalid value at 'contents'","status":"INVALID_ARGUMENT"}}`:                                                                               wire.ClassRequest,
		`{"error":{"code":403,"message":"Permission denied: Consumer 'api_key:AB' has been suspended.","status":"PERMISSION_DENIED","details":[{"reason":"CONSUMER_SUSPENDED"}]}}`: wire.ClassAuth,
		`{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}`:                                                                                            wire.ClassRequest,
	} {
		var tap wire.Tap
		if kind := (gemini.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Failed || tap.Failure.Class() != want {
			t.Errorf("%.80s: kind %d, class %d, want %d", body, kind, tap.Failure.Class(), want)
		}
	}
}

func TestReadAnswer_RefusesWhatIsNoAnswer(t *testing.T) {
	for _, body := range []string{"", " \n", "<html>ok</html>", `{"candidates":[`, `"ok"`, `[]`, `[{}]`, `null`, `{} {}`, "data: {}\n\n"} {
		for name, codec := range map[string]wire.Codec{"content": gemini.Codec{}, "embeddings": gemini.Embeddings{}, "counting": gemini.Counting{}} {
			var tap wire.Tap
			if kind := codec.ReadAnswer(&tap, []byte(body)); kind != wire.Invalid || tap != (wire.Tap{}) {
				t.Errorf("%s %q: kind %d", name, body, kind)
			}
		}
	}
}

func TestUsage_KeepsItsClassesApart(t *testing.T) {
	for name, c := range map[string]struct {
		usage string
		want  wire.Usage
	}{
		// The total is the sum of prompt, candidates, tool use and thoughts, as the reference of Google's clients says.
		"plain":             {`{"promptTokenCount":11,"candidatesTokenCount":73,"totalTokenCount":84}`, wire.Usage{Input: 11, Output: 73}},
		"cached":            {`{"promptTokenCount":696219,"cachedContentTokenCount":696190,"candidatesTokenCount":214,"totalTokenCount":696433}`, wire.Usage{Input: 29, CacheRead: 696190, Output: 214}},
		"thoughts":          {`{"promptTokenCount":14,"candidatesTokenCount":1281,"totalTokenCount":2302,"promptTokensDetails":[{"modality":"TEXT","tokenCount":14}],"thoughtsTokenCount":1007}`, wire.Usage{Input: 14, Output: 2288, Reasoning: 1007}},
		"tools":             {`{"promptTokenCount":27,"candidatesTokenCount":45,"thoughtsTokenCount":31,"toolUsePromptTokenCount":10309,"totalTokenCount":10412,"promptTokensDetails":[{"modality":"TEXT","tokenCount":27}],"toolUsePromptTokensDetails":[{"modality":"TEXT","tokenCount":10309}]}`, wire.Usage{Input: 27, Output: 76, Reasoning: 31, ServerToolUseInput: 10309}},
		"audio":             {`{"promptTokenCount":40,"candidatesTokenCount":60,"totalTokenCount":100,"promptTokensDetails":[{"modality":"TEXT","tokenCount":8},{"modality":"AUDIO","tokenCount":32}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":9}],"candidatesTokensDetails":[{"tokenCount":60,"modality":"AUDIO"}]}`, wire.Usage{Input: 40, Output: 60, AudioInput: 32, AudioOutput: 60}},
		"thoughts within":   {`{"promptTokenCount":10,"candidatesTokenCount":50,"thoughtsTokenCount":30,"totalTokenCount":60}`, wire.Usage{Input: 10, Output: 50, Reasoning: 30}},
		"thoughts alone":    {`{"promptTokenCount":10,"thoughtsTokenCount":30,"totalTokenCount":10}`, wire.Usage{Input: 10, Output: 30, Reasoning: 30}},
		"thoughts only":     {`{"thoughtsTokenCount":30}`, wire.Usage{Output: 30, Reasoning: 30}},
		"more cached":       {`{"promptTokenCount":10,"cachedContentTokenCount":11}`, wire.Usage{CacheRead: 10, Flagged: true}},
		"more audio":        {`{"promptTokenCount":10,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":6},{"modality":"AUDIO","tokenCount":6}]}`, wire.Usage{Input: 10, AudioInput: 10, Flagged: true}},
		"odd details":       {`{"promptTokenCount":10,"promptTokensDetails":{"AUDIO":3},"candidatesTokensDetails":[null,{"modality":"AUDIO"},{"tokenCount":2}]}`, wire.Usage{Input: 10}},
		"absurd":            {`{"promptTokenCount":-5,"candidatesTokenCount":1e308,"thoughtsTokenCount":1e308}`, wire.Usage{Output: wire.MaxCount, Reasoning: wire.MaxCount, Flagged: true}},
		"fractions":         {`{"promptTokenCount":1.5,"candidatesTokenCount":2.0}`, wire.Usage{Input: 1, Output: 2, Flagged: true}},
		"text":              {`{"promptTokenCount":7,"candidatesTokenCount":"2"}`, wire.Usage{Input: 7, Flagged: true}},
		"null":              {`{"promptTokenCount":7,"candidatesTokenCount":null,"promptTokensDetails":null}`, wire.Usage{Input: 7}},
		"an escaped name":   {`{"promptToken\u0043ount":7}`, wire.Usage{Input: 7}},
		"a service's words": {`{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9,"trafficType":"ON_DEMAND"}`, wire.Usage{Input: 7, Output: 2}},
	} {
		c.want.Present = true
		var whole, streamed, element wire.Tap
		gemini.Codec{}.ReadAnswer(&whole, []byte(answer("hi", c.usage)))
		play(t, &streamed, "data: "+answer("hi", c.usage)+"\n\n")
		playArray(t, &element, answer("hi", c.usage))
		if whole.Usage != c.want || streamed.Usage != c.want || element.Usage != c.want {
			t.Errorf("%s:\nwhole    %+v\nstreamed %+v\nelement  %+v\nwant     %+v", name, whole.Usage, streamed.Usage, element.Usage, c.want)
		}
	}
}

func TestUsage_WithoutNumbersIsMissing(t *testing.T) {
	for _, usage := range []string{`null`, `{}`, `[]`, `"7"`, `{"trafficType":"ON_DEMAND"}`, `{"promptTokenCount":null}`} {
		var tap wire.Tap
		if (gemini.Codec{}).ReadAnswer(&tap, []byte(answer("hi", usage))); tap.Usage != (wire.Usage{}) {
			t.Errorf("%s: got %+v", usage, tap.Usage)
		}
	}
}

func TestUsage_ToldTwiceCountsOnceAndIsFlagged(t *testing.T) {
	body := `{"candidates":[{}],"usageMetadata":{"promptTokenCount":9},"usageMetadata":{"promptTokenCount":5}}`
	want := wire.Usage{Input: 5, Present: true, Flagged: true}
	var whole, streamed wire.Tap
	gemini.Codec{}.ReadAnswer(&whole, []byte(body))
	if play(t, &streamed, "data: "+body+"\n\n"); whole.Usage != want || streamed.Usage != want {
		t.Errorf("whole %+v, streamed %+v", whole.Usage, streamed.Usage)
	}
}

func TestEmbeddings_ReportUsageWhereTheAnswerDoes(t *testing.T) {
	vectors := strings.Repeat("0.0125,-1e-7,", 1000) + "1"
	for body, want := range map[string]wire.Tap{
		`{"embedding":{"values":[` + vectors + `]}}`:                                                                                     {Done: true},
		`{"embeddings":[{"values":[` + vectors + `]},{"values":[1]}]}`:                                                                   {Done: true},
		`{"embeddings":[{"values":[1]}],"usageMetadata":{"promptTokenCount":8,"totalTokenCount":8}}`:                                     {Done: true, Usage: wire.Usage{Input: 8, Present: true}},
		`{"embedding":{"values":[1]},"usageMetadata":{"promptTokenCount":8,"promptTokenDetails":[{"modality":"AUDIO","tokenCount":5}]}}`: {Done: true, Usage: wire.Usage{Input: 8, AudioInput: 5, Present: true}},
		`{"embedding":{"values":[1]},"error":{"message":"beside it"}}`:                                                                   {Done: true},
		`{"embeddings":[]}`: {Done: true, NoChoices: true},
		`{"embedding":{}}`:  {Done: true, NoChoices: true},
		`{}`:                {Done: true, NoChoices: true},
	} {
		var tap wire.Tap
		if kind := (gemini.Embeddings{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap != want {
			t.Errorf("%.60s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestCounting_UsesNothing(t *testing.T) {
	for body, flagged := range map[string]bool{
		`{"totalTokens": 31,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 31}]}`:       false,
		`{"totalTokens": 31,"cachedContentTokenCount": 3,"usageMetadata":{"promptTokenCount":31}}`: false,
		`{}`: true, `{"totalTokens":"31"}`: true,
	} {
		var tap wire.Tap
		if kind := (gemini.Counting{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap != (wire.Tap{Done: true, NoChoices: flagged}) {
			t.Errorf("%s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestReadAnswer_RefusesWhatNestsTooDeep(t *testing.T) {
	for levels, want := range map[int]wire.Kind{wire.MaxAnswerDepth - 1: wire.Content, wire.MaxAnswerDepth: wire.Invalid, 1_000_000: wire.Invalid} {
		body := `{"candidates":[{}],"x":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}"
		var tap wire.Tap
		if kind := (gemini.Codec{}).ReadAnswer(&tap, []byte(body)); kind != want {
			t.Errorf("%d levels: kind %d, want %d", levels+1, kind, want)
		}
	}
}

func TestReadAnswer_DoesNotAllocate(t *testing.T) {
	body := []byte(answer("hi \\n there", `{"promptTokenCount":100,"candidatesTokenCount":50,"cachedContentTokenCount":80}`))
	if n := testing.AllocsPerRun(100, func() {
		var tap wire.Tap
		gemini.Codec{}.ReadAnswer(&tap, body)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadAnswer(b *testing.B) {
	for name, text := range map[string]string{"text": strings.Repeat("word ", 180), "image": strings.Repeat("QUJD", 1<<18)} {
		b.Run(name, func(b *testing.B) {
			body := []byte(answer(text, fmt.Sprintf(`{"promptTokenCount":500,"candidatesTokenCount":%d,"totalTokenCount":700}`, 200)))
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var tap wire.Tap
				gemini.Codec{}.ReadAnswer(&tap, body)
			}
		})
	}
}
