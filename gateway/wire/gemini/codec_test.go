package gemini_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/wiretest"
)

func TestAppendError_WritesTheShapesForm(t *testing.T) {
	const any = `{"@type":"type.googleapis.com/google.rpc.`
	for want, e := range map[string]*wire.Error{
		`{"error":{"code":404,"message":"No \"m\"; try é.","status":"NOT_FOUND","details":[` + any + `ErrorInfo","reason":"model_not_found","domain":"relay"}]}}`: wire.NewError(wire.CodeModelNotFound, `No "m"; try é.`),
		`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[` + any + `ErrorInfo","reason":"rate_limit_exceeded","domain":"relay",` +
			`"metadata":{"name":"chat-rl","meter":"requests","scope":"policy","amount":"60","used":"61","window":"60","shared_by":"3"}},` + any + `RetryInfo","retryDelay":"12s"}]}}`: {
			Status: 429, Code: wire.CodeRateLimitExceeded, Message: "m", RetryAfter: 11500 * time.Millisecond,
			RateLimit: &wire.RateLimit{Name: "chat-rl", Meter: "requests", Window: 60, Amount: 60, Used: 61, Scope: "policy", SharedBy: 3},
		},
		`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[` + any + `ErrorInfo","reason":"c","domain":"relay","metadata":{"name":"","meter":"concurrency","scope":"key","amount":"5","used":"5"}}]}}`: {
			Status: 429, Code: "c", Message: "m", RateLimit: &wire.RateLimit{Meter: "concurrency", Amount: 5, Used: 5, Scope: "key"},
		},
		`{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":[` + any + `RetryInfo","retryDelay":"1s"}]}}`: {Status: 503, Message: "m", RetryAfter: time.Millisecond},
		`{"error":{"code":400,"message":"m","status":"FAILED_PRECONDITION"}}`:                                              {Status: 400, Code: "FAILED_PRECONDITION", Message: "m"},
		`{"error":{"code":400,"message":"","status":"INVALID_ARGUMENT"}}`:                                                  {Status: 400},
	} {
		got := gemini.Codec{}.AppendError(nil, e)
		if string(got) != want || !json.Valid(got) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// table gives the status name of each status.
const table = `
400 INVALID_ARGUMENT
401 UNAUTHENTICATED
402 PERMISSION_DENIED
403 PERMISSION_DENIED
404 NOT_FOUND
405 INVALID_ARGUMENT
408 DEADLINE_EXCEEDED
409 ABORTED
413 INVALID_ARGUMENT
415 INVALID_ARGUMENT
421 INVALID_ARGUMENT
422 INVALID_ARGUMENT
426 INVALID_ARGUMENT
429 RESOURCE_EXHAUSTED
431 INVALID_ARGUMENT
500 INTERNAL
501 UNIMPLEMENTED
502 UNAVAILABLE
503 UNAVAILABLE
504 DEADLINE_EXCEEDED
508 INTERNAL
529 UNAVAILABLE
`

func TestAppendError_NamesEveryStatus(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		number, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		status, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		e := &wire.Error{Status: status, Code: "c", Message: "m"}
		if got := string(gemini.Codec{}.AppendError(nil, e)); !strings.HasPrefix(got, `{"error":{"code":`+number+`,"message":"m","status":"`+want+`"`) {
			t.Errorf("%d: %s", status, got)
		}
		if got := (gemini.Array{}).Status(e); got != status {
			t.Errorf("status %d became %d", status, got)
		}
	}
}

func TestAppendError_IsReadBackAsWhatItSays(t *testing.T) {
	e := wire.NewError(wire.CodeRateLimitExceeded, "slow down")
	e.RetryAfter = 90 * time.Second
	f, ok := wire.FailureIn(gemini.Codec{}.AppendError(nil, e))
	if !ok || f.Status != 429 || f.Code != "RESOURCE_EXHAUSTED" || f.Message != "slow down" || f.RetryAfter != 90*time.Second || f.Class() != wire.ClassRateLimit {
		t.Errorf("got %+v", f)
	}
	again := f.AsError()
	if got := string(gemini.Codec{}.AppendError(nil, again)); !strings.Contains(got, `"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"90s"}]`) {
		t.Errorf("got %s", got)
	}
}

func TestAppendErrorEvent_IsOneEventWhateverTheTextHolds(t *testing.T) {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "it broke\n\ndata: {}\r\n]\"")
	for _, lineEnd := range []string{"\n", "\r\n"} {
		var tap wire.Tap
		before := strings.ReplaceAll(textChunk, "\n", lineEnd)
		o := play(t, &tap, string(gemini.Codec{}.AppendErrorEvent([]byte(before), e)))
		if len(o.Kinds) != 2 || o.Kinds[1] != wire.Failed || tap.Failure.Message != e.Message || tap.Failure.Status != 502 {
			t.Errorf("kinds %v, failure %+v", o.Kinds, tap.Failure)
		}
	}
}

func TestArray_OfWhichAnElementWasReadIsWholeWithTheError(t *testing.T) {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "it broke\n]")
	for _, sent := range []string{"[" + textData, "[\n" + textData + "\n,\r\n" + finishData} {
		body := gemini.Array{}.AppendErrorEvent([]byte(sent), e)
		var elements []struct {
			Error struct{ Message string }
		}
		if err := json.Unmarshal(body, &elements); err != nil || elements[len(elements)-1].Error.Message != e.Message {
			t.Errorf("%s: %v", body, err)
		}
		var tap wire.Tap
		if o := wiretest.Play(t, gemini.Array{}, &tap, string(body)); !o.Broken || o.Sent() != string(body) || tap.Failure.Status != 502 {
			t.Errorf("%s became %s", body, o.Sent())
		}
	}
}

func TestKeepAlive_IsBlankAndPassesOverEverything(t *testing.T) {
	codec := gemini.Codec{}
	var tap wire.Tap
	if o := play(t, &tap, codec.KeepAlive()+finish+codec.KeepAlive()+codec.KeepAlive()+finish); len(o.Kinds) != 2 || o.Broken || tap != finished() {
		t.Errorf("kinds %v, got %+v", o.Kinds, tap)
	}
	if strings.TrimRight(codec.KeepAlive(), "\n") != "" || (gemini.Array{}).KeepAlive() != "" || (gemini.Array{}).StreamType() != "" {
		t.Error("a keep-alive says something")
	}
}

func TestFraming_IsThatOfTheForm(t *testing.T) {
	for contentType, want := range map[string][2]wire.Framing{
		"application/json":                {wire.FramingNone, wire.FramingArray},
		"application/json; charset=UTF-8": {wire.FramingNone, wire.FramingArray},
		"":                                {wire.FramingNone, wire.FramingArray},
		"text/event-stream":               {wire.FramingEvents, wire.FramingEvents},
		"text/html":                       {wire.FramingNone, wire.FramingNone},
	} {
		if got := [2]wire.Framing{gemini.Codec{}.Framing(contentType), gemini.Array{}.Framing(contentType)}; got != want {
			t.Errorf("%q: %v, want %v", contentType, got, want)
		}
		if (gemini.Embeddings{}).Framing(contentType) != wire.FramingNone || (gemini.Counting{}).Framing(contentType) != wire.FramingNone {
			t.Errorf("%q: an answer that is never streamed is framed", contentType)
		}
	}
}

func TestAsk_NothingNeedBeAskedFor(t *testing.T) {
	body := []byte(`{"contents":[]}`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	for _, codec := range []wire.Codec{gemini.Codec{}, gemini.Array{}, gemini.Embeddings{}, gemini.Counting{}} {
		if _, asks := codec.AskUsage(body, &m); asks || !codec.WantsUsage(body, &m) || codec.Shape() != "gemini" || codec.Terminal() != "" {
			t.Errorf("%T: asks %v, shape %q, terminal %q", codec, asks, codec.Shape(), codec.Terminal())
		}
	}
}

func TestAppendModels_WritesTheListForm(t *testing.T) {
	const methods = `"supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]}`
	got := gemini.Codec{}.AppendModels(nil, []wire.Model{{ID: "lab/coder:7b", Created: 1764374400, OwnedBy: "lab"}, {ID: `q"`, DisplayName: "Quote"}})
	want := `{"models":[{"name":"models/lab/coder:7b","version":"","displayName":"lab/coder:7b","description":"",` + methods +
		`,{"name":"models/q\"","version":"","displayName":"Quote","description":"",` + methods + `]}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got %s", got)
	}
	if got := string(gemini.Codec{}.AppendModels(nil, nil)); got != `{"models":[]}` {
		t.Errorf("got %s", got)
	}
}
