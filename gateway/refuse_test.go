package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestCredentials_AreTakenFromEveryUsualHeader(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	good, other := r.key("laptop", store.RelayKeySpec{}), r.key("phone", store.RelayKeySpec{})
	for name, c := range map[string]struct {
		headers []string
		status  int
		text    string
	}{
		"bearer":                    {[]string{"Authorization: Bearer " + good}, 200, "hello"},
		"lower-case bearer, spaces": {[]string{"Authorization: bearer   " + good}, 200, "hello"},
		"x-api-key":                 {[]string{"x-api-key: " + good}, 200, "hello"},
		"x-goog-api-key":            {[]string{"x-goog-api-key: " + good}, 200, "hello"},
		"x-relay-key":               {[]string{"X-Relay-Key: " + good}, 200, "hello"},
		"beside a foreign key":      {[]string{"Authorization: Bearer sk-ant-stale", "x-api-key: " + good}, 200, "hello"},
		"the same key twice":        {[]string{"Authorization: Bearer " + good, "x-api-key: " + good}, 200, "hello"},
		"two relay keys":            {[]string{"Authorization: Bearer " + good, "x-api-key: " + other}, 401, "ambiguous_credentials"},
		"none":                      {nil, 401, "unauthenticated"},
		"unknown":                   {[]string{"Authorization: Bearer sk-wr-unknown"}, 401, "unauthenticated"},
		"empty":                     {[]string{"Authorization: Bearer "}, 401, "unauthenticated"},
		"basic":                     {[]string{"Authorization: Basic " + good}, 401, "unauthenticated"},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.call("", chatBody, c.headers...)
			r.want(a, c.status, c.text)
			if c.status == 401 && a.Header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
			if strings.Contains(a.Body, "sk-wr-unknown") {
				t.Error("the key is echoed")
			}
		})
	}
}

func TestCredentials_AKeyWhoseTimeIsOverSaysSo(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	r.host("up", up, 1)
	past, off := time.Now().Add(-time.Hour).UTC().Truncate(time.Second), false
	r.want(r.call(r.key("old", store.RelayKeySpec{ExpiresAt: &past}), chatBody), 401, "key_expired")
	r.want(r.call(r.key("revoked", store.RelayKeySpec{RevokedAt: &past}), chatBody), 401, "key_revoked")
	r.want(r.call(r.key("off", store.RelayKeySpec{Enabled: &off}), chatBody), 401, "key_disabled")
	r.want(r.call(r.key("elsewhere", store.RelayKeySpec{AllowedCIDRs: []string{"10.0.0.0/8"}}), chatBody), 403, "ip_restricted")
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

func TestBadRequests_AreRefusedBeforeAnUpstreamSeesThem(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	for body, want := range map[string]string{
		``:                                   "parse_error",
		`{"model":"chat"`:                    "parse_error",
		`[]`:                                 "parse_error",
		`{"model":"chat","model":"chat"}`:    "parse_error",
		`{"Model":"chat"}`:                   "parse_error",
		`{"messages":[]}`:                    "missing_model",
		`{"model":null}`:                     "missing_model",
		`{"model":""}`:                       "missing_model",
		`{"model":["chat"]}`:                 "missing_model",
		`{"model":"chat","api_base":"http"}`: "unsupported_param",
	} {
		r.want(r.call(key, body), 400, want)
	}
	r.want(r.call(key, `{"model":"chta"}`), 404, `No model \"chta\"; this key may use chat (GET /v1/models).`)
	r.want(r.call(key, chatBody, "Content-Encoding: br"), 415, "unsupported_encoding")
	r.want(r.call(key, chatBody, "Relay-Hops: 3"), 508, "loop_detected")
	r.want(gatewaytest.Do(t, r.addr, "GET /v1/chat/completions HTTP/1.1\r\nHost: a\r\n\r\n"), 405, "method_not_allowed")
	r.want(gatewaytest.Do(t, r.addr, "GET /v1/chat/completion HTTP/1.1\r\nHost: a\r\n\r\n"), 404, "POST /v1/chat/completions")
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	up.Play(answer)
	r.want(r.call(key, chatBody), 200, "hello")
}

func TestBodyOverTheCap_IsRefusedByItsLengthAndByItsBytes(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	key := r.key("laptop", store.RelayKeySpec{})
	c := gatewaytest.Dial(t, r.addr)
	c.Send("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nContent-Length: 1048577\r\nExpect: 100-continue\r\n\r\n")
	r.want(c.Answer(), 413, "1 MiB")
	if strings.Contains(c.Received(), "100 Continue") {
		t.Error("the body was asked for")
	}
	chunk := strings.Repeat("a", 1<<19)
	c = gatewaytest.Dial(t, r.addr)
	c.Send("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk), 2) + "1\r\nb\r\n0\r\n\r\n")
	r.want(c.Answer(), 413, "request_too_large")
}

func TestRefusedKey_IsAnsweredBeforeTheBodyIsRead(t *testing.T) {
	r := newRig(t)
	c := gatewaytest.Dial(t, r.addr)
	c.Send("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-wr-x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	r.want(c.Answer(), 401, "unauthenticated")
	if strings.Contains(c.Received(), "100 Continue") {
		t.Error("the body was asked for")
	}
}

func TestLimitOfAKey_RefusesWithItsTextAndWhenToComeBack(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	r.want(r.call(key, chatBody), 200, "hello")
	r.advance(20 * time.Second)
	a := r.call(key, chatBody)
	const want = `{"error":{"message":"Limit of key laptop: 1 of 1 requests in 1m used; retry after 41 s.","type":"rate_limit_exceeded","code":"rate_limit_exceeded","param":null,` +
		`"rate_limit":{"name":"","meter":"requests","window":60,"amount":1,"used":1,"scope":"key","shared_by":1,"retry_after":41}}}`
	if a.Status != 429 || a.Body != want {
		t.Errorf("got %d %s\nwant %s", a.Status, a.Body, want)
	}
	for name, want := range map[string]string{"Retry-After": "41", "Retry-After-Ms": "41000", "X-Relay-Refused-By": "limit", "X-Should-Retry": ""} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if e := r.events(2)[1]; e.Status != 429 || e.RefusedBy.Meter != "requests" || e.CostNanos != nil || len(e.Attempts) != 0 {
		t.Errorf("event %+v", e)
	}
	r.advance(40 * time.Second)
	r.want(r.call(key, chatBody), 429, "retry after 1 s")
	r.advance(time.Second)
	r.want(r.call(key, chatBody), 200, "hello")
}

func TestBudget_RefusesOnceSpentUntilItsPeriodEnds(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "0.0006", Period: "day", OnExceed: "block"}}})
	r.want(r.call(key, chatBody), 200, "hello")
	a := r.call(key, chatBody)
	r.want(a, 429, "Budget of key laptop: quota of $0.0006 a day is used up ($0.0006); it resets 2026-03-03 00:00 UTC. Ask your gateway administrator.")
	if a.Header.Get("Retry-After") != "43200" || a.Header.Get("X-Should-Retry") != "false" || a.Header.Get("X-Relay-Refused-By") != "budget" {
		t.Errorf("headers %v", a.Header)
	}
	r.advance(12 * time.Hour)
	r.want(r.call(key, chatBody), 200, "hello")
}

func TestOrganization_RefusesWithCodesOfItsOwn(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	put(r, "acme", store.OrganizationSpec{Limits: &store.Limits{RPM: int64p(1)}})
	r.want(r.call(key, chatBody), 200, "hello")
	a := r.call(key, chatBody)
	r.want(a, 429, `"code":"org_rate_limit_exceeded"`)
	if !strings.Contains(a.Body, "Limit of organization acme: 1 of 1 requests in 1m used") {
		t.Errorf("the widest limit is not the one named: %s", a.Body)
	}
}

func TestEditOfAnAmount_KeepsTheCount(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	rules := func(amount int64) store.RateLimitSpec {
		return store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: amount, Window: 60, Strategy: limiter.SlidingWindow}}}
	}
	rl := put(r, "rl", rules(2))
	put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
	r.want(r.call(key, chatBody), 200, "hello")
	r.want(r.call(key, chatBody), 200, "hello")
	r.want(r.call(key, chatBody), 429, "2 of 2")
	put(r, "rl", rules(3))
	r.want(r.call(key, chatBody), 200, "hello")
	r.want(r.call(key, chatBody), 429, "3 of 3")
}

func TestModels_ListsWhatTheKeyMayUse(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	put(r, "lab/coder:7b", store.ModelSpec{})
	put(r, "coder-up", store.HostBindingSpec{ModelID: r.db.Catalog().Models.ByName("lab/coder:7b").Metadata.ID, HostID: r.db.Catalog().Hosts.ByName("up").Metadata.ID})
	key := r.key("laptop", store.RelayKeySpec{})
	get := func(path string) gatewaytest.Answer {
		return gatewaytest.Do(t, r.addr, "GET "+path+" HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+key+"\r\n\r\n")
	}
	a := get("/v1/models")
	r.want(a, 200, `"id":"chat","object":"model"`)
	r.want(a, 200, `"id":"lab/coder:7b"`)
	r.want(get("/v1/models/lab/coder:7b"), 200, `"id":"lab/coder:7b"`)
	r.want(get("/v1/models/lab%2Fcoder%3A7b"), 200, `"id":"lab/coder:7b"`)
	r.want(get("/v1/models/none"), 404, "model_not_found")
	r.want(gatewaytest.Do(t, r.addr, "GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n"), 401, "unauthenticated")
	r.want(gatewaytest.Do(t, r.addr, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"), 200, "ok")
	r.want(gatewaytest.Do(t, r.addr, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 200, "Relay")
}

func TestKeyCaps_NarrowModels(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	other := put(r, "other", store.ModelSpec{})
	key := r.key("laptop", store.RelayKeySpec{Models: []store.ModelRef{store.ModelRef(other.Metadata.ID)}})
	r.want(r.call(key, chatBody), 403, "model_not_allowed")
	r.want(r.call(key, `{"model":"other"}`), 503, "no_host_binding")
}
