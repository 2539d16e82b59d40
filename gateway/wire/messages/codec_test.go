package messages_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
)

func TestAppendError_WritesTheShapesForm(t *testing.T) {
	e := wire.NewError(wire.CodeModelNotFound, `No "m"; try é.`)
	e.RequestID = "req-1"
	want := `{"type":"error","error":{"type":"not_found_error","message":"No \"m\"; try é."},"request_id":"req-1"}`
	if got := string(messages.Codec{}.AppendError(nil, e)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e.RequestID, e.Param, e.RateLimit = "", "n", &wire.RateLimit{Name: "chat-rl"}
	want = strings.Replace(want, `"req-1"`, "null", 1)
	if got := string(messages.Codec{}.AppendError(nil, e)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// table gives the type of each status.
const table = `
400 invalid_request_error
401 authentication_error
403 permission_error
404 not_found_error
405 invalid_request_error
408 invalid_request_error
409 invalid_request_error
413 request_too_large
415 invalid_request_error
421 invalid_request_error
422 invalid_request_error
426 invalid_request_error
429 rate_limit_error
431 invalid_request_error
500 api_error
502 api_error
503 overloaded_error
504 api_error
508 api_error
529 overloaded_error
`

func TestAppendError_GivesEachStatusItsType(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		fields := strings.Fields(line)
		status, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := typeOf(t, &wire.Error{Status: status, Type: wire.TypeServer}); got != fields[1] {
			t.Errorf("%d: type %s, want %s", status, got, fields[1])
		}
	}
}

func TestAppendError_KeepsWhatAnUpstreamSaysBeyondItsStatus(t *testing.T) {
	for failure, want := range map[wire.Failure]string{
		{Status: 402, Type: "billing_error"}:         "billing_error",
		{Status: 504, Type: "timeout_error"}:         "timeout_error",
		{Status: 409, Type: "conflict_error"}:        "conflict_error",
		{Status: 429, Type: "insufficient_quota"}:    "rate_limit_error",
		{Status: 413, Type: "invalid_request_error"}: "request_too_large",
		{Status: 500}: "api_error",
	} {
		if got := typeOf(t, failure.AsError()); got != want {
			t.Errorf("%+v: type %s, want %s", failure, got, want)
		}
	}
}

func typeOf(t *testing.T, e *wire.Error) string {
	t.Helper()
	var body struct{ Error struct{ Type string } }
	if err := json.Unmarshal(messages.Codec{}.AppendError(nil, e), &body); err != nil {
		t.Fatal(err)
	}
	return body.Error.Type
}

func TestStatus_IsTheShapesOwnWhereRelayIsOverloaded(t *testing.T) {
	for code, want := range map[string]int{
		wire.CodeOverloaded: 529, wire.CodeNoKeys: 503, wire.CodeStarting: 503, wire.CodeRateLimitExceeded: 429, wire.CodeParseError: 400,
	} {
		if got := (messages.Codec{}).Status(wire.NewError(code, "m")); got != want {
			t.Errorf("%s: status %d, want %d", code, got, want)
		}
	}
}

func TestAppendErrorEvent_IsOneEventWhateverTheTextHolds(t *testing.T) {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "it broke\n\nevent: message_stop\r\n")
	broken := string(messages.Codec{}.AppendErrorEvent([]byte(body), e))
	o, tap := play(t, broken)
	if o.Before != body || !strings.HasPrefix(o.After, "event: error\n") || tap.Failure.Message != e.Message || tap.Failure.Type != "api_error" {
		t.Errorf("sent %q, failure %+v", o.After, tap.Failure)
	}
}

func TestAppendModels_WritesTheListForm(t *testing.T) {
	got := messages.Codec{}.AppendModels(nil, []wire.Model{
		{ID: "lab/coder:7b", DisplayName: "Coder", Created: 1764374400, OwnedBy: "lab"}, {ID: `q"`},
	})
	want := `{"data":[{"type":"model","id":"lab/coder:7b","display_name":"Coder","created_at":"2025-11-29T00:00:00Z"},` +
		`{"type":"model","id":"q\"","display_name":"q\"","created_at":"1970-01-01T00:00:00Z"}],"has_more":false,"first_id":"lab/coder:7b","last_id":"q\""}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got %s", got)
	}
	if got := string(messages.Codec{}.AppendModels(nil, nil)); got != `{"data":[],"has_more":false,"first_id":null,"last_id":null}` {
		t.Errorf("got %s", got)
	}
}

func TestCodec_AsksForNothing(t *testing.T) {
	if _, asks := (messages.Codec{}).AskUsage(nil, nil); asks || !(messages.Codec{}).WantsUsage(nil, nil) {
		t.Error("usage must be asked for")
	}
	if got := (messages.Codec{}).Shape(); got != "anthropic" {
		t.Errorf("shape %q", got)
	}
}
