package cmd_test

import (
	"net/http"
	"strings"
	"testing"
)

// Whatever the control listener answers, a browser runs nothing of it that is
// not the UI's own, guesses no type and shows it in no frame.
func TestServe_OfItsControlListenerNoAnswerRunsInABrowser(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	for _, c := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/", "", 200}, {"GET", "/app.js", "", 200}, {"GET", "/live.js", "", 200}, {"GET", "/nothing.js", "", 404}, {"POST", "/", "", 405},
		{"GET", "/livez", "", 200}, {"GET", "/readyz", "", 200}, {"GET", "/metrics", "", 200}, {"POST", "/metrics", "", 405},
		{"GET", "/api", "", 404}, {"GET", "/api/status", "", 200}, {"GET", "/api/nothing", "", 404}, {"GET", "/api/hosts?q=%zz", "", 400}, {"DELETE", "/api/status", "", 405},
		{"GET", "/api/openapi.json", "", 200}, {"GET", "/api/export", "", 200}, {"GET", "/admin/nothing", "", 404}, {"GET", "/api/usage/events", "", 200},
		{"GET", "/", "evil.example", 421}, {"GET", "/api/status", "evil.example", 421},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, strings.TrimSuffix(s.control.url, "/")+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+s.control.token)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, answer.StatusCode, c.status)
		}
		wantGuarded(t, c.method+" "+c.path, answer.Header)
	}
}

func wantGuarded(t *testing.T, at string, h http.Header) {
	t.Helper()
	policy := strings.Join(h.Values("Content-Security-Policy"), ", ")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy lacks %s: %q", at, part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, ", ") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s: %v", at, h)
	}
}
