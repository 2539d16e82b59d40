package responses_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/responses"
	"relay/gateway/wire/wiretest"
)

// slowly reads a whole response by encoding/json alone.
func slowly(body []byte) (kind wire.Kind, tap wire.Tap) {
	v, ok := wiretest.Parse(body)
	status := v.Last("status").Reason()
	switch {
	case !ok:
		return wire.Invalid, tap
	case v.Kind == '[' && v.IsError(), v.Last("error").IsFilled(), v.CallsItselfError() && status == "":
		return wire.Failed, tap
	case v.Kind != '{':
		return wire.Invalid, tap
	case status == "failed":
		return wire.Failed, tap
	}
	reason := status
	if why := v.Last("incomplete_details").Last("reason").Reason(); why != "" {
		reason = why
	}
	if reason != "" {
		tap.Finish(0, reason)
	}
	tap.Usage = slowUsage(v)
	tap.NoChoices, tap.Done = len(v.Last("output").Elements) == 0, true
	return wire.Content, tap
}

// slowUsage takes the last usage, which is flagged where it is not the only one.
func slowUsage(v wiretest.Value) (usage wire.Usage) {
	for _, m := range v.Members {
		if m.Name == "usage" && m.Value.Kind == '{' {
			last := usageOf(m.Value)
			last.Flagged = last.Flagged || usage != (wire.Usage{})
			usage = last
		}
	}
	return usage
}

func usageOf(v wiretest.Value) (u wire.Usage) {
	var input, total, cached, written int64
	sides := strings.NewReplacer("input_token_details", "input_tokens_details", "prompt_tokens_details", "input_tokens_details",
		"output_token_details", "output_tokens_details", "completion_tokens_details", "output_tokens_details")
	for _, m := range v.Members {
		switch m.Name {
		case "input_tokens", "prompt_tokens":
			input = m.Value.Count(&u)
		case "output_tokens", "completion_tokens":
			u.Output = m.Value.Count(&u)
		case "total_tokens":
			total = m.Value.Count(&u)
		case "seconds":
			u.Seconds = slowSeconds(&u, m.Value)
		}
		for _, d := range m.Value.Members {
			switch sides.Replace(m.Name) + "." + d.Name {
			case "input_tokens_details.cached_tokens":
				cached = d.Value.Count(&u)
			case "input_tokens_details.cache_write_tokens":
				written = d.Value.Count(&u)
			case "input_tokens_details.audio_tokens":
				u.AudioInput = d.Value.Count(&u)
			case "output_tokens_details.reasoning_tokens":
				u.Reasoning = d.Value.Count(&u)
			case "output_tokens_details.audio_tokens":
				u.AudioOutput = d.Value.Count(&u)
			}
		}
	}
	if u.Reasoning > 0 && total == input+u.Output+u.Reasoning {
		u.Output = capped(&u, u.Output+u.Reasoning, wire.MaxCount)
	}
	u.CacheRead = capped(&u, cached, input)
	u.CacheCreation = capped(&u, written, input-u.CacheRead)
	u.Input = input - u.CacheRead - u.CacheCreation
	u.Reasoning = capped(&u, u.Reasoning, u.Output)
	u.AudioInput = capped(&u, u.AudioInput, input)
	u.AudioOutput = capped(&u, u.AudioOutput, u.Output)
	return u
}

// slowSeconds rounds a length up, which may be written as text.
func slowSeconds(u *wire.Usage, v wiretest.Value) int64 {
	n := v.Number
	if v.Kind == '"' {
		read, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || math.IsNaN(read) || read < 0 || read > wire.MaxCount {
			return u.Count([]byte(v.Text))
		}
		n = read
	}
	if (v.Kind == '"' || v.Kind == '0') && n >= 0 && n <= wire.MaxCount {
		u.Present = true
		return int64(math.Ceil(n))
	}
	return v.Count(u)
}

func capped(u *wire.Usage, part, whole int64) int64 {
	u.Flagged = u.Flagged || part > whole
	return min(part, whole)
}

// compare holds ReadAnswer against slowly, and the event that ends a stream with
// the same response against ReadAnswer.
func compare(t *testing.T, body []byte) wire.Kind {
	t.Helper()
	kind, want := slowly(body)
	var got wire.Tap
	read := responses.Codec{}.ReadAnswer(&got, body)
	if read == wire.Failed {
		wiretest.CheckFailure(t, got.Failure)
		got.Failure = wire.Failure{}
	}
	if !utf8.Valid(body) {
		got.Reason, want.Reason = "", "" // U+FFFD, or nothing, where it is broken
	}
	if read != kind || got != want {
		t.Fatalf("%q:\nread   %d %+v\nslowly %d %+v", body, read, got, kind, want)
	}
	wiretest.CheckUsage(t, got.Usage)
	if kind == wire.Content {
		compareEvent(t, body, got)
	}
	return kind
}

func compareEvent(t *testing.T, body []byte, want wire.Tap) {
	t.Helper()
	var got wire.Tap
	e := wire.Event{HasData: true, Type: []byte("response.completed"), Data: []byte(`{"response":` + string(body) + `}`)}
	kind := responses.Codec{}.ReadEvent(&got, &e)
	want.NoChoices = false
	if !utf8.Valid(body) {
		got.Reason = ""
	}
	if kind != wire.Terminal || got != want {
		t.Fatalf("%q:\nas an event %d %+v\nwhole       %+v", body, kind, got, want)
	}
}

// documents are what mutations start from.
var documents = []string{
	`{"object":"response","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"message","content":[{"text":"hi \u96e8 雨"}]}],"usage":{"input_tokens":100,"output_tokens":50,"total_tokens":180,"input_tokens_details":{"cached_tokens":80,"cache_write_tokens":5,"audio_tokens":7},"output_tokens_details":{"reasoning_tokens":30,"audio_tokens":2}}}`,
	`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[1],"usage":{"prompt_tokens":5,"completion_tokens":1},"usage":{"input_tokens":13}}`,
	`{"status":"failed","error":{"code":"server_error","message":"m"}}`, `{"status":"failed","error":null}`, `{"error":{"message":"m","code":429}}`, `[{"error":"x"},1]`,
	`{"type":"error","code":"x","message":"m"}`, `{"output":[],"usage":{"input_tokens":1.5,"output_tokens":-1}}`,
}

var spices = []string{
	`"output":[1],`, `"usage":{"input_tokens":3},`, `"usage":null,`, `"error":{"a":1},`, `"error":null,`, `"status":"failed",`, `"status":"completed",`, `"status":null,`, `"type":"error",`, `{}`, `[]`,
	`"incomplete_details":{"reason":"x"},`, "{", "}", "[", "]", ",", ":", `"`, `\`, `\u0075`, `\ud83d`, "-", "1", "9", "e", ".", "true", "null", " ", "\n", "\x00", "\xff",
}

func TestReadAnswer_ReadsWhatEncodingJSONReads(t *testing.T) {
	wiretest.Mutations(t, 21, documents, spices, compare)
}

func FuzzReadAnswer(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, body []byte) { compare(t, body) })
}

func TestReadAnswer_RefusesWhatIsNoAnswer(t *testing.T) {
	for _, body := range []string{"", " \n", "<html>ok</html>", `{"output":[`, `"ok"`, `[]`, `null`, `{} {}`, "data: [DONE]\n\n"} {
		var tap wire.Tap
		if kind := (responses.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Invalid {
			t.Errorf("%q: kind %d", body, kind)
		}
	}
}

func TestReadAnswer_TellsFailedResponsesFromOthers(t *testing.T) {
	for body, want := range map[string]wire.Failure{
		`{"status":"failed","error":{"code":"server_error","message":"m"},"output":[]}`: {Status: 500, Code: "server_error", Message: "m"},
		`{"status":"failed","error":{"code":"rate_limit_exceeded","message":"m"}}`:      {Status: 429, Code: "rate_limit_exceeded", Message: "m"},
		`{"error":{"message":"m","type":"invalid_request_error","param":"input"}}`:      {Status: 400, Type: "invalid_request_error", Message: "m", Param: "input"},
		`{"status":"failed","error":null}`:                                              {Status: 500},
	} {
		var tap wire.Tap
		if kind := (responses.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Failed || tap.Failure != want {
			t.Errorf("%s: kind %d, failure %+v", body, kind, tap.Failure)
		}
	}
	for _, body := range []string{`{"status":"queued","output":[]}`, `{"status":"in_progress"}`, `{"status":"cancelled","output":[1]}`, `{}`} {
		var tap wire.Tap
		if kind := (responses.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.Done || tap.Usage.Present {
			t.Errorf("%s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestReadAnswer_DoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		var tap wire.Tap
		responses.Codec{}.ReadAnswer(&tap, []byte(documents[0]))
	}); n > 1 { // the conversion of the document
		t.Errorf("%v allocations", n)
	}
}
