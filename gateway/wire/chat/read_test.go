package chat_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/wiretest"
)

// play reads a stream to its end and returns the kind of each event.
func play(t *testing.T, tap *wire.Tap, stream string) []wire.Kind {
	t.Helper()
	return wiretest.Play(t, chat.Codec{}, tap, stream).Kinds
}

const (
	delta  = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}],"usage":null}` + "\n\n"
	finish = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}` + "\n\n"
	usage  = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}}` + "\n\n"
	done   = "data: [DONE]\n\n"
)

func TestReadEvent_TellsTheKindsOfAStreamApart(t *testing.T) {
	var tap wire.Tap
	got := play(t, &tap, ": PROCESSING\n\n"+delta+finish+usage+done)
	want := []wire.Kind{wire.Content, wire.Content, wire.UsageOnly, wire.Terminal}
	if !slices.Equal(got, want) {
		t.Errorf("got kinds %v, want %v", got, want)
	}
	if !tap.Done || !tap.Finished() || tap.Reason != "stop" {
		t.Errorf("done %v, finished %v, reason %q", tap.Done, tap.Finished(), tap.Reason)
	}
	if want := (wire.Usage{Input: 12, Output: 7, Present: true}); tap.Usage != want {
		t.Errorf("got usage %+v", tap.Usage)
	}
}

func TestReadEvent_KnowsTheEndHoweverItIsWritten(t *testing.T) {
	for _, end := range []string{
		"data: [DONE]\n\n", "data:[DONE]\n\n", "data: [DONE] \r\n\r\n", "data: [DONE]", "data: [DONE]\ndata: [DONE]\n\n", "event: done\ndata: [DONE]\n\n",
	} {
		var tap wire.Tap
		kinds := play(t, &tap, delta+end)
		if !tap.Done || kinds[len(kinds)-1] != wire.Terminal {
			t.Errorf("%q: done %v, kinds %v", end, tap.Done, kinds)
		}
	}
	for _, other := range []string{"data: [DONE]x\n\n", "data: DONE\n\n", "data: {\"choices\":[{\"delta\":{\"content\":\"[DONE]\"}}]}\n\n"} {
		var tap wire.Tap
		if play(t, &tap, other); tap.Done {
			t.Errorf("%q was taken for the end", other)
		}
	}
}

func TestComplete_WantsTheEndOrAFinishOfEveryChoice(t *testing.T) {
	codec := chat.Codec{}
	second := strings.Replace(finish, `"index":0`, `"index":1`, 1)
	for _, c := range []struct {
		choices int
		stream  string
		want    bool
	}{
		{0, delta, false}, {0, delta + finish, true}, {0, delta + done, true}, {0, "", false},
		{2, delta + finish, false}, {2, finish + second, true}, {2, finish + done, true},
		{0, strings.Replace(finish, `"stop"`, `""`, 1), false},
		{0, `data: { "choices" : [ { "finish_reason" : "stop" } ] }` + "\n\n", true},
	} {
		tap := wire.Tap{Choices: c.choices}
		play(t, &tap, c.stream)
		if got := codec.Complete(&tap); got != c.want {
			t.Errorf("n=%d %q: complete %v", c.choices, c.stream, got)
		}
	}
}

func TestReadEvent_FindsUsageWhereverItStands(t *testing.T) {
	const report = `{"prompt_tokens":10,"completion_tokens":%,"total_tokens":30}`
	at := func(n string) string { return strings.Replace(report, "%", n, 1) }
	for name, c := range map[string]struct {
		stream string
		last   wire.Kind
	}{
		"beside finish_reason": {`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + at("20") + "}\n\n", wire.Content},
		"beside empty delta":   {`data: {"choices":[{"index":0,"delta":{}}],"usage":` + at("20") + "}\n\n", wire.Content},
		"growing": {`data: {"choices":[{"delta":{"content":"a"}}],"usage":` + at("3") + "}\n\n" +
			`data: {"choices":[{"delta":{"content":"b"}}],"usage":` + at("20") + "}\n\n", wire.Content},
		"vendor member":   {`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":` + at("20") + "}}\n\n", wire.Content},
		"before choices":  {`data: {"usage": ` + at("20") + `, "choices": [] }` + "\n\n", wire.UsageOnly},
		"two lines":       {"data: {\"choices\":[],\ndata: \"usage\":" + at("20") + "}\n\n", wire.UsageOnly},
		"without choices": {`data: {"usage":` + at("20") + "}\n\n", wire.Content},
		"null choices":    {`data: {"choices":null,"usage":` + at("20") + "}\n\n", wire.Content},
	} {
		var tap wire.Tap
		kinds := play(t, &tap, c.stream)
		if want := (wire.Usage{Input: 10, Output: 20, Present: true}); tap.Usage != want {
			t.Errorf("%s: got usage %+v", name, tap.Usage)
		}
		if got := kinds[len(kinds)-1]; got != c.last {
			t.Errorf("%s: kind %d, want %d", name, got, c.last)
		}
	}
}

func TestReadEvent_TakesOddChunksAsTheyAre(t *testing.T) {
	for _, data := range []string{
		`{"choices":[]}`, `{"choices":null}`, `{}`, `{"choices":[{"index":0,"delta":null}]}`, `[]`, `1`, `not json`, `{"choices":[`, `{"usage":`, ``,
		`{"choices":[],"usage":null}`, `{"choices":[],"usage":{}`, `{"choices":{},"error":null}`, `{"choices":[{"error":{"message":"inner"}}]}`,
		`{"choices":[{"delta":{"content":"\"error\":{\"message\":\"no\"},\"usage\":{\"prompt_tokens\":9},\"finish_reason\":\"stop\""}}]}`,
		`{"choices":[{"delta":{"content":"error"},"x":"usage","y":"finish_reason"}]}`,
	} {
		var tap wire.Tap
		kinds := play(t, &tap, "data: "+data+"\n\n")
		if kinds[0] == wire.Failed || kinds[0] == wire.Terminal || tap.Finished() || tap.Usage.Present || tap.Done {
			t.Errorf("%s: kind %d, tap %+v", data, kinds[0], tap)
		}
	}
}

func TestReadEvent_RecognisesErrorsInsideAStream(t *testing.T) {
	for event, want := range map[string]wire.Failure{
		`data: {"error":{"message":"m","type":"server_error","code":null}}`:                                             {Status: 500, Message: "m", Type: "server_error"},
		`data: {"error":{"message":"m","code":429},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`:       {Status: 429, Message: "m"},
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}": {Status: 529, Type: "overloaded_error", Message: "Overloaded"},
		"event: error\ndata: {\"type\":\"error\",\"code\":\"insufficient_quota\",\"message\":\"m\"}":                    {Status: 429, Code: "insufficient_quota", Message: "m"},
		"event: error\ndata: it broke":                      {Status: 500, Message: "it broke"},
		"event: error":                                      {Status: 500},
		`data: {"error":"text"}`:                            {Status: 500, Message: "text"},
		`data: {"object":"error","message":"m","code":400}`: {Status: 400, Message: "m"},
	} {
		var tap wire.Tap
		kinds := play(t, &tap, delta+event+"\n\n")
		if kinds[1] != wire.Failed || tap.Failure != want {
			t.Errorf("%s: kind %d, failure %+v", event, kinds[1], tap.Failure)
		}
	}
}

func TestReadEvent_ReadsTheEndOfALongEvent(t *testing.T) {
	text := strings.Repeat(`a \"usage\":{\"prompt_tokens\":1} `, 10_000)
	stream := `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"length"}],` +
		`"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\n" + done
	var tap wire.Tap
	kinds := play(t, &tap, stream)
	for _, kind := range kinds[:len(kinds)-1] {
		if kind != wire.Content {
			t.Fatalf("a piece is of kind %d", kind)
		}
	}
	if tap.Usage.Input != 3 || tap.Usage.Output != 4 || tap.Reason != "length" || !tap.Done {
		t.Errorf("got %+v", tap)
	}
}

func TestReadEvent_DoesNotAllocateForText(t *testing.T) {
	var tap wire.Tap
	e := wire.Event{HasData: true, Data: []byte(strings.TrimPrefix(delta, "data: "))}
	if n := testing.AllocsPerRun(100, func() { chat.Codec{}.ReadEvent(&tap, &e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadEvent(b *testing.B) {
	for name, event := range map[string]string{"text": delta, "finish": finish, "usage": usage, "done": done} {
		b.Run(name, func(b *testing.B) {
			var tap wire.Tap
			e := wire.Event{HasData: true, Data: []byte(strings.TrimSpace(strings.TrimPrefix(event, "data: ")))}
			b.ReportAllocs()
			for b.Loop() {
				chat.Codec{}.ReadEvent(&tap, &e)
			}
		})
	}
}

func BenchmarkReadAnswer(b *testing.B) {
	body := []byte(answer(strings.Repeat("word ", 180), `{"prompt_tokens":500,"completion_tokens":200,"total_tokens":700,`+
		`"prompt_tokens_details":{"cached_tokens":100,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":64,"audio_tokens":0}}`))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tap wire.Tap
		chat.Codec{}.ReadAnswer(&tap, body)
	}
}
