package wire_test

import (
	"testing"
	"time"

	"relay/gateway/wire"
)

func TestAnswerFailure_ReadsTheWaitOfGooglesDetails(t *testing.T) {
	for details, want := range map[string]time.Duration{
		`[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13s"}]`: 13 * time.Second,
		`[{"retryDelay":"0.25s"}]`:   250 * time.Millisecond,
		`[{"retryDelay":"34.074s"}]`: 34074 * time.Millisecond,
		`[{"retryDelay":"-5s"}]`:     0,
		`[{"retryDelay":13}]`:        0,
		`[{"retryDelay":"1h"}]`:      0,
		`[{"retryDelay":"soon"}]`:    0,
		`"13s"`:                      0,
		`null`:                       0,
	} {
		body := `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":` + details + `}}`
		for _, body := range []string{body, "[" + body + "]"} {
			if got := wire.AnswerFailure(429, []byte(body)).RetryAfter; got != want {
				t.Errorf("%s: %v, want %v", details, got, want)
			}
		}
	}
}
