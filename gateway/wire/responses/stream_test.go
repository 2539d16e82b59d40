package responses_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/responses"
	"relay/gateway/wire/wiretest"
)

func play(t *testing.T, stream string) (*wiretest.Outcome, wire.Tap) {
	t.Helper()
	var tap wire.Tap
	return wiretest.Play(t, responses.Codec{}, &tap, stream), tap
}

func TestReadEvent_KnowsTheEndsOfAStream(t *testing.T) {
	for name, c := range map[string]struct{ end, reason string }{
		"completed":          {last, "completed"},
		"incomplete":         {named("response.incomplete", `,"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},`+report+`"output":[]}`), "max_output_tokens"},
		"filtered":           {named("response.incomplete", `,"response":{"incomplete_details":{"reason":"content_filter"},"status":"incomplete",`+report+`"output":[]}`), "content_filter"},
		"incomplete, no why": {named("response.incomplete", `,"response":{"status":"incomplete",`+report+`"output":[]}`), "incomplete"},
		"done":               {named("response.done", ended("completed", report)), "completed"},
		"cancelled":          {named("response.cancelled", ended("cancelled", report)), "cancelled"},
		"named by data":      {unnamed("response.completed", ended("completed", report)), "completed"},
		"named message":      {"event: message\n" + unnamed("response.completed", ended("completed", report)), "completed"},
	} {
		o, tap := play(t, body+c.end+"data: [DONE]\n\n")
		if tap != passed(usage, c.reason) || o.Broken || o.Before != body || o.After != c.end {
			t.Errorf("%s: sent %q and %q, tap %+v", name, o.Before, o.After, tap)
		}
	}
}

func TestReadEvent_TakesAResponseWithoutUsageAsItIs(t *testing.T) {
	for _, members := range []string{"", `"usage":null,`, `"usage":{},`} {
		if _, tap := play(t, named("response.completed", ended("completed", members))); !tap.Done || tap.Usage != (wire.Usage{}) {
			t.Errorf("%s: tap %+v", members, tap)
		}
	}
}

func TestReadEvent_TakesADoneForNoEnd(t *testing.T) {
	for _, stream := range []string{body + "data: [DONE]\n\n", body + "data: [DONE]", body + "data:[DONE]\n\ndata: [DONE]\n\n", strings.TrimSuffix(body, "\n") + "data: [DONE]\n\n"} {
		o, tap := play(t, stream)
		if !o.Broken || tap.Done || strings.Contains(o.Before, "DONE") || !strings.HasPrefix(o.After, "event: error\n") {
			t.Errorf("%q: sent %q and %q", stream, o.Before, o.After)
		}
	}
	o, _ := play(t, body+"data: [DONE]\n\n"+body+last)
	if o.Broken || strings.Contains(o.Sent(), "DONE") || strings.Count(o.Sent(), "event: response.created\n") != 2 || o.After != last {
		t.Errorf("sent %q", o.Sent())
	}
}

func TestReadEvent_TakesADoneOffTheEndThatItIsGluedTo(t *testing.T) {
	whole := strings.TrimSuffix(last, "\n\n")
	long := strings.Replace(whole, `"tools":[]`, `"tools":["`+strings.Repeat("long ", 40_000)+`"]`, 1)
	for _, end := range []string{whole, long} {
		for _, glued := range []string{"\ndata: [DONE]\n\n", "[DONE]\n\n", "\ndata: [DONE]\ndata: [DONE]", " data: [DONE]\n\n"} {
			o, tap := play(t, body+end+glued)
			if o.Broken || o.Sent() != body+end+"\n\n" || tap != passed(usage, "completed") {
				t.Errorf("%q: ended with %.300q, tap %+v", glued, o.After, tap)
			}
		}
	}
}

func TestReadEvent_RecognisesFailures(t *testing.T) {
	for failing, want := range map[string]wire.Failure{
		named("response.failed", `,"response":{"status":"failed","error":{"code":"server_error","message":"m"},"usage":null}`): {Status: 500, Code: "server_error", Message: "m"},
		named("response.failed", `,"response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"m"}}`):       {Status: 429, Code: "rate_limit_exceeded", Message: "m"},
		unnamed("response.failed", `,"response":{"status":"failed","error":{"code":"insufficient_quota","message":"m"}}`):      {Status: 429, Code: "insufficient_quota", Message: "m"},
		named("response.failed", `,"response":{"status":"failed","error":null}`):                                               {Status: 500},
		named("response.failed", ``): {Status: 500},
		named("response.completed", `,"response":{"status":"failed","error":{"code":"server_error","message":"m"}}`):                          {Status: 500, Code: "server_error", Message: "m"},
		named("response.failed", `,"response":{"status":"failed","error":{"message":"m","code":429},"x":"`+strings.Repeat("a", 100_000)+`"}`): {Status: 429, Message: "m"},
		named("response.failed", `,"response":{"x":"`+strings.Repeat("a", 100_000)+`","error":{"message":"m","code":429},"status":"failed"}`): {Status: 429, Message: "m"},
		named("error", `,"code":"server_error","message":"m","param":null`):                                                                   {Status: 500, Code: "server_error", Message: "m"},
		unnamed("error", `,"code":"rate_limit_exceeded","message":"m","param":"p"`):                                                           {Status: 429, Code: "rate_limit_exceeded", Message: "m", Param: "p"},
		named("error", `,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"m","param":"input"}`):            {Status: 400, Type: "invalid_request_error", Code: "context_length_exceeded", Message: "m", Param: "input"},
		"event: error\ndata: it broke\n\n":                                    {Status: 500, Message: "it broke"},
		`data: {"error":{"message":"m","code":503}}` + "\n\n":                 {Status: 503, Message: "m"},
		`data: [{"error":{"message":"m","code":503}}]` + "\n\n":               {Status: 503, Message: "m"},
		"event: oops\ndata: {\"error\":{\"message\":\"m\",\"code\":503}}\n\n": {Status: 503, Message: "m"},
	} {
		o, tap := play(t, body+failing)
		if !o.Broken || o.Kinds[len(o.Kinds)-1] != wire.Failed || !strings.HasSuffix(failing, o.After) || o.Sent() != body+failing || tap.Failure != want {
			t.Errorf("%.200s: kinds %v, failure %+v", failing, o.Kinds, tap.Failure)
		}
		if first, _ := play(t, failing); len(failing) < 64<<10 && (first.Before != "" || first.Kinds[0] != wire.Failed) {
			t.Errorf("%.200s: as the first event of kind %v", failing, first.Kinds)
		}
	}
	_, tap := play(t, named("response.failed", `,"response":{"status":"failed","error":{"message":"m"},`+report+`"x":1}`))
	if tap.Usage != usage {
		t.Errorf("usage of a failed response: %+v", tap.Usage)
	}
}

func TestReadEvent_TakesOddEventsAsTheyAre(t *testing.T) {
	for _, odd := range []string{
		"data: not json\n\n", "data: [1]\n\n", "data:\n\n", "data: {}\n\n", "event: response.completed\ndata: {\"response\":\n\n", "event: response.completed\ndata: it is over\n\n",
		"event: response.new_event\ndata: {\"usage\":{\"input_tokens\":9},\"error\":null}\n\n", `data: {"type":"response.new","response":{"status":"failed","error":{"message":"m"}}}` + "\n\n",
		`data: {"type":"keepalive","error":null,"sequence_number":3}` + "\n\n", `data: {"item":{"type":"response.completed"}}` + "\n\n",
	} {
		if o, tap := play(t, odd); tap != (wire.Tap{}) || o.Before != odd || !o.Broken {
			t.Errorf("%q: kinds %v, tap %+v", odd, o.Kinds, tap)
		}
	}
}

func TestReadEvent_DropsTheRestThatAStreamBreaksOffIn(t *testing.T) {
	for i := range len(last) - len("\n\n") {
		o, tap := play(t, body+last[:i])
		if !o.Broken || tap != (wire.Tap{}) || strings.Contains(o.Before[len(body):], "{") {
			t.Fatalf("broken off after %q: sent %q, tap %+v", last[:i], o.Before[len(body):], tap)
		}
	}
}

func TestAppendErrorEvent_IsAnErrorToEveryReader(t *testing.T) {
	e := &wire.Error{Status: 502, Type: "upstream_error", Code: "upstream_unavailable", Message: "it \"broke\"\n\n", Param: ""}
	event := string(responses.Codec{}.AppendErrorEvent([]byte(body), e))[len(body):]
	name, data, _ := strings.Cut(strings.TrimSuffix(event, "\n\n"), "\ndata: ")
	var told struct {
		Type, Code, Message string
		Param               *string
		Number              *int `json:"sequence_number"`
		Error               struct {
			Type, Code, Message string
			Param               *string
		}
	}
	if err := json.Unmarshal([]byte(data), &told); err != nil || name != "event: error" || told.Type != "error" || told.Number == nil {
		t.Errorf("wrote %q: %v", event, err)
	}
	if told.Code != e.Code || told.Message != e.Message || told.Error.Code != e.Code || told.Error.Message != e.Message || told.Error.Type != e.Type {
		t.Errorf("told %+v", told)
	}
	o, tap := play(t, body+event)
	if !slices.Contains(o.Kinds, wire.Failed) || tap.Failure.Code != e.Code || tap.Failure.Message != e.Message {
		t.Errorf("kinds %v, failure %+v", o.Kinds, tap.Failure)
	}
}

func TestCodec_IsThatOfResponses(t *testing.T) {
	codec := responses.Codec{}
	if _, asks := codec.AskUsage(nil, nil); asks || !codec.WantsUsage(nil, nil) || codec.Shape() != "openai_responses" || codec.Terminal() != "" {
		t.Error("usage must be asked for, or the shape is another")
	}
	if o, tap := play(t, codec.KeepAlive()); tap != (wire.Tap{}) || len(o.Kinds) != 0 {
		t.Errorf("a keep-alive is of kind %v", o.Kinds)
	}
}

func TestReadEvent_DoesNotAllocate(t *testing.T) {
	for name, stream := range map[string]string{"delta": named("response.output_text.delta", `,"delta":"hi"`), "end": last, "unnamed": dataOnly(last)} {
		e := wire.Event{HasData: true, Data: []byte(dataOf(stream))}
		if strings.HasPrefix(stream, "event: ") {
			e.Type = []byte(strings.TrimPrefix(stream[:strings.IndexByte(stream, '\n')], "event: "))
		}
		if n := testing.AllocsPerRun(100, func() {
			var tap wire.Tap
			responses.Codec{}.ReadEvent(&tap, &e)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	delta := named("response.output_text.delta", `,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word","logprobs":[],"obfuscation":"abcdef"`)
	for name, e := range map[string]wire.Event{
		"delta":         {HasData: true, Type: []byte("response.output_text.delta"), Data: []byte(dataOf(delta))},
		"unnamed delta": {HasData: true, Data: []byte(dataOf(delta))},
		"end":           {HasData: true, Type: []byte("response.completed"), Data: []byte(dataOf(last))},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var tap wire.Tap
				responses.Codec{}.ReadEvent(&tap, &e)
			}
		})
	}
}

func FuzzReadEvent(f *testing.F) {
	failing := named("response.failed", `,"response":{"status":"failed","error":{"code":"server_error","message":"m"}}`)
	for _, seed := range []string{all, body + failing, named("error", `,"code":"x","message":"m"`), dataOnly(all), body + "data: [DONE]", strings.TrimSuffix(last, "\n\n") + "[DONE]", named("response.completed", `,"response":{"usage":{"output_tokens":1e99}}`)} {
		for _, stream := range wiretest.Spellings(seed) {
			f.Add(stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream string) { wiretest.Compare(t, responses.Codec{}, stream) })
}
