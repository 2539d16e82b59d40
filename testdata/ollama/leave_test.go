package ollama_test

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// endless are calls that go on until somebody stops them.
var endless = map[string]call{
	"/api/chat, streamed":            {"/api/chat", `{"model":"loop","messages":[{"role":"user","content":"hello"}]}`, true, ""},
	"/api/chat, whole":               {"/api/chat", `{"model":"loop","messages":[{"role":"user","content":"hello"}],"stream":false}`, false, ""},
	"/api/generate, streamed":        {"/api/generate", `{"model":"loop","prompt":"hello"}`, true, ""},
	"/v1/chat/completions, streamed": {"/v1/chat/completions", `{"model":"loop","messages":[{"role":"user","content":"hello"}],"stream":true}`, true, ""},
	"/v1/chat/completions, whole":    {"/v1/chat/completions", `{"model":"loop","messages":[{"role":"user","content":"hello"}]}`, false, ""},
	"/v1/responses, streamed":        {"/v1/responses", `{"model":"loop","input":"hello","stream":true}`, true, ""},
	"/v1/messages, streamed":         {"/v1/messages", `{"model":"loop","max_tokens":100000,"messages":[{"role":"user","content":"hello"}],"stream":true}`, true, ""},
	"/v1/messages, whole":            {"/v1/messages", `{"model":"loop","max_tokens":100000,"messages":[{"role":"user","content":"hello"}]}`, false, ""},
}

// stops is how long Ollama may take to stop; by itself it goes on for a minute,
// and for many where the machine has much else to do.
const stops = 20 * time.Second

func TestLeaving_StopsTheGeneration(t *testing.T) {
	send(t, r.relay, "POST", "/api/generate", `{"model":"loop"}`)
	for name, c := range endless {
		t.Run(name, func(t *testing.T) {
			before := handled(t, c.path)
			id := "leaves-" + strings.NewReplacer("/", "-", " ", "", ",", "").Replace(name)
			leave(t, c, id)
			if err := eventually("ollama ends "+c.path, stops, func() bool { return handled(t, c.path) > before }); err != nil {
				t.Fatal(err)
			}
			if e := recorded(t, id); e.ErrorKind != "client_closed" || e.Streamed != c.streamed {
				t.Errorf("recorded %+v", e)
			}
		})
	}
}

// leave goes away in the middle: of a stream after its first lines, of a whole
// answer after two seconds, in which it is being made.
func leave(t *testing.T, c call, id string) {
	t.Helper()
	if !c.streamed {
		leaveEarly(t, c, id)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp := open(ctx, t, r.relay, "POST", c.path, c.body, "X-Request-ID: "+id)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for range 5 {
		if !lines.Scan() {
			t.Fatalf("the stream has ended: %v", lines.Err())
		}
	}
}

func leaveEarly(t *testing.T, c call, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	resp, err := http.DefaultClient.Do(request(ctx, t, r.relay, "POST", c.path, c.body, "X-Request-ID: "+id))
	if err == nil {
		resp.Body.Close()
		t.Fatalf("an endless answer has come with status %d", resp.StatusCode)
	}
}

// handled counts the calls of a path that Ollama has ended, by its log.
func handled(t *testing.T, path string) int {
	t.Helper()
	log, err := os.ReadFile(r.logOf("ollama"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(log), `"`+path+`"`)
}
