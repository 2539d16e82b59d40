package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

const foreignKey = "sk-ant-api03-a-stale-key-of-another-vendor"

// lookups are the routes that answer without an upstream.
func lookups() []string { return []string{"/v1/models", "/v1/models/chat", "/v1/usage"} }

func TestCredentials_AForeignKeyBesideAValidOneDoesNotCount(t *testing.T) {
	r, up := newStand(t)
	valid := r.key("laptop", store.RelayKeySpec{})
	values := map[string]string{"absent": "", "valid": valid, "foreign": foreignKey}
	for bearer, inBearer := range values {
		for apiKey, inAPIKey := range values {
			var headers []string
			if inBearer != "" {
				headers = append(headers, "Authorization: Bearer "+inBearer)
			}
			if inAPIKey != "" {
				headers = append(headers, "x-api-key: "+inAPIKey)
			}
			for _, k := range kinds() {
				up.Otherwise(k.says(5, 5))
				a := gatewaytest.Do(t, r.addr, k.request("", headers...))
				checkAdmission(t, fmt.Sprintf("%s, bearer %s, x-api-key %s", k.name, bearer, apiKey), a, inBearer == valid || inAPIKey == valid, k.model)
			}
			for _, path := range lookups() {
				a := gatewaytest.Do(t, r.addr, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+strings.Join(append(headers, "\r\n"), "\r\n"))
				checkAdmission(t, path, a, inBearer == valid || inAPIKey == valid, "chat")
			}
		}
	}
	for _, sent := range up.Requests() {
		if text := sent.Head + string(sent.Body); strings.Contains(text, valid) || strings.Contains(text, foreignKey) {
			t.Fatalf("a credential of the caller went upstream: %s", text)
		}
	}
}

// checkAdmission fails the test unless the call passed, or was refused for its
// credential in the shape of its route.
func checkAdmission(t *testing.T, name string, a gatewaytest.Answer, admitted bool, model string) {
	t.Helper()
	if admitted {
		if a.Status != 200 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		return
	}
	want := `{"error":{"message":"No valid relay key.`
	if model == "claude" {
		want = `{"type":"error","error":{"type":"authentication_error","message":"No valid relay key.`
	}
	if a.Status != 401 || !strings.HasPrefix(a.Body, want) || a.Header.Get("WWW-Authenticate") != `Bearer realm="relay"` || a.Header.Get("X-Relay-Refused-By") != "key" {
		t.Errorf("%s: %d %s %v", name, a.Status, a.Body, a.Header)
	}
}

func TestCredentials_AreTakenInEverySpelling(t *testing.T) {
	r, up := newStand(t)
	valid, other := r.key("laptop", store.RelayKeySpec{}), r.key("phone", store.RelayKeySpec{})
	for _, c := range []struct {
		headers []string
		status  int
		text    string
	}{
		{[]string{"Authorization: bearer " + valid}, 200, ""},
		{[]string{"authorization:   BEARER    " + valid + "   "}, 200, ""},
		{[]string{"x-goog-api-key: " + valid}, 200, ""},
		{[]string{"X-API-KEY:  " + valid + " "}, 200, ""},
		{[]string{"X-Relay-Key: " + valid}, 200, ""},
		{[]string{"x-goog-api-key: " + foreignKey, "x-api-key: " + foreignKey, "Authorization: Bearer " + valid}, 200, ""},
		{[]string{"x-goog-api-key: " + valid, "x-api-key: " + valid, "Authorization: Bearer " + valid, "X-Relay-Key: " + valid}, 200, ""},
		{[]string{"x-goog-api-key: " + valid, "x-api-key: " + other}, 401, ambiguous},
		{[]string{"Authorization: Bearer " + valid, "x-api-key: " + other}, 401, ambiguous},
		{[]string{"Authorization: Bearer " + valid, "X-Relay-Key: " + other}, 401, ambiguous},
		{[]string{"x-api-key: " + valid, "x-api-key: " + other}, 401, ambiguous},
		{[]string{"Authorization: " + valid}, 401, "No valid relay key"},
		{[]string{"Authorization: Basic " + valid}, 401, "No valid relay key"},
		{[]string{"Cookie: key=" + valid}, 401, "No valid relay key"},
		{[]string{"x-goog-api-key: " + valid[:len(valid)-1]}, 401, "No valid relay key"},
		{nil, 401, "No valid relay key"},
	} {
		for _, k := range kinds() {
			up.Otherwise(k.says(5, 5))
			a := gatewaytest.Do(t, r.addr, k.request("", c.headers...))
			if a.Status != c.status || !strings.Contains(a.Body, c.text) {
				t.Errorf("%s %q: %d %s", k.name, c.headers, a.Status, a.Body)
			}
		}
	}
	for _, path := range []string{"/v1/chat/completions?key=", "/v1/messages?key=", "/v1/embeddings?key="} {
		if a := r.post(path+valid, "", chatBody); a.Status != 401 || strings.Contains(a.Body, valid) {
			t.Errorf("a key in the query: %d %s", a.Status, a.Body)
		}
	}
}

const ambiguous = "The request carries two different relay keys. Send one."

func TestCredentials_ARefusalTellsStrangersNothing(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, up := newStand(t, func(o *gateway.Options) { o.Version, o.Metrics = "9.87.6", registry })
	past, off := time.Now().Add(-time.Hour).UTC().Truncate(time.Second), false
	own := map[string]string{
		r.key("expired", store.RelayKeySpec{ExpiresAt: &past}): "key_expired",
		r.key("off", store.RelayKeySpec{Enabled: &off}):        "key_disabled",
		r.key("revoked", store.RelayKeySpec{RevokedAt: &past}): "key_revoked",
	}
	strangers := []string{
		"sk-wr-TESTWRONG123456", "sk-wr-", "sk-wr-" + strings.Repeat("A", 64), "sk-wr-" + strings.Repeat("é", 20), "not a key",
		"sk-proj-" + strings.Repeat("b", 40), "' OR 1=1 --", strings.Repeat("x", 8000), "null", foreignKey,
	}
	failures := 0
	for _, ask := range r.asks() {
		first := gatewaytest.Answer{}
		for i, key := range strangers {
			a := ask(key)
			failures++
			if i == 0 {
				first = a
			}
			if a.Status != 401 || a.Body != first.Body || !sameHeaders(a.Header, first.Header) {
				t.Errorf("key %.20q: %d %s %v, the first %d %s %v", key, a.Status, a.Body, a.Header, first.Status, first.Body, first.Header)
			}
			tellsNothing(t, a, key)
		}
		for key, code := range own {
			a := ask(key)
			failures++
			told := map[string]string{"key_expired": "expired at " + past.Format(time.RFC3339), "key_disabled": "is switched off", "key_revoked": "has been revoked"}[code]
			if a.Status != 401 || !strings.Contains(a.Body, told) || strings.Contains(a.Body, `"error":{"message"`) && !strings.Contains(a.Body, `"code":"`+code+`"`) {
				t.Errorf("%s: %d %s", code, a.Status, a.Body)
			}
			tellsNothing(t, a, key)
		}
	}
	if got := gathered(t, registry, "relay_auth_failures_total"); got != float64(failures) {
		t.Errorf("relay_auth_failures_total is %v, want %d", got, failures)
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

// asks are all routes that want a credential, each under one request id.
func (r *rig) asks() []func(key string) gatewaytest.Answer {
	var all []func(key string) gatewaytest.Answer
	for _, k := range kinds() {
		all = append(all, func(key string) gatewaytest.Answer { return r.ask(k, key, "X-Request-Id: one") })
	}
	for _, path := range lookups() {
		all = append(all, func(key string) gatewaytest.Answer { return r.get(path, key, "X-Request-Id: one") })
	}
	return all
}

func sameHeaders(a, b http.Header) bool {
	a, b = a.Clone(), b.Clone()
	a.Del("Date")
	b.Del("Date")
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func tellsNothing(t *testing.T, a gatewaytest.Answer, key string) {
	t.Helper()
	sum := sha256.Sum256([]byte(key))
	text := strings.ToLower(a.Body + fmt.Sprint(a.Header))
	for _, told := range []string{hex.EncodeToString(sum[:])[:8], "sha256", "bolt", "relay.db", "9.87.6", "hash", "goroutine", strings.ToLower(key[min(len(key), len("sk-wr-")):])} {
		if len(told) > 3 && strings.Contains(text, told) {
			t.Errorf("key %.20q: the answer tells %q: %s", key, told, text)
		}
	}
}

func gathered(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return -1
}
