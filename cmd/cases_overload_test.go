package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestServe_WhileItTurnsCallersAwayItsControlAnswers is O3: the control side has
// a listener of its own, and nothing of it counts as a request in hand.
func TestServe_WhileItTurnsCallersAwayItsControlAnswers(t *testing.T) {
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
			return
		}
		arrived <- struct{}{}
		<-release
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	}))
	t.Cleanup(up.Close)
	s := startServing(t, dataDir(t), map[string]string{"RELAY_MAX_INFLIGHT": "1", "UP_KEY": "a-key-of-the-upstream"})
	s.done("", "connect", "up", "--base-url", up.URL+"/v1", "--shape", "openai", "--value-env", "UP_KEY")
	key := s.done("", "key", "add", "script")
	var held sync.WaitGroup
	held.Go(func() { s.chat(http.StatusOK, key, "m") })
	<-arrived
	for range 20 {
		answer, text := s.post("/v1/chat/completions", key, `{"model":"m","messages":[]}`)
		if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "1" || !strings.Contains(text, `"code":"overloaded"`) {
			t.Errorf("got %d %v %s", answer.StatusCode, answer.Header, text)
		}
		s.control.must(http.StatusOK, http.MethodGet, "/api/status", "")
		s.get("/v1/models", key)
	}
	told := s.control.must(http.StatusOK, http.MethodGet, "/metrics", "")
	for _, line := range []string{"relay_inflight_requests 1\n", `relay_shed_total{reason="inflight"} 20` + "\n"} {
		if !strings.Contains(told, line) {
			t.Errorf("the metrics do not hold %q", line)
		}
	}
	close(release)
	held.Wait()
}

func TestServe_OnLoopbackKnowsItsNamesAndTheOriginsThatAreWritten(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"RELAY_INFERENCE_ALLOWED_HOSTS": "llm.lan", "RELAY_DOMAIN": "llm.example", "RELAY_INFERENCE_CORS_ORIGINS": "https://app.example"})
	key := s.done("", "key", "add", "script")
	for _, c := range []struct {
		host, origin string
		status       int
		code         string
	}{
		{"", "", http.StatusNotFound, "model_not_found"},
		{"llm.lan:80", "", http.StatusNotFound, "model_not_found"},
		{"LLM.example", "", http.StatusNotFound, "model_not_found"},
		{"evil.example", "", http.StatusMisdirectedRequest, "misdirected_host"},
		{"sub.llm.example", "", http.StatusMisdirectedRequest, "or make the name its domain"},
		{"", "https://app.example", http.StatusNotFound, "model_not_found"},
		{"", "https://evil.example", http.StatusForbidden, "origin_not_allowed"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.inference+"/v1/chat/completions", strings.NewReader(`{"model":"none"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		req.Header.Set("Authorization", "Bearer "+key)
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		answer, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || !strings.Contains(string(text), c.code) {
			t.Errorf("host %q, origin %q: %d %s %v", c.host, c.origin, answer.StatusCode, text, err)
		}
	}
}
