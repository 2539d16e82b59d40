package messages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/wiretest"
)

// event returns an event as upstreams write it: named by the type of its data.
func event(data string) string {
	_, rest, _ := strings.Cut(data, `"type":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return "event: " + name + "\ndata: " + data + "\n\n"
}

func textDelta(text string) string {
	return event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}`)
}

func start(usage string) string {
	return event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"acme-m","content":[],` +
		`"stop_reason":null,"stop_sequence":null,"usage":` + usage + `}}`)
}

func finish(usage string) string {
	return event(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":` + usage + `}`)
}

var (
	blockStart = event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	blockStop  = event(`{"type":"content_block_stop","index":0}`)
	ping       = event(`{"type":"ping"}`)
	stop       = event(`{"type":"message_stop"}`)

	startUsage = `{"input_tokens":50,"cache_creation_input_tokens":2000,"cache_read_input_tokens":300,` +
		`"cache_creation":{"ephemeral_5m_input_tokens":1500,"ephemeral_1h_input_tokens":500},"output_tokens":1,"service_tier":"standard"}`
	body = start(startUsage) + blockStart + ping + textDelta("雨 hi") + textDelta(` \"usage\":{\"output_tokens\":9}`) + blockStop
	tail = finish(`{"output_tokens":42,"output_tokens_details":{"thinking_tokens":7}}`)
	all  = body + tail + stop

	allUsage = wire.Usage{
		Input: 50, CacheCreation: 2000, CacheRead: 300, Output: 42, CacheCreation1h: 500, Reasoning: 7, Present: true,
	}
)

func play(t *testing.T, stream string) (*wiretest.Outcome, wire.Tap) {
	t.Helper()
	var tap wire.Tap
	return wiretest.Play(t, messages.Codec{}, &tap, stream), tap
}

func TestReadEvent_TellsTheKindsOfAStreamApart(t *testing.T) {
	o, tap := play(t, all)
	want := []wire.Kind{wire.Content, wire.Content, wire.Content, wire.Content, wire.Content, wire.Content, wire.Terminal}
	if !slices.Equal(o.Kinds, want) {
		t.Errorf("got kinds %v, want %v", o.Kinds, want)
	}
	if tap.Usage != allUsage || tap.Reason != "end_turn" || !tap.Done || !tap.Finished() {
		t.Errorf("got %+v", tap)
	}
}

func TestStream_PassesEveryByteAndHoldsTheEndBack(t *testing.T) {
	for name, stream := range wiretest.Spellings(all) {
		want := strings.TrimRight(stream, "\r\n")
		check := func(how string, pieces ...string) {
			t.Helper()
			var tap wire.Tap
			o := wiretest.Play(t, messages.Codec{}, &tap, pieces...)
			if got := strings.TrimRight(o.Sent(), "\r\n"); got != want {
				t.Fatalf("%s, %s: the bytes became %q", name, how, got)
			}
			if o.Broken || tap.Usage != allUsage || tap.Reason != "end_turn" {
				t.Fatalf("%s, %s: broken %v, tap %+v", name, how, o.Broken, tap)
			}
			if strings.Contains(o.Before, "message_stop") || !strings.Contains(o.After, "message_stop") || !strings.ContainsAny(o.After[len(o.After)-1:], "\r\n") {
				t.Fatalf("%s, %s: ends with %q", name, how, o.After)
			}
		}
		check("whole", stream)
		check("byte by byte", wiretest.Bytewise(stream)...)
		for i := range stream {
			check(fmt.Sprint("cut at ", i), stream[:i], stream[i:])
		}
	}
}

func TestStream_ThatEndsEarlyIsBroken(t *testing.T) {
	for name, stream := range wiretest.Spellings(all) {
		whole := strings.Index(stream, `{"type":"message_stop"}`) + len(`{"type":"message_stop"}`)
		for i := range len(stream) + 1 {
			o, tap := play(t, stream[:i])
			if o.Broken != (i < whole) || tap.Done == o.Broken {
				t.Fatalf("%s, ended at %d of %d: broken %v, done %v", name, i, whole, o.Broken, tap.Done)
			}
			if o.Broken && !strings.HasPrefix(o.After, "event: error\ndata: {") {
				t.Fatalf("%s, ended at %d: ends with %q", name, i, o.After)
			}
			if rest := unreadable(o.Sent()); rest != "" {
				t.Fatalf("%s, ended at %d: the caller must read %q", name, i, rest)
			}
			if u := tap.Usage; u.Input > 50 || u.CacheCreation > 2000 || u.CacheRead > 300 || u.Output > 42 {
				t.Fatalf("%s, ended at %d: usage %+v", name, i, u)
			}
		}
	}
}

// unreadable returns the first data line of a stream that is no JSON.
func unreadable(stream string) string {
	for line := range strings.Lines(strings.ReplaceAll(stream, "\r", "\n")) {
		if data, found := strings.CutPrefix(line, "data:"); found && !json.Valid([]byte(data)) {
			return line
		}
	}
	return ""
}

func TestComplete_WantsMessageStopWhateverCameBefore(t *testing.T) {
	for _, stream := range []string{
		"", body, body + tail, body + tail + "data: [DONE]\n\n", body + tail + "event: message_stop\n\n", body + tail + "event: message_stop\ndata: {\"type\":\"mess\n\n",
	} {
		if o, tap := play(t, stream); !o.Broken || tap.Done {
			t.Errorf("%q was taken for whole", stream)
		}
	}
}

func TestReadEvent_GoesByTheDataWhereTheNameSaysNothing(t *testing.T) {
	for _, name := range []string{"", "event: message\n", "event: chunk\n"} {
		stream := all
		for _, known := range []string{"message_start", "content_block_start", "ping", "content_block_delta", "content_block_stop", "message_delta", "message_stop"} {
			stream = strings.ReplaceAll(stream, "event: "+known+"\n", name)
		}
		o, tap := play(t, stream)
		if o.Broken || len(o.Kinds) != 7 || tap.Usage != allUsage || o.Sent() != stream {
			t.Errorf("%q: kinds %v, tap %+v", name, o.Kinds, tap)
		}
	}
}

func TestReadEvent_TakesAPingForASignOfLife(t *testing.T) {
	for _, sign := range []string{ping, "event: ping\ndata: {\"type\": \"ping\"}\n\n", "data: {\"type\":\"ping\"}\n\n", ": comment\n\n", "event: ping\n\n", messages.Codec{}.KeepAlive()} {
		o, tap := play(t, sign)
		if len(o.Kinds) != 0 || o.Before != sign || tap != (wire.Tap{}) {
			t.Errorf("%q: kinds %v, sent %q", sign, o.Kinds, o.Before)
		}
	}
}

func TestReadEvent_KeepsTheLargestNumberOfEachMeter(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   wire.Usage
	}{
		"cumulative output":  {start(`{"input_tokens":9,"output_tokens":1}`) + finish(`{"output_tokens":20}`) + finish(`{"output_tokens":31}`), wire.Usage{Input: 9, Output: 31}},
		"input at the end":   {start(`{"input_tokens":0,"output_tokens":0}`) + finish(`{"input_tokens":1234,"output_tokens":5}`), wire.Usage{Input: 1234, Output: 5}},
		"growing input":      {start(`{"input_tokens":100,"output_tokens":1}`) + finish(`{"input_tokens":460,"cache_read_input_tokens":70,"output_tokens":5}`), wire.Usage{Input: 460, CacheRead: 70, Output: 5}},
		"smaller at the end": {start(`{"input_tokens":100,"output_tokens":8}`) + finish(`{"input_tokens":0,"output_tokens":5}`), wire.Usage{Input: 100, Output: 8}},
		"null":               {start(`{"input_tokens":7,"cache_read_input_tokens":null,"cache_creation":null,"server_tool_use":null,"output_tokens":1}`) + finish(`null`), wire.Usage{Input: 7, Output: 1}},
	} {
		c.want.Present = true
		if _, tap := play(t, c.stream+stop); tap.Usage != c.want {
			t.Errorf("%s: got %+v", name, tap.Usage)
		}
	}
}

func TestReadEvent_DoesNotReadTheModelsText(t *testing.T) {
	for _, data := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"usage\":{\"input_tokens\":9}}"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n","input":{"type":"error","error":{"message":"m"},"usage":{"output_tokens":9}}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\"type\":\"message_stop\""}}`,
		`{"type":"new_event","error":null,"usage":{"input_tokens":9}}`, `{"type":"message_delta"}`, `{"type":"message_start","message":null}`,
	} {
		if o, tap := play(t, event(data)); tap != (wire.Tap{}) || o.Before != event(data) || o.Kinds[0] != wire.Content {
			t.Errorf("%s: kinds %v, tap %+v", data, o.Kinds, tap)
		}
	}
	for _, odd := range []string{"data: not json\n\n", "data: [1]\n\n", "data:\n\n", "event: message_delta\ndata: {\"usage\":\n\n", "event: message_start\ndata: 7\n\n"} {
		if o, tap := play(t, odd); tap != (wire.Tap{}) || o.Before != odd {
			t.Errorf("%q: kinds %v, tap %+v", odd, o.Kinds, tap)
		}
	}
}

func TestReadEvent_RecognisesErrorsInsideAStream(t *testing.T) {
	for failing, want := range map[string]wire.Failure{
		event(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`):                              {Status: 529, Type: "overloaded_error", Message: "Overloaded"},
		event(`{"type":"error","error":{"type":"rate_limit_error","message":"m"},"request_id":"req_1"}`):                  {Status: 429, Type: "rate_limit_error", Message: "m"},
		event(`{"type":"error","error":{"type":"api_error","message":"m"}}`):                                              {Status: 500, Type: "api_error", Message: "m"},
		`data: {"type":"error","error":{"type":"timeout_error","message":"m"}}` + "\n\n":                                  {Status: 504, Type: "timeout_error", Message: "m"},
		`data: {"error":{"message":"m","code":429}}` + "\n\n":                                                             {Status: 429, Message: "m"},
		"event: error\ndata: it broke\n\n":                                                                                {Status: 500, Message: "it broke"},
		"event: error\n\n":                                                                                                {Status: 500},
		"event: oops\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"m\"}}\n\n":    {Status: 400, Type: "invalid_request_error", Message: "m"},
		"event: error\ndata: {\"type\":\"error\",\ndata: \"error\":{\"type\":\"not_found_error\",\"message\":\"m\"}}\n\n": {Status: 404, Type: "not_found_error", Message: "m"},
	} {
		o, tap := play(t, body+failing)
		if !o.Broken || o.After != failing || tap.Failure != want || tap.Usage.Input != 50 {
			t.Errorf("%s: sent %q, failure %+v", failing, o.After, tap.Failure)
		}
		if first, _ := play(t, failing); first.Before != "" || first.Kinds[0] != wire.Failed {
			t.Errorf("%s: as the first event of kind %v", failing, first.Kinds)
		}
	}
}

func TestReadEvent_PassesLongEventsInPieces(t *testing.T) {
	long := strings.Repeat("long ", 40_000)
	result := event(`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","content":[{"encrypted_content":"` + long + `"}],"usage":{"input_tokens":9}}}`)
	padded := event(`{"type":"message_start","message":{"usage":` + startUsage + `,"content":["` + long + `"]}}`)
	o, tap := play(t, padded+result+tail+stop)
	if o.Broken || tap.Usage != allUsage || o.Sent() != padded+result+tail+stop || o.After != stop {
		t.Errorf("sent %d bytes, usage %+v", len(o.Sent()), tap.Usage)
	}
}

func FuzzReadEvent(f *testing.F) {
	failing := event(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`)
	for _, seed := range []string{all, body + failing, tail + stop, "data: {\"type\":\"message_stop\"}", "event: message_delta\ndata: {\"usage\":{\"output_tokens\":1e99}}\n\n"} {
		for _, stream := range wiretest.Spellings(seed) {
			f.Add(stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream string) { wiretest.Compare(t, messages.Codec{}, stream) })
}
