package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// proxying switches proxy mode on, for strangers too where they may.
func (r *rig) proxying(strangers bool) {
	on := true
	put(r, store.SettingProxy, store.SettingSpec{Enabled: &on, AllowAnonymous: &strangers})
}

// systemLimit writes one of the system's limits.
func (r *rig) systemLimit(name string, rules ...limiter.Rule) {
	r.tb.Helper()
	rec := &store.RateLimit{Metadata: store.Metadata{Name: name, Owner: &store.Ref{Kind: store.KindSystem}}, Spec: store.RateLimitSpec{Rules: rules}}
	if _, err := r.db.Write(func(e *store.Edit) error { return e.Put(rec) }); err != nil {
		r.tb.Fatal(err)
	}
}

// proxied are the lines of a call with the caller's own upstream credential.
func proxied(key string, more ...string) []string {
	lines := append([]string{"X-Relay-Proxy: 1", "Authorization: Bearer own-upstream-credential"}, more...)
	if key != "" {
		lines = append(lines, "X-Relay-Key: "+key)
	}
	return lines
}

func TestProxyMode_IsOffUnlessItIsSwitchedOn(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{})
	if a := r.call("", chatBody, proxied(key)...); a.Status != 403 || !strings.Contains(a.Body, `"proxy_disabled"`) {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

func TestProxyMode_SendsTheCallersOwnCredentialAndBodyAndRecordsWhatWasUsed(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	key := r.key("laptop", store.RelayKeySpec{})
	for _, body := range []string{chatBody, streamBody} {
		k := kinds()[0]
		if body == streamBody {
			k = kinds()[1]
		}
		up.Play(k.says(7, 3))
		a := r.call("", body, proxied(key, "X-Wr-Proxy-Mode: Proxy")...)
		if a.Status != 200 || !strings.Contains(a.Body, `"prompt_tokens":7`) {
			t.Fatalf("got %d %s", a.Status, a.Body)
		}
	}
	for i, body := range []string{chatBody, streamBody} {
		sent := up.Request(i)
		if string(sent.Body) != body || sent.Header("Authorization")[0] != "Bearer own-upstream-credential" || strings.Contains(sent.Head, key) {
			t.Errorf("the upstream got %s%s", sent.Head, sent.Body)
		}
	}
	for _, e := range r.events(2) {
		if e.Source != "proxy" || e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.Host == "" || e.HostKey != "" || e.CostNanos == nil {
			t.Errorf("event %+v", e)
		}
	}
}

func TestProxyMode_IsUnderTheLimitsOfTheKeyAndOfTheModel(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	up.Otherwise(kinds()[0].says(7, 3))
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: new(int64(2))}})
	for i, want := range []int{200, 200, 429} {
		if a := r.call("", chatBody, proxied(key)...); a.Status != want {
			t.Errorf("call %d: got %d %s, want %d", i, a.Status, a.Body, want)
		}
	}
	r.systemLimit(store.SystemProxy, sliding(limiter.MeterRequests, 1, time.Minute))
	other := r.key("other", store.RelayKeySpec{})
	for i, want := range []int{200, 429} {
		if a := r.call("", chatBody, proxied(other)...); a.Status != want {
			t.Errorf("call %d under the system's limit: got %d %s, want %d", i, a.Status, a.Body, want)
		}
	}
	if a := r.call(other, chatBody); a.Status != 200 {
		t.Errorf("without proxy mode: got %d %s", a.Status, a.Body)
	}
	denied := r.key("denied", store.RelayKeySpec{Deny: []store.ModelRef{"chat"}})
	if a := r.call("", chatBody, proxied(denied)...); a.Status != 403 {
		t.Errorf("a denied model: got %d %s", a.Status, a.Body)
	}
}

func TestProxyMode_TakesTheRelayKeyInItsOwnHeaderOnly(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	up.Otherwise(kinds()[0].says(7, 3))
	key := r.key("laptop", store.RelayKeySpec{})
	for name, lines := range map[string][]string{
		"in Authorization": {"X-Relay-Proxy: 1", "Authorization: Bearer " + key},
		"nowhere":          proxied(""),
		"of no account":    proxied("sk-wr-nobody"),
	} {
		if a := r.call("", chatBody, lines...); a.Status != 401 {
			t.Errorf("%s: got %d %s", name, a.Status, a.Body)
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

func TestProxyMode_StrangersAreServedWhereTheyMayAndLimitedByAddress(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(kinds()[0].says(7, 3))
	r.systemLimit(store.SystemProxyAnonymous, sliding(limiter.MeterRequests, 2, time.Minute))
	r.proxying(true)
	for i, want := range []int{200, 200, 429} {
		if a := r.call("", chatBody, proxied("")...); a.Status != want {
			t.Errorf("call %d: got %d %s, want %d", i, a.Status, a.Body, want)
		}
	}
	if e := r.events(2)[1]; e.Source != "proxy" || e.Principal.ID != "" || e.Tokens.Input != 7 {
		t.Errorf("event %+v", e)
	}
}

func TestProxyMode_StrangersCannotUseAHostThatWantsNoCredential(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(kinds()[0].says(7, 3))
	r.proxying(true)
	m := put(r, "local", store.ModelSpec{})
	h := put(r, "home", store.HostSpec{BaseURL: up.URL() + "/v1", Auth: "none", Shapes: []store.Shape{store.ShapeOpenAI}})
	put(r, "local-home", store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: h.Metadata.ID})
	a := r.call("", strings.Replace(chatBody, "chat", "local", 1), proxied("")...)
	if a.Status < 400 || len(up.Requests()) != 0 {
		t.Errorf("got %d %s, the upstream saw %d requests", a.Status, a.Body, len(up.Requests()))
	}
}

func TestProxyMode_PassesOnWhatTheUpstreamSaysOfTheCallersKey(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	said := `{"error":{"message":"your own key is wrong","type":"invalid_request_error","code":"invalid_api_key","param":null}}`
	up.Otherwise(gatewaytest.JSON(401, said))
	key := r.key("laptop", store.RelayKeySpec{})
	if a := r.call("", chatBody, proxied(key)...); a.Status != 401 || a.Body != said {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	up.Otherwise(kinds()[0].says(7, 3))
	if a := r.call(key, chatBody); a.Status != 200 {
		t.Errorf("the pool's key suffered for it: got %d %s", a.Status, a.Body)
	}
}

func TestProxyMode_ReachesTheHostThatAHeaderNamesWithAModelNobodyKnows(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	up.Otherwise(kinds()[0].says(7, 3))
	key := r.key("laptop", store.RelayKeySpec{})
	body := strings.Replace(chatBody, `"chat"`, `"somebody/new"`, 1)
	if a := r.call("", body, proxied(key)...); a.Status != 404 {
		t.Errorf("without a host: got %d %s", a.Status, a.Body)
	}
	a := r.call("", body, proxied(key, "X-Relay-Host: up")...)
	if a.Status != 200 || string(up.Request(0).Body) != body {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
}
