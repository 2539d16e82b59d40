package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

const upstreamError = `{"error":{"message":"said by upstream","type":"t","code":"c"}}`

func TestFailover_TriesTheNextKeyAfterEveryRefusalThatIsNotTheRequestsFault(t *testing.T) {
	for name, first := range map[string]gatewaytest.Script{
		"401":                    gatewaytest.JSON(401, upstreamError),
		"402":                    gatewaytest.JSON(402, upstreamError),
		"403 about the key":      gatewaytest.JSON(403, `{"error":{"message":"your account is suspended"}}`),
		"429":                    gatewaytest.JSON(429, upstreamError),
		"429 without money":      gatewaytest.JSON(429, `{"error":{"message":"x","code":"insufficient_quota"}}`),
		"500":                    gatewaytest.JSON(500, upstreamError),
		"503":                    gatewaytest.JSON(503, upstreamError),
		"reset before headers":   gatewaytest.Reset(),
		"cut within headers":     gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 200 OK\r\nContent-Le"), gatewaytest.Reset()),
		"short body":             gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 500"), gatewaytest.Raw(`{"choices":[`), gatewaytest.Close()),
		"200 with an error":      gatewaytest.JSON(200, `{"error":{"message":"quota","code":429}}`),
		"error as first event":   gatewaytest.Stream("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"),
		"stream without a event": gatewaytest.Stream(": hello\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t, first, stream)
			r.host("up", up, 2)
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(5), Concurrency: int64p(1)}})
			a := r.call(key, streamBody)
			if want := deltaEvent + finishEvent + doneEvent; a.Status != 200 || a.Body != want {
				t.Fatalf("got %d %q, want %q", a.Status, a.Body, want)
			}
			if got := []string{up.Request(0).Header("Authorization")[0], up.Request(1).Header("Authorization")[0]}; got[0] != "Bearer secret-of-UP_1" || got[1] != "Bearer secret-of-UP_2" {
				t.Errorf("keys used: %q", got)
			}
			if a.Header.Get("X-Relay-Attempts") != "2" {
				t.Errorf("X-Relay-Attempts %q", a.Header.Get("X-Relay-Attempts"))
			}
			e := r.events(1)[0]
			if len(e.Attempts) != 2 || e.Tokens.Output != 20 {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestFailover_ForwardsTheRequestsOwnFaultAsItIs(t *testing.T) {
	for _, status := range []int{400, 404, 413, 422} {
		r := newRig(t)
		up := gatewaytest.New(t, gatewaytest.JSON(status, upstreamError))
		r.host("up", up, 2)
		a := r.call(r.key("laptop", store.RelayKeySpec{}), chatBody)
		if a.Status != status || a.Body != upstreamError || a.Header.Get("X-Relay-Refused-By") != "upstream:up" {
			t.Errorf("got %d %s by %q", a.Status, a.Body, a.Header.Get("X-Relay-Refused-By"))
		}
		if n := len(up.Requests()); n != 1 {
			t.Errorf("the upstream saw %d requests, want 1", n)
		}
		if e := r.events(1)[0]; e.ErrorKind != "upstream_error" || e.Status != status {
			t.Errorf("event %+v", e)
		}
	}
}

func TestFailover_WithNoKeyLeftTheLastRefusalDecides(t *testing.T) {
	for name, c := range map[string]struct {
		script gatewaytest.Script
		status int
		text   string
	}{
		"auth is a gateway's fault": {gatewaytest.JSON(401, upstreamError), 502, `"code":"upstream_auth"`},
		"429 is forwarded":          {gatewaytest.JSON(429, upstreamError), 429, "said by upstream"},
		"500":                       {gatewaytest.JSON(500, upstreamError), 502, "said by upstream"},
		"redirect":                  {gatewaytest.Join(gatewaytest.Head(302, "Location: http://127.0.0.1:1/", "Content-Length: 0")), 502, "upstream_redirect"},
		"reset":                     {gatewaytest.Reset(), 502, "upstream_unavailable"},
		"html":                      {gatewaytest.Join(gatewaytest.Head(200, "Content-Type: text/html", "Content-Length: 4"), gatewaytest.Raw("<p/>")), 502, "upstream_invalid_response"},
		"empty":                     {gatewaytest.JSON(200, ""), 502, "upstream_invalid_response"},
		"204":                       {gatewaytest.Head(204), 502, "upstream_invalid_response"},
		"200 with an error":         {gatewaytest.JSON(200, `{"error":{"message":"busy","code":503}}`), 503, "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t)
			up.Otherwise(c.script)
			r.host("up", up, 1)
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
			r.want(r.call(key, chatBody), c.status, c.text)
			if e := r.events(1)[0]; e.CostNanos != nil || e.ErrorKind == "" || e.Status != c.status {
				t.Errorf("event %+v", e)
			}
			put(r, "fresh", store.HostKeySpec{HostID: r.db.Catalog().Hosts.ByName("up").Metadata.ID, Source: store.KeySource{Kind: "env", Env: "FRESH"}})
			up.Otherwise(answer)
			r.want(r.call(key, chatBody), 200, "hello")
		})
	}
}

func TestFailover_AnUnreachableHostGivesWayToAnother(t *testing.T) {
	r := newRig(t)
	gone := gatewaytest.New(t)
	r.host("gone", gone, 2)
	spec := r.db.Catalog().Hosts.ByName("gone").Spec
	spec.BaseURL = "http://" + closedPort(t) + "/v1"
	put(r, "gone", spec)
	key := r.key("laptop", store.RelayKeySpec{})
	a := r.call(key, chatBody)
	r.want(a, 502, "upstream_unreachable")
	if strings.Contains(a.Body, "secret-of") {
		t.Errorf("the answer shows a key: %s", a.Body)
	}
	r.host("up", gatewaytest.New(t, answer), 1)
	r.want(r.call(key, chatBody), 200, "hello")
	if s := r.server.HostStates()[r.db.Catalog().Hosts.ByName("gone").Metadata.ID]; s.Health != "unreachable" {
		t.Errorf("host state %+v", s)
	}
	for id, s := range r.server.KeyStates() {
		if s.State != "closed" {
			t.Errorf("key %s is %s: an unreachable host is not the key's fault", id, s.State)
		}
	}
}

func TestBreaker_AKeyThatIsRefusedIsNotTriedAgain(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.JSON(401, upstreamError))
	up.Otherwise(answer)
	r.host("up", up, 2)
	key := r.key("laptop", store.RelayKeySpec{})
	for range 5 {
		r.want(r.call(key, chatBody), 200, "hello")
	}
	if n := len(up.Requests()); n != 6 {
		t.Errorf("the upstream saw %d requests, want 6: the refused key once", n)
	}
	put(r, "up-1", store.HostKeySpec{HostID: r.db.Catalog().Hosts.ByName("up").Metadata.ID, Source: store.KeySource{Kind: "env", Env: "ROTATED"}})
	r.want(r.call(key, chatBody), 200, "hello")
	if got := up.Request(6).Header("Authorization")[0]; got != "Bearer secret-of-ROTATED" {
		t.Errorf("after its rotation the key is not tried at once: %s", got)
	}
}

func TestBreaker_OpensAtTheThirdServerErrorInARow(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.JSON(500, upstreamError))
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	for range 3 {
		r.want(r.call(key, chatBody), 502, "upstream_unavailable")
	}
	r.want(r.call(key, chatBody), 503, "no_keys")
	if n := len(up.Requests()); n != 3 {
		t.Errorf("the upstream saw %d requests, want 3", n)
	}
}

func TestTierPolicy_AKeyWithoutRoomIsPassedOver(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 2)
	rl := put(r, "tier-rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}}})
	h := r.db.Catalog().Hosts.ByName("up")
	tier := &store.Policy{
		Metadata: store.Metadata{Name: "tier", Owner: &store.Ref{Kind: store.KindHost, ID: h.Metadata.ID}},
		Spec:     store.PolicySpec{RateLimitID: rl.Metadata.ID},
	}
	if _, err := r.db.Write(func(e *store.Edit) error { return e.Put(tier) }); err != nil {
		t.Fatal(err)
	}
	spec := h.Spec
	spec.DefaultTierPolicyID = tier.Metadata.ID
	put(r, "up", spec)
	key := r.key("laptop", store.RelayKeySpec{})
	r.want(r.call(key, chatBody), 200, "hello")
	r.advance(20e9)
	r.want(r.call(key, chatBody), 200, "hello")
	a := r.call(key, chatBody)
	r.want(a, 429, "All 2 keys for chat at up are at their own limit; retry after 41 s.")
	if a.Header.Get("Retry-After") != "41" {
		t.Errorf("Retry-After %q, want that of the soonest key", a.Header.Get("Retry-After"))
	}
	if n := len(up.Requests()); n != 2 {
		t.Errorf("the upstream saw %d requests, want 2", n)
	}
}

func TestFailover_ChargesTheCallerOnce(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.JSON(500, upstreamError), gatewaytest.JSON(500, upstreamError), answer)
	up.Otherwise(answer)
	r.host("up", up, 3)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(2)}})
	r.want(r.call(key, chatBody), 200, "hello")
	r.want(r.call(key, chatBody), 200, "hello")
	r.want(r.call(key, chatBody), 429, "2 of 2 requests")
}

func TestSelection_SpreadsOverThePool(t *testing.T) {
	for selection, want := range map[string]string{"prioritized": "111111", "round-robin": "123123", "least-recently-used": "123123"} {
		t.Run(selection, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t)
			up.Otherwise(answer)
			r.host("up", up, 3)
			key := r.key("laptop", store.RelayKeySpec{})
			put(r, "open", store.PolicySpec{Pools: []store.Pool{{Name: "main", Selection: selection}}})
			got := ""
			for i := range 6 {
				r.want(r.call(key, chatBody), 200, "hello")
				var n int
				if _, err := fmt.Sscanf(up.Request(i).Header("Authorization")[0], "Bearer secret-of-UP_%d", &n); err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprint(n)
			}
			if got != want {
				t.Errorf("keys %s, want %s", got, want)
			}
		})
	}
}
