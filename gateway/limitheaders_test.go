package gateway_test

import (
	"strconv"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

func TestLimitHeaders_AreToldAsTheModeSays(t *testing.T) {
	none := map[string]string{
		"X-Ratelimit-Limit": "", "X-Ratelimit-Limit-Requests": "", "X-Ratelimit-Remaining-Concurrent": "",
	}
	refused := map[string]string{
		"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "61", "X-Ratelimit-Scope": "rpm", "Retry-After": "61",
	}
	answered := map[string]string{
		"X-Ratelimit-Limit-Requests": "3", "X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Reset-Requests": "61s",
		"X-Ratelimit-Limit-Tokens": "1000", "X-Ratelimit-Remaining-Tokens": "760", "X-Ratelimit-Reset-Tokens": "61s",
		"X-Ratelimit-Limit-Concurrent": "5", "X-Ratelimit-Remaining-Concurrent": "5", "X-Ratelimit-Upstream": "",
	}
	passed := map[string]string{"X-Ratelimit-Limit-Requests": "", "X-Ratelimit-Upstream": "x"}
	for name, c := range map[string]struct {
		mode              gateway.LimitHeaders
		answered, refused map[string]string
	}{
		"off":        {gateway.LimitHeadersOff, passed, none},
		"rejections": {gateway.LimitHeadersRejections, passed, refused},
		"all":        {gateway.LimitHeadersAll, answered, refused},
	} {
		for _, shape := range []string{"chat", "messages"} {
			t.Run(name+" "+shape, func(t *testing.T) {
				r := newUnrecordedRig(t, func(o *gateway.Options) { o.LimitHeaders = c.mode })
				r.startUsage()
				up := gatewaytest.New(t)
				r.host("up", up, 1)
				r.claude(up)
				path, body, script := "/v1/chat/completions", chatBody, answerBody
				if shape == "messages" {
					path, body, script = "/v1/messages", messageBody, strings.Replace(messageAnswer, `"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550`, `"input_tokens":100,"output_tokens":20`, 1)
				}
				head := []string{"X-Ratelimit-Upstream: x", "Content-Type: application/json", "Content-Length: " + strconv.Itoa(len(script))}
				up.Otherwise(gatewaytest.Join(gatewaytest.Head(200, head...), gatewaytest.Raw(script)))
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(3), RPH: int64p(100), TPM: int64p(1000), Concurrency: int64p(5)}})
				r.want(r.post(path, key, body), 200, "hello")
				wantHeaders(t, r.post(path, key, body), c.answered)
				r.want(r.post(path, key, body), 200, "hello")
				wantHeaders(t, r.post(path, key, body), c.refused)
			})
		}
	}
}

func wantHeaders(t *testing.T, a gatewaytest.Answer, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := a.Header.Get(name); got != value {
			t.Errorf("%d: %s is %q, want %q", a.Status, name, got, value)
		}
	}
}
