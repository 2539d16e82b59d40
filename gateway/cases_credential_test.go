package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

const foreignKey = "sk-ant-api03-a-stale-key-of-another-vendor"

// lookups are the routes that answer without an upstream.
func lookups() []string {
	return []string{"/v1/models", "/v1/models/chat", "/v1/usage", "/v1beta/models", "/v1beta/models/chat", "/api/tags", "/api/ps", "/api/version"}
}

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
				checkAdmission(t, fmt.Sprintf("%s, bearer %s, x-api-key %s", k.name, bearer, apiKey), a, inBearer == valid || inAPIKey == valid, k.shape)
			}
			for _, path := range lookups() {
				a := gatewaytest.Do(t, r.addr, "GET "+path+" HTTP/1.1\r\nHost: a\r\n"+strings.Join(append(headers, "\r\n"), "\r\n"))
				checkAdmission(t, path, a, inBearer == valid || inAPIKey == valid, shapeOf(path))
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
func checkAdmission(t *testing.T, name string, a gatewaytest.Answer, admitted bool, shape store.Shape) {
	t.Helper()
	if admitted {
		if a.Status != 200 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		return
	}
	status, begins, holds := toldIn(shape, 401, "unauthenticated")
	if a.Status != status || !strings.HasPrefix(a.Body, begins+"No valid relay key.") || !strings.Contains(a.Body, holds) || a.Header.Get("WWW-Authenticate") != `Bearer realm="relay"` || a.Header.Get("X-Relay-Refused-By") != "key" {
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
