package ollama_test

import (
	"strconv"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/wiretest"
)

// tokens is a list of so many numbers.
func tokens(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(',')
	}
	return strings.TrimSuffix(b.String(), ",")
}

var (
	text  = strings.Repeat(`\"done\":false,\"eval_count\":9 `, 10_000)
	image = strings.Repeat("iVBORw0KGgo", 20_000)
	logs  = strings.TrimSuffix(strings.Repeat(`{"token":" one","logprob":-0.5,"bytes":[32,111],"done":true},`, 3_000), ",")
)

func TestStream_PassesLastLinesOfMegabytes(t *testing.T) {
	for name, last := range map[string]string{
		"a context":                 start + `"response":"","done":true,"done_reason":"stop","context":[` + tokens(20_000) + `],` + counts + `}`,
		"a larger context":          start + `"response":"","done":true,"done_reason":"stop","context":[` + tokens(200_000) + `],` + counts + `}`,
		"a message":                 start + `"message":{"role":"assistant","content":"` + text + `"},"done":true,"done_reason":"stop",` + counts + `}`,
		"a call":                    start + `"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"x":"` + text + `","done":false}}}]},"done":true,"done_reason":"stop",` + counts + `}`,
		"probabilities":             start + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","logprobs":[` + logs + `],` + counts + `}`,
		"spaces":                    start + `"response" : "` + text + `" , "done" : true , "done_reason" : "stop" , ` + strings.ReplaceAll(counts, ":", " : ") + ` } `,
		"an escaped name":           start + `"response":"` + text + `","d\u006fne":true,"done_reason":"stop",` + counts + `}`,
		"a context behind a text":   start + `"response":"` + text + `","done":true,"done_reason":"stop","context":[` + tokens(50_000) + `],"done_reason":"stop",` + counts + `}`,
		"an object behind the ends": start + `"response":"` + text + `","done":true,"done_reason":"stop",` + counts + `,"_debug_info":{"eval_count":1,"x":[{"done":false}]}}`,
	} {
		p := wiretest.Pass{Codec: ollama.Codec{}, Stream: chat + last + "\n", End: strings.TrimSpace(last), Want: ended("stop", used)}
		t.Run(name, func(t *testing.T) { p.CheckLong(t) })
	}
}

func TestStream_PassesLastLinesThatEndInSomethingLong(t *testing.T) {
	for _, last := range []string{
		start + `"response":"","done":true,"done_reason":"stop",` + counts + `,"image":"` + image + `"}`,
		start + `"response":"","done":true,"done_reason":"stop",` + counts + `,"logprobs":[` + logs + `]}`,
		`{` + counts + `,"done_reason":"stop","done":true,"response":"` + text + `"}`,
	} {
		for _, end := range []string{"\n", "\r\n"} {
			o, tap := play(t, chat+last+end)
			if o.Broken || tap != ended("stop", used) || o.Sent() != chat+last+end || !strings.HasSuffix(o.After, "}"+end) {
				t.Errorf("%.200s: broken %v, tap %+v", last, o.Broken, tap)
			}
		}
		if o, tap := play(t, chat+last[:len(last)-100]); !o.Broken || tap.Done {
			t.Errorf("%.200s: cut off, tap %+v", last, tap)
		}
	}
}

func TestStream_PassesLongLinesThatAreNotTheLast(t *testing.T) {
	for name, line := range map[string]string{
		"a message":     start + `"message":{"role":"assistant","content":"` + text + `"},"done":false}`,
		"a deep done":   start + `"message":{"role":"assistant","content":"` + text + `","done":true,"done_reason":"stop","total_duration":9}}`,
		"no JSON":       start + `"response":"` + text + `","done":true,` + counts,
		"no JSON too":   start + `"response":"` + text + `","done":true,` + counts + `}}`,
		"only a text":   `"` + text + `"`,
		"no end at all": start + `"response":"` + text,
	} {
		p := wiretest.Pass{Codec: ollama.Codec{}, Stream: line + "\n" + chat + chatEnd + "\n", End: chatEnd, Want: ended("stop", used)}
		t.Run(name, func(t *testing.T) { p.CheckLong(t) })
	}
}

func TestReadEvent_TakesNoHalfOfANumber(t *testing.T) {
	const before = 64<<10 - 4<<10
	for shift := range 40 {
		head := start + `"done":true,"x":"` + strings.Repeat("a", before-len(start)-60-shift) + `","eval_count":123456789,`
		last := head + `"context":[` + tokens(40_000) + `],"prompt_eval_count":21}` + "\n"
		o, tap := play(t, last)
		if u := tap.Usage; o.Broken || u.Input != 21 || u.Output != 123456789 && u.Output != 0 {
			t.Fatalf("shifted by %d: broken %v, usage %+v", shift, o.Broken, u)
		}
	}
}

func TestReadEvent_BreaksALongLastLineThatDoesNotEnd(t *testing.T) {
	last := start + `"response":"","done":true,"done_reason":"stop","context":[` + tokens(40_000) + `],` + counts + `}`
	for _, cut := range []int{len(last) - 1, len(last) - 40, len(last) - 200, 100_000} {
		o, tap := play(t, last[:cut])
		if !o.Broken || tap.Done || tap.Usage != (wire.Usage{}) || o.Before != last[:cut]+"\n" {
			t.Errorf("cut at %d of %d: broken %v, tap %+v, sent %d bytes", cut, len(last), o.Broken, tap, len(o.Before))
		}
	}
	if o, tap := play(t, last); o.Broken || tap != ended("stop", used) || !strings.HasSuffix(o.After, "}\n") {
		t.Errorf("without a line end: broken %v, tap %+v", o.Broken, tap)
	}
}

func TestReadEvent_KnowsALongErrorByItsBeginning(t *testing.T) {
	text := strings.Repeat("long, ", 40_000)
	for _, line := range []string{`{"error":"` + text + `"}`, `{"error":"` + strings.Repeat("long", 40_000) + `"}`, `{"error":{"message":"` + text + `"}}`, `{"error":"m","x":"` + text + `"}`} {
		if o, tap := play(t, line+"\n"); !o.Broken || o.Kinds[0] != wire.Failed || tap.Failure.Status != 500 || tap.Failure.Message == "" {
			t.Errorf("%.40s: kinds %v, failure %+v", line, o.Kinds, tap.Failure)
		}
	}
}
