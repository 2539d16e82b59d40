package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// A stale key of another vendor does not count beside a relay key; two values
// that both could be Relay's do.
func TestClientCredentials_EveryCombinationIsReadInOneWay(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		valid, other := f.key, f.rig.key("phone", store.RelayKeySpec{})
		long := "sk-wr-" + strings.Repeat("k", 8<<10)
		passed := 0
		for _, c := range []struct {
			name  string
			lines []string
			code  string // empty: it passes
		}{
			{"bearer", []string{"Authorization: Bearer " + valid}, ""},
			{"bearer in lower case", []string{"Authorization: bearer " + valid}, ""},
			{"bearer with spaces", []string{"Authorization:   Bearer    " + valid + "  "}, ""},
			{"X-WR-API-Key", []string{"X-WR-API-Key: " + valid}, ""},
			{"both, the same", []string{"Authorization: Bearer " + valid, "x-api-key: " + valid}, ""},
			{"both, the same, by two names", []string{"X-Relay-Key: " + valid, "X-WR-API-Key: " + valid}, ""},
			{"the same authorization twice", []string{"Authorization: Bearer " + valid, "Authorization: Bearer " + valid}, ""},
			{"beside a foreign one", []string{"Authorization: Bearer " + foreignKey, "x-api-key: " + valid}, ""},
			{"a foreign authorization first", []string{"Authorization: Bearer " + foreignKey, "Authorization: Bearer " + valid}, ""},
			{"beside basic", []string{"Authorization: Basic " + valid, "x-api-key: " + valid}, ""},
			{"beside an empty one", []string{"Authorization: Bearer ", "x-api-key: " + valid}, ""},
			{"both, different", []string{"Authorization: Bearer " + valid, "x-api-key: " + other}, "ambiguous_credentials"},
			{"two names, different", []string{"X-Relay-Key: " + valid, "X-WR-API-Key: " + other}, "ambiguous_credentials"},
			{"two authorizations", []string{"Authorization: Bearer " + valid, "Authorization: Bearer " + other}, "ambiguous_credentials"},
			{"an unknown relay key beside it", []string{"Authorization: Bearer " + valid, "x-api-key: sk-wr-unknown"}, "ambiguous_credentials"},
			{"an unknown relay key first", []string{"X-Relay-Key: sk-wr-unknown", "Authorization: Bearer " + valid}, "ambiguous_credentials"},
			{"two unknown relay keys", []string{"Authorization: Bearer sk-wr-a", "x-api-key: sk-wr-b"}, "ambiguous_credentials"},
			{"three of them", []string{"Authorization: Bearer " + valid, "x-api-key: " + other, "x-goog-api-key: " + foreignKey}, "ambiguous_credentials"},
			{"8 KiB", []string{"Authorization: Bearer " + long}, "unauthenticated"},
			{"8 KiB of a foreign one", []string{"x-api-key: " + long[6:]}, "unauthenticated"},
			{"empty", []string{"Authorization: Bearer "}, "unauthenticated"},
			{"nothing", []string{"Authorization:"}, "unauthenticated"},
			{"no scheme", []string{"Authorization: " + valid}, "unauthenticated"},
			{"two keys in one", []string{"Authorization: Bearer " + valid + ", Bearer " + valid}, "unauthenticated"},
			{"a foreign one", []string{"Authorization: Bearer " + foreignKey, "x-api-key: " + foreignKey}, "unauthenticated"},
			{"the beginning of one", []string{"x-api-key: " + valid[:len(valid)-1]}, "unauthenticated"},
			{"one with more behind it", []string{"x-api-key: " + valid + "0"}, "unauthenticated"},
			{"in capitals", []string{"x-api-key: " + strings.ToUpper(valid)}, "unauthenticated"},
			{"proxy authorization", []string{"Proxy-Authorization: Bearer " + valid}, "unauthenticated"},
			{"none", nil, "unauthenticated"},
		} {
			a := gatewaytest.Do(t, f.addr, k.request("", c.lines...))
			if c.code == "" {
				passed++
				f.want(a, 200, "")
				f.mustRecord(c.name, 200, "")
			} else {
				f.mustRefuse(c.name, a, k.path, 401, c.code)
				f.mustRecord(c.name, 401, "nothing")
				if a.Header.Get("WWW-Authenticate") != `Bearer realm="relay"` || strings.Contains(a.Body, "sk-wr-a") || strings.Contains(a.Body, "kkkk") {
					t.Errorf("%s, %s: %s %v", k.name, c.name, a.Body, a.Header)
				}
			}
			f.mustBeFree(c.name)
			for _, path := range lookups() {
				a := gatewaytest.Do(t, f.addr, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+strings.Join(append(c.lines, "\r\n"), "\r\n"))
				if c.code == "" {
					f.want(a, 200, "")
				} else {
					f.mustRefuse(c.name, a, path, 401, c.code)
				}
			}
		}
		for _, sent := range f.up.Requests() {
			if text := sent.Head; strings.Contains(text, valid) || strings.Contains(text, foreignKey) || strings.Contains(strings.ToLower(text), "x-wr-") {
				t.Errorf("%s: the upstream got %s", k.name, text)
			}
		}
		if n := len(f.up.Requests()); n != passed {
			t.Errorf("%s: the upstream saw %d requests, want %d", k.name, n, passed)
		}
	}
}

func TestClientLists_ErrorsHaveTheShapeOfTheirClients(t *testing.T) {
	f := newFront(t)
	for _, path := range []string{"/v1/models", "/v1/models/none"} {
		key := map[bool]string{true: "sk-wr-unknown", false: f.key}[path == "/v1/models"]
		status := map[bool]int{true: 401, false: 404}[path == "/v1/models"]
		a := f.get(path, key, "anthropic-version: 2023-06-01")
		f.want(a, status, `{"type":"error","error":{"type":"`)
		f.want(f.get(path, key), status, `{"error":{"message":`)
	}
}
