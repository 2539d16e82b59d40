package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// tongues is a provider that speaks four shapes, each below a path of its own,
// and keeps what it was asked.
type tongues struct {
	server *httptest.Server

	mu   sync.Mutex
	seen []string // head and body of each call that generates
}

// speaking starts a server with a host of each shape and a model at each:
// to-chat, to-messages, to-gemini and to-ollama.
func speaking(t *testing.T, more map[string]string) (*serving, *tongues) {
	t.Helper()
	up := &tongues{}
	up.server = httptest.NewServer(http.HandlerFunc(up.answer))
	t.Cleanup(up.server.Close)
	s := startServing(t, dataDir(t), more)
	for _, host := range [][]string{
		{"chat", "/chat/v1", "openai"}, {"messages", "/messages/v1", "anthropic"}, {"gemini", "/gemini/v1beta", "gemini"}, {"ollama", "/ollama", "ollama"},
	} {
		s.done("", "connect", "up-"+host[0], "--base-url", up.server.URL+host[1], "--shape", host[2], "--auth", "none")
	}
	return s, up
}

// answer lists the one model of a shape, or says hello in it.
func (u *tongues) answer(w http.ResponseWriter, r *http.Request) {
	shape, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	lists := map[string]string{
		"chat":     `{"object":"list","data":[{"id":"to-chat","object":"model"}]}`,
		"messages": `{"data":[{"type":"model","id":"to-messages"}],"has_more":false}`,
		"gemini":   `{"models":[{"name":"models/to-gemini","supportedGenerationMethods":["generateContent"]}]}`,
		"ollama":   `{"models":[{"name":"to-ollama","model":"to-ollama"}]}`,
	}
	answers := map[string]string{
		"chat":     `{"id":"c","object":"chat.completion","model":"to-chat","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`,
		"messages": `{"id":"m","type":"message","role":"assistant","model":"to-messages","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}`,
		"gemini":   `{"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}`,
		"ollama":   `{"model":"to-ollama","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"hello"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":1}`,
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, lists[shape])
		return
	}
	body, _ := io.ReadAll(r.Body)
	var head strings.Builder
	_ = r.Header.Write(&head)
	u.mu.Lock()
	u.seen = append(u.seen, r.URL.String()+"\n"+head.String()+"\n"+string(body))
	u.mu.Unlock()
	_, _ = io.WriteString(w, answers[shape])
}

// asked is what has been asked since the last time.
func (u *tongues) asked() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := u.seen
	u.seen = nil
	return seen
}
