package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/wiretest"
)

// said is a stream with everything in it that a client may get.
const (
	runes  = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"雨🙂ñ \"usage\":{\"prompt_tokens\":9} \u96e8"},"finish_reason":null}]}` + "\n\n"
	report = `{"id":"c","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}}`
	said   = ": PROCESSING\n\n" + delta + runes + finish + "data: " + report + "\n\n" + done
)

func passed() wire.Tap {
	want := wire.Tap{Usage: wire.Usage{Input: 12, Output: 7, Present: true}, Done: true}
	want.Finish(0, "stop")
	return want
}

func TestStream_PassesEveryByteButTheUsageChunk(t *testing.T) {
	p := wiretest.Pass{Codec: chat.Codec{}, Stream: said, LeftOut: report, End: "[DONE]", Want: passed()}
	p.Check(t)
}

func TestStream_PassesLinesOfMegabytes(t *testing.T) {
	for _, size := range []int{64<<10 + 1, 1<<20 + 1, 5 << 20} {
		long := `data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` +
			strings.Repeat("a", size) + `"}}]},"finish_reason":null}],"usage":null}` + "\n\n"
		p := wiretest.Pass{Codec: chat.Codec{}, Stream: delta + long + finish + "data: " + report + "\n\n" + done, LeftOut: report, End: "[DONE]", Want: passed()}
		p.CheckLong(t)
	}
}

func TestStream_OfOneLongChunkIsReadAtBothEnds(t *testing.T) {
	text := strings.Repeat(`\"usage\":{\"prompt_tokens\":1} `, 10_000)
	choice := `{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}`
	usage := `"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}`
	for name, chunk := range map[string]string{
		"usage last":        `{"choices":[` + choice + `],` + usage + `}`,
		"usage first":       `{` + usage + `,"choices":[` + choice + `]}`,
		"more behind it":    `{"choices":[` + choice + `],` + usage + `,"x":{"usage":{"prompt_tokens":99}},"y":[{"usage":{}}]}`,
		"the vendor's":      `{"choices":[` + choice + `],"x_groq":{` + usage + `}}`,
		"spaces":            `{"choices" : [` + choice + ` ] , "usage" : {"prompt_tokens" : 12, "completion_tokens" : 7} } `,
		"an escaped name":   `{"choices":[` + strings.Replace(choice, "finish_reason", `finish\u005freason`, 1) + `,{"index":0,"finish_reason":"stop"}],` + usage + `}`,
		"choices behind it": `{"choices":[` + choice + `,{"index":1,"delta":{}}],` + usage + `}`,
	} {
		p := wiretest.Pass{Codec: chat.Codec{}, Stream: delta + "data: " + chunk + "\n\n" + done, End: "[DONE]", Want: passed()}
		t.Run(name, func(t *testing.T) { p.CheckLong(t) })
	}
}

func TestStream_TakesNothingFromWhereItDoesNotLie(t *testing.T) {
	text := strings.Repeat("long ", 40_000)
	for name, chunk := range map[string]string{
		"deeper":          `{"choices":[{"index":0,"delta":{"content":"` + text + `","usage":{"prompt_tokens":99},"finish_reason":"stop"}}]}`,
		"in another list": `{"x":"` + text + `","choices":[],"y":[{"usage":{"prompt_tokens":99}}]}`,
		"in a string":     `{"choices":[{"index":0,"delta":{"content":"` + text + `\"usage\":{\"prompt_tokens\":99},\"finish_reason\":\"stop\""}}]}`,
		"no JSON":         `{"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":99}`,
		"no JSON either":  `{"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":99}}}`,
	} {
		p := wiretest.Pass{Codec: chat.Codec{}, Stream: delta + "data: " + chunk + "\n\n" + done, End: "[DONE]", Want: wire.Tap{Done: true}}
		t.Run(name, func(t *testing.T) { p.CheckLong(t) })
	}
}

func TestReadEvent_KnowsALongErrorByItsBeginning(t *testing.T) {
	text := strings.Repeat("long ", 40_000)
	for _, chunk := range []string{`{"error":{"message":"` + text + `"}}`, `{"error":"` + text + `"}`, `{"error":{"message":"m"},"x":"` + text + `"}`} {
		var tap wire.Tap
		if o := wiretest.Play(t, chat.Codec{}, &tap, "data: "+chunk+"\n\n"); !o.Broken || o.Kinds[0] != wire.Failed || tap.Failure.Status != 500 || tap.Failure.Message == "" {
			t.Errorf("%.40s: kinds %v, failure %+v", chunk, o.Kinds, tap.Failure)
		}
	}
	var tap wire.Tap
	if o := wiretest.Play(t, chat.Codec{}, &tap, `data: {"error":null,"x":"`+text+`"}`+"\n\n"); o.Kinds[0] != wire.Content {
		t.Errorf("kinds %v, failure %+v", o.Kinds, tap.Failure)
	}
}
