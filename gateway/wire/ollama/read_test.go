package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/wiretest"
)

// Streams as Ollama 0.17.4 writes them.
const (
	start    = `{"model":"tiny","created_at":"2026-11-29T10:00:00.1Z",`
	counts   = `"total_duration":25000000,"load_duration":11000000,"prompt_eval_count":21,"prompt_eval_duration":2000000,"eval_count":13,"eval_duration":9000000`
	chatEnd  = start + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` + counts + `}`
	chat     = "" + start + `"message":{"role":"assistant","content":" one"},"done":false}` + "\n" + start + `"message":{"role":"assistant","content":"","thinking":"\"done\":true 雨🙂\u96e8"},"done":false}` + "\n"
	genEnd   = start + `"response":"","done":true,"done_reason":"length","context":[1,2,3],` + counts + `}`
	generate = "" + start + `"response":" one","done":false}` + "\n" + start + `"response":" two","done":false}` + "\n"
	failing  = `{"error":"an error was encountered while running the model: unexpected EOF"}`
)

var used = wire.Usage{Input: 21, Output: 13, Present: true}

func ended(reason string, u wire.Usage) wire.Tap {
	tap := wire.Tap{Usage: u, Done: true}
	tap.Finish(0, reason)
	return tap
}

func play(t *testing.T, stream string) (*wiretest.Outcome, wire.Tap) {
	t.Helper()
	var tap wire.Tap
	return wiretest.Play(t, ollama.Codec{}, &tap, stream), tap
}

func TestStream_PassesEveryByte(t *testing.T) {
	for stream, want := range map[string]wiretest.Pass{
		chat + chatEnd + "\n":    {End: chatEnd, Want: ended("stop", used)},
		generate + genEnd + "\n": {End: genEnd, Want: ended("length", used)},
	} {
		want.Codec, want.Stream = ollama.Codec{}, stream
		want.Check(t)
	}
}

func TestStream_ThatEndsEarlyIsBroken(t *testing.T) {
	for name, stream := range wiretest.LineSpellings(chat + chatEnd + "\n") {
		whole := strings.LastIndexByte(stream, '}') + 1
		for i := range len(stream) + 1 {
			o, tap := play(t, stream[:i])
			if o.Broken != (i < whole) || tap.Done == o.Broken {
				t.Fatalf("%s, ended at %d of %d: broken %v, done %v", name, i, whole, o.Broken, tap.Done)
			}
			if o.Broken && (tap != wire.Tap{} || o.After != `{"error":"cut"}`+"\n") {
				t.Fatalf("%s, ended at %d: ends with %q, tap %+v", name, i, o.After, tap)
			}
			for line := range strings.Lines(strings.TrimPrefix(o.Sent(), "\xef\xbb\xbf")) {
				if strings.TrimSpace(line) != "" && !json.Valid([]byte(line)) {
					t.Fatalf("%s, ended at %d: the caller must read %q", name, i, line)
				}
			}
		}
	}
}

func TestReadEvent_KeepsTheLastLineBack(t *testing.T) {
	for _, last := range []string{chatEnd, genEnd, start + `"done":true}`, start + `"response":"","done":true,"done_reason":"load"}`} {
		o, _ := play(t, chat+last+"\n"+chat)
		if o.Broken || o.Before != chat || o.After != last+"\n" {
			t.Errorf("%s: sent %q, then %q", last, o.Before, o.After)
		}
	}
}

func TestReadEvent_TakesOnlyTheOutermostDoneForTheEnd(t *testing.T) {
	for _, line := range []string{
		start + `"message":{"content":"","done":true,"tool_calls":[{"function":{"arguments":{"done":true,"eval_count":9}}}]},"done":false}`,
		start + `"response":"\"done\":true","done":false}`, start + `"response":"x"}`, `{"done":"true"}`, `{"done":1}`, `{"Done":true}`,
		`{"done":true`, `{"done":true}}`, `["done",true]`, `true`, `not json`, `{"done":true,"done":false}`, `{"done":false,"done_reason":"stop","total_duration":1}`,
	} {
		o, tap := play(t, line+"\n")
		if tap.Done || !o.Broken || o.Before != line+"\n" || o.Kinds[0] != wire.Content || tap.Usage != (wire.Usage{}) {
			t.Errorf("%s: kinds %v, tap %+v", line, o.Kinds, tap)
		}
	}
}

func TestReadEvent_KnowsAnErrorWhereverItComes(t *testing.T) {
	for line, message := range map[string]string{
		failing: "an error was encountered while running the model: unexpected EOF", `{"error":"m","done":true}`: "m", `{"error":{"message":"m"}}`: "m",
		start + `"response":"","error":"m"}`: "m", `{"type":"error","message":"m"}`: "m", ` {"error" : "m"} `: "m",
	} {
		first, tap := play(t, line+"\n")
		if first.Before != "" || first.Kinds[0] != wire.Failed || tap.Failure.Message != message || tap.Failure.Status != 500 {
			t.Errorf("%s: kinds %v, failure %+v", line, first.Kinds, tap.Failure)
		}
		within, tap := play(t, chat+line)
		if !within.Broken || within.Before != chat || within.After != line+"\n" || tap.Done {
			t.Errorf("%s: sent %q", line, within.After)
		}
	}
	for _, line := range []string{`{"error":"","response":""}`, `{"error":null}`, start + `"message":{"error":"m"},"done":false}`, `{"object":"error","response":""}`} {
		if o, tap := play(t, line+"\n"); o.Kinds[0] != wire.Content || tap != (wire.Tap{}) {
			t.Errorf("%s: kinds %v", line, o.Kinds)
		}
	}
}

func TestReadEvent_LetsBlankLinesPassInSilence(t *testing.T) {
	for _, blank := range []string{"\n", "\r\n", " \n", "\t\r\n\n"} {
		if o, tap := play(t, blank); len(o.Kinds) != 0 || o.Before != blank || tap != (wire.Tap{}) {
			t.Errorf("%q: kinds %v, sent %q", blank, o.Kinds, o.Before)
		}
	}
}

func TestUsage_IsWhatTheLastLineCounts(t *testing.T) {
	for members, want := range map[string]wire.Usage{
		`"prompt_eval_count":21,"eval_count":13`:               used,
		`"eval_count":13`:                                      {Output: 13, Present: true},
		`"prompt_eval_count":21`:                               {Input: 21, Present: true},
		`"prompt_eval_count":9,"prompt_eval_count":21`:         {Input: 21, Present: true},
		`"prompt\u005feval_count":21`:                          {Input: 21, Present: true},
		`"prompt_eval_count":-1,"eval_count":1.5`:              {Output: 1, Present: true, Flagged: true},
		`"prompt_eval_count":1e99,"eval_count":"13"`:           {Input: wire.MaxCount, Present: true, Flagged: true},
		`"prompt_eval_count":9223372036854775808`:              {Input: wire.MaxCount, Present: true, Flagged: true},
		`"prompt_eval_count":null,"eval_count":null`:           {},
		`"usage":{"prompt_eval_count":21,"eval_count":13}`:     {},
		`"done_reason":"load"`:                                 {Present: true},
		`"done_reason":"unload"`:                               {Present: true},
		`"total_duration":5`:                                   {},
		`"prompt_eval_duration":9,"eval_duration":9,"total":7`: {},
	} {
		document := start + `"response":"x","done":true,` + members + `}`
		var whole wire.Tap
		ollama.Codec{}.ReadAnswer(&whole, []byte(document))
		if _, streamed := play(t, chat+document); whole.Usage != want || streamed.Usage != want {
			t.Errorf("%s:\nwhole    %+v\nstreamed %+v\nwant     %+v", members, whole.Usage, streamed.Usage, want)
		}
	}
}

func TestReadAnswer_ReadsUsageAndReason(t *testing.T) {
	for document, reason := range map[string]string{chatEnd: "stop", genEnd: "length", start + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`: "load"} {
		var tap wire.Tap
		if kind := (ollama.Codec{}).ReadAnswer(&tap, []byte(document)); kind != wire.Content || tap.Reason != reason || tap.NoChoices || !tap.Done || !tap.Usage.Present {
			t.Errorf("%s: kind %d, tap %+v", document, kind, tap)
		}
	}
}

func TestReadAnswer_TellsErrorsAndWhatIsNoAnswerApart(t *testing.T) {
	for body, want := range map[string]wire.Kind{
		failing: wire.Failed, `[{"error":"m"}]`: wire.Failed, `{"error":{"message":"m"}}`: wire.Failed,
		"": wire.Invalid, " \n": wire.Invalid, "<html>": wire.Invalid, `{"done":`: wire.Invalid, `[]`: wire.Invalid, `"ok"`: wire.Invalid, `null`: wire.Invalid,
		chat + chatEnd: wire.Invalid, `{}`: wire.Content, `{"done":true}`: wire.Content,
	} {
		var tap wire.Tap
		if kind := (ollama.Codec{}).ReadAnswer(&tap, []byte(body)); kind != want || kind == wire.Content && !tap.NoChoices {
			t.Errorf("%.60q: kind %d, want %d", body, kind, want)
		}
	}
}

func FuzzReadEvent(f *testing.F) {
	for _, seed := range []string{chat + chatEnd + "\n", generate + genEnd, chat + failing + "\n", `{"done":true}` + "\n\r\n{}", `{"eval_count":1e99,"done":true}`} {
		for _, stream := range wiretest.LineSpellings(seed) {
			f.Add(stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream string) { wiretest.Compare(t, ollama.Codec{}, stream) })
}
