package chat_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

func TestAppendError_WritesTheOpenAIForm(t *testing.T) {
	for want, e := range map[string]*wire.Error{
		`{"error":{"message":"No \"m\"; try é.","type":"invalid_request_error","code":"model_not_found","param":null}}`: wire.NewError(wire.CodeModelNotFound, `No "m"; try é.`),
		`{"error":{"message":"m","type":"t","code":null,"param":"n"}}`:                                                  {Message: "m", Type: "t", Param: "n"},
		`{"error":{"message":"m","type":"rate_limit_exceeded","code":"rate_limit_exceeded","param":null,` +
			`"rate_limit":{"name":"chat-rl","meter":"requests","window":60,"amount":60,"used":60,"scope":"policy","shared_by":3,"retry_after":12}}}`: {
			Message: "m", Type: wire.TypeRateLimit, Code: wire.CodeRateLimitExceeded,
			RateLimit: &wire.RateLimit{Name: "chat-rl", Meter: "requests", Window: 60, Amount: 60, Used: 60, Scope: "policy", SharedBy: 3, RetryAfter: 11500 * time.Millisecond},
		},
		`{"error":{"message":"m","type":"","code":null,"param":null,` +
			`"rate_limit":{"name":"","meter":"concurrency","window":null,"amount":5,"used":5,"scope":"key","shared_by":null,"retry_after":null}}}`: {
			Message: "m", RateLimit: &wire.RateLimit{Meter: "concurrency", Amount: 5, Used: 5, Scope: "key"},
		},
	} {
		if got := string(chat.Codec{}.AppendError(nil, e)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestStatus_IsTheErrorsOwn(t *testing.T) {
	for _, code := range []string{wire.CodeOverloaded, wire.CodeRateLimitExceeded, wire.CodeParseError} {
		e := wire.NewError(code, "m")
		if got := (chat.Codec{}).Status(e); got != e.Status {
			t.Errorf("%s: status %d, want %d", code, got, e.Status)
		}
	}
}

func TestAppendErrorEvent_IsOneEventWhateverTheTextHolds(t *testing.T) {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "it broke\n\ndata: [DONE]\r\n")
	var tap wire.Tap
	kinds := play(t, &tap, string(chat.Codec{}.AppendErrorEvent([]byte(delta), e)))
	if !slices.Equal(kinds, []wire.Kind{wire.Content, wire.Failed}) || tap.Failure.Message != e.Message {
		t.Errorf("kinds %v, failure %+v", kinds, tap.Failure)
	}
}

func TestKeepAliveAndTerminal_AreWhatTheCodecReads(t *testing.T) {
	codec := chat.Codec{}
	var tap wire.Tap
	if kinds := play(t, &tap, codec.KeepAlive()+codec.Terminal()); !slices.Equal(kinds, []wire.Kind{wire.Terminal}) {
		t.Errorf("kinds %v", kinds)
	}
	if codec.Shape() != "openai" {
		t.Errorf("shape %q", codec.Shape())
	}
}

func TestAppendModels_WritesTheListForm(t *testing.T) {
	got := chat.Codec{}.AppendModels(nil, []wire.Model{{ID: "lab/coder:7b", Created: 1764374400, OwnedBy: "lab"}, {ID: `q"`, OwnedBy: ""}})
	want := `{"object":"list","data":[{"id":"lab/coder:7b","object":"model","created":1764374400,"owned_by":"lab"},{"id":"q\"","object":"model","created":0,"owned_by":""}]}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got %s", got)
	}
	if got := string(chat.Codec{}.AppendModels(nil, nil)); got != `{"object":"list","data":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestAskUsage_AddsTheAskAndKeepsTheRest(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","stream":true}`:                                          `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`,
		`{"model":"m","stream_options":null }`:                                 `{"model":"m","stream_options":{"include_usage":true} }`,
		`{"stream_options":{},"model":"m"}`:                                    `{"stream_options":{"include_usage":true},"model":"m"}`,
		`{"stream_options": { "x":1 } ,"model":"m"}`:                           `{"stream_options": {"include_usage":true, "x":1 } ,"model":"m"}`,
		`{"stream_options":{"x":[{}],"include_usage":false,"y":2},"model":""}`: `{"stream_options":{"x":[{}],"include_usage":true,"y":2},"model":""}`,
		`{"stream_options":{"include_usage":null},"model":"m"}`:                `{"stream_options":{"include_usage":true},"model":"m"}`,
		`{"stream_options":{"include_usage":true,"include_usage":false}}`:      `{"stream_options":{"include_usage":true,"include_usage":true}}`,
		`{"stream_options":{"include_usage":true},"model":"m"}`:                "",
		`{"stream_options":"x","model":"m"}`:                                   "",
		`{"stream_options":[],"model":"m"}`:                                    "",
	} {
		var m wire.Members
		if err := wire.Scan([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		edit, ok := chat.Codec{}.AskUsage([]byte(body), &m)
		if !ok {
			if want != "" {
				t.Errorf("%s: no edit", body)
			}
			continue
		}
		spliced := wire.Splice(nil, []byte(body), edit)
		if string(spliced) != want {
			t.Errorf("%s became %s, want %s", body, spliced, want)
		}
		if err := wire.Scan(spliced, &m); err != nil || !(chat.Codec{}).WantsUsage(spliced, &m) {
			t.Errorf("%s does not ask: %v", spliced, err)
		}
	}
}

func TestWantsUsage_IsTrueOnlyWhenAsked(t *testing.T) {
	for body, want := range map[string]bool{
		`{"stream_options":{"include_usage":true}}`: true, `{"stream_options":{"include_usage":false}}`: false,
		`{"stream_options":{}}`: false, `{"stream_options":null}`: false, `{}`: false, `{"stream_options":{"include_usage":"true"}}`: false,
		`{"stream_options":{"include_usage":true,"include_usage":false}}`: false,
	} {
		var m wire.Members
		if err := wire.Scan([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		if got := (chat.Codec{}).WantsUsage([]byte(body), &m); got != want {
			t.Errorf("%s: got %v", body, got)
		}
	}
}
