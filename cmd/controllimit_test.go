package cmd_test

import (
	"net/http"
	"strings"
	"testing"
)

// version asks the control listener something small on behalf of an address.
func (s *serving) version(forwardedFor string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, strings.TrimSuffix(s.control.url, "/")+"/api/version", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.control.token)
	req.Header.Set("X-Forwarded-For", forwardedFor)
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

func (s *serving) wantVersion(forwardedFor string, status int) *http.Response {
	s.t.Helper()
	answer := s.version(forwardedFor)
	if answer.StatusCode != status {
		s.t.Fatalf("%s: %d, want %d", forwardedFor, answer.StatusCode, status)
	}
	return answer
}

func TestControlLimit_BelievesTheProxiesThatTheInferenceSideBelieves(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"RELAY_TRUSTED_PROXIES": "127.0.0.1"})
	s.done("", "limit", "edit", "control-api", "--rpm", "2", "--enabled")
	for range 2 {
		s.wantVersion("192.0.2.9, 192.0.2.1", http.StatusOK)
	}
	refused := s.wantVersion("192.0.2.8, 192.0.2.1", http.StatusTooManyRequests)
	if refused.Header.Get("Retry-After") == "" || refused.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("headers %v", refused.Header)
	}
	s.wantVersion("192.0.2.2", http.StatusOK)
	for range 5 {
		s.done("", "limit", "show", "control-api") // through the socket
	}
	s.done("", "limit", "edit", "control-api", "--rpm", "3")
	s.wantVersion("192.0.2.1", http.StatusOK)
	s.wantVersion("192.0.2.1", http.StatusTooManyRequests)
	s.done("", "limit", "edit", "control-api", "--enabled=false")
	s.wantVersion("192.0.2.1", http.StatusOK)
}

func TestControlLimit_BelievesNobodyElse(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	s.done("", "limit", "edit", "control-api", "--rpm", "2", "--enabled")
	s.wantVersion("192.0.2.1", http.StatusOK)
	s.wantVersion("192.0.2.2", http.StatusOK)
	s.wantVersion("192.0.2.3", http.StatusTooManyRequests)
	s.done("", "limit", "show", "control-api")
}
