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
