package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

func answer(text, usage string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion","created":1764374400,"model":"acme-chat","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"` + text + `","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":` + usage + `}`
}

func TestReadAnswer_ReadsUsageAndReason(t *testing.T) {
	var tap wire.Tap
	kind := chat.Codec{}.ReadAnswer(&tap, []byte(answer("hi", `{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`)))
	if want := (wire.Usage{Input: 9, Output: 3, Present: true}); kind != wire.Content || tap.Usage != want {
		t.Errorf("kind %d, usage %+v", kind, tap.Usage)
	}
	if tap.Reason != "stop" || tap.NoChoices || !tap.Finished() {
		t.Errorf("got %+v", tap)
	}
}

func TestReadAnswer_TellsAnErrorFromAnAnswer(t *testing.T) {
	var tap wire.Tap
	if kind := (chat.Codec{}).ReadAnswer(&tap, []byte(`{"error":{"message":"quota","code":429}}`)); kind != wire.Failed {
		t.Errorf("kind %d", kind)
	}
	if want := (wire.Failure{Status: 429, Message: "quota"}); tap.Failure != want {
		t.Errorf("got %+v", tap.Failure)
	}
}

func TestReadAnswer_RefusesWhatIsNoAnswer(t *testing.T) {
	for _, body := range []string{"", " \n", "<html>ok</html>", `{"choices":[`, `"ok"`, `[]`, `null`, `{} {}`, "data: [DONE]\n\n"} {
		var tap wire.Tap
		if kind := (chat.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Invalid {
			t.Errorf("%q: kind %d", body, kind)
		}
	}
}

func TestReadAnswer_FlagsAnAnswerWithoutChoices(t *testing.T) {
	for _, body := range []string{`{"choices":null}`, `{"choices":[]}`, `{}`, `{"choices":[],"usage":{"prompt_tokens":1}}`} {
		var tap wire.Tap
		if kind := (chat.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.NoChoices {
			t.Errorf("%s: kind %d, flagged %v", body, kind, tap.NoChoices)
		}
	}
}

func TestUsage_KeepsItsClassesApart(t *testing.T) {
	for name, c := range map[string]struct {
		usage string
		want  wire.Usage
	}{
		"cached and reasoning": {
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":80,"cache_write_tokens":5,"audio_tokens":7},"completion_tokens_details":{"reasoning_tokens":30,"audio_tokens":2}}`,
			wire.Usage{Input: 15, CacheRead: 80, CacheCreation: 5, Output: 50, Reasoning: 30, AudioInput: 7, AudioOutput: 2},
		},
		"details null":       {`{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":null,"completion_tokens_details":null}`, wire.Usage{Input: 5, Output: 1}},
		"hits beside prompt": {`{"prompt_tokens":100,"completion_tokens":1,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40}`, wire.Usage{Input: 40, CacheRead: 60, Output: 1}},
		"cached at the top":  {`{"prompt_tokens":100,"completion_tokens":1,"cached_tokens":60}`, wire.Usage{Input: 40, CacheRead: 60, Output: 1}},
		"written by name of another shape": {
			`{"prompt_tokens":10000,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":9000},"cache_creation_input_tokens":993}`,
			wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993, Output: 20},
		},
		"reasoning beside output": {
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,"completion_tokens_details":{"reasoning_tokens":30}}`,
			wire.Usage{Input: 10, Output: 35, Reasoning: 30},
		},
		"more cached than prompt":    {`{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":80}}`, wire.Usage{CacheRead: 10, Output: 5, Flagged: true}},
		"more reasoning than output": {`{"prompt_tokens":1,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":9}}`, wire.Usage{Input: 1, Output: 5, Reasoning: 5, Flagged: true}},
		"absurd":                     {`{"prompt_tokens":-5,"completion_tokens":1e308}`, wire.Usage{Output: wire.MaxCount, Flagged: true}},
		"fraction":                   {`{"prompt_tokens":1.5,"completion_tokens":2}`, wire.Usage{Input: 1, Output: 2, Flagged: true}},
		"beyond 63 bits":             {`{"prompt_tokens":9223372036854775808,"completion_tokens":2}`, wire.Usage{Input: wire.MaxCount, Output: 2, Flagged: true}},
		"beyond a float64":           {`{"prompt_tokens":7,"completion_tokens":1e999}`, wire.Usage{Input: 7, Output: wire.MaxCount, Flagged: true}},
		"text and truth":             {`{"prompt_tokens":7,"completion_tokens":"2","total_tokens":true}`, wire.Usage{Input: 7, Flagged: true}},
		"details that are none":      {`{"prompt_tokens":7,"prompt_tokens_details":3,"completion_tokens_details":[{"reasoning_tokens":1}]}`, wire.Usage{Input: 7}},
		"written with an exponent":   {`{"prompt_tokens":7e0,"completion_tokens":2.0}`, wire.Usage{Input: 7, Output: 2}},
		"a number twice":             {`{"prompt_tokens":7,"prompt_tokens":8}`, wire.Usage{Input: 8}},
		"an escaped name":            {`{"prompt\u005ftokens":7}`, wire.Usage{Input: 7}},
		"all absurd":                 {`{"prompt_tokens":1e12,"completion_tokens":1e12,"total_tokens":3000000000,"completion_tokens_details":{"reasoning_tokens":1e12,"audio_tokens":-1},"prompt_tokens_details":{"cached_tokens":1e12,"audio_tokens":1e12}}`, wire.Usage{CacheRead: wire.MaxCount, Output: wire.MaxCount, Reasoning: wire.MaxCount, AudioInput: wire.MaxCount, Flagged: true}},
	} {
		c.want.Present = true
		var whole, streamed wire.Tap
		chat.Codec{}.ReadAnswer(&whole, []byte(answer("hi", c.usage)))
		play(t, &streamed, `data: {"choices":[],"usage":`+c.usage+"}\n\n")
		if whole.Usage != c.want || streamed.Usage != c.want {
			t.Errorf("%s:\nwhole    %+v\nstreamed %+v\nwant     %+v", name, whole.Usage, streamed.Usage, c.want)
		}
	}
}

func TestUsage_WithoutNumbersIsMissing(t *testing.T) {
	for _, usage := range []string{`null`, `{}`, `[]`, `"7"`, `{"prompt_tokens":"7"}`, `{"prompt_tokens":null}`} {
		var tap wire.Tap
		chat.Codec{}.ReadAnswer(&tap, []byte(answer("hi", usage)))
		if tap.Usage.Present || tap.Usage.Input != 0 || tap.Usage.Flagged != strings.Contains(usage, `:"7"`) {
			t.Errorf("%s: got %+v", usage, tap.Usage)
		}
	}
}

func TestUsage_ToldTwiceCountsOnceAndIsFlagged(t *testing.T) {
	for members, want := range map[string]wire.Usage{
		`"usage":{"prompt_tokens":9},"usage":{"prompt_tokens":5}`:            {Input: 5, Present: true, Flagged: true},
		`"usage":{"prompt_tokens":9},"\u0075sage":{"prompt_tokens":5}`:       {Input: 5, Present: true, Flagged: true},
		`"usage":{"prompt_tokens":9},"usage":null`:                           {Input: 9, Present: true},
		`"usage":null,"usage":{"prompt_tokens":9}`:                           {Input: 9, Present: true},
		`"usage":{"prompt_tokens":9},"x_groq":{"usage":{"prompt_tokens":5}}`: {Input: 9, Present: true},
		`"x_groq":{"usage":{"prompt_tokens":5}},"usage":{"prompt_tokens":9}`: {Input: 9, Present: true},
	} {
		var whole, streamed wire.Tap
		chat.Codec{}.ReadAnswer(&whole, []byte(`{"choices":[{}],`+members+`}`))
		play(t, &streamed, `data: {"choices":[],`+members+"}\n\n")
		if whole.Usage != want || streamed.Usage != want {
			t.Errorf("%s:\nwhole    %+v\nstreamed %+v\nwant     %+v", members, whole.Usage, streamed.Usage, want)
		}
	}
}

func TestReadAnswer_RefusesWhatNestsTooDeep(t *testing.T) {
	for levels, want := range map[int]wire.Kind{wire.MaxAnswerDepth - 1: wire.Content, wire.MaxAnswerDepth: wire.Invalid, 5_000_000: wire.Invalid} {
		body := `{"choices":[{}],"x":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}"
		var tap wire.Tap
		if kind := (chat.Codec{}).ReadAnswer(&tap, []byte(body)); kind != want {
			t.Errorf("%d levels: kind %d, want %d", levels+1, kind, want)
		}
	}
}

func TestReadAnswer_DoesNotAllocate(t *testing.T) {
	body := []byte(answer("hi \\n there", `{"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":80}}`))
	if n := testing.AllocsPerRun(100, func() {
		var tap wire.Tap
		chat.Codec{}.ReadAnswer(&tap, body)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
