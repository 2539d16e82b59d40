package cmd_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/cmd"
)

// serving is relay serve within the test, on a data dir that outlives it.
type serving struct {
	t         *testing.T
	env       map[string]string
	log, out  *journal
	inference string // URL
	control   control
	stop      func()
}

// dataDir is a folder with a path that is short enough for a socket.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "relay-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// startServing starts a server and waits until it listens.
func startServing(t *testing.T, dir string, more map[string]string) *serving {
	t.Helper()
	env := map[string]string{
		"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "RELAY_ADMIN_TOKEN": testToken,
		"RELAY_INFERENCE_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_LISTEN": "127.0.0.1:0", "RELAY_LOG_FORMAT": "json",
	}
	maps.Copy(env, more)
	s := &serving{t: t, env: env, log: newJournal("relay is listening"), out: newJournal("")}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		p := cmd.Program{Stdin: strings.NewReader(""), Stdout: s.out, Stderr: s.log, Env: environment(env)}
		ended <- p.Run(ctx, []string{"serve"})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("relay serve ended with %d: %s", code, s.log)
		}
	})
	t.Cleanup(s.stop)
	select {
	case line := <-s.log.found:
		var told struct{ Inference, Control string }
		if err := json.Unmarshal([]byte(line), &told); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		s.inference, s.control = told.Inference, control{t, told.Control, env["RELAY_ADMIN_TOKEN"]}
	case code := <-ended:
		ended <- code
		t.Fatalf("relay serve ended with %d: %s", code, s.log)
	case <-time.After(20 * time.Second):
		t.Fatalf("relay serve does not listen: %s", s.log)
	}
	return s
}

// relay runs a command line against the server.
func (s *serving) relay(stdin string, args ...string) result {
	s.t.Helper()
	return run(s.t.Context(), stdin, s.env, args...)
}

// done runs a command line that must succeed, and returns its first line.
func (s *serving) done(stdin string, args ...string) string {
	s.t.Helper()
	got := s.relay(stdin, args...)
	if got.code != 0 {
		s.t.Fatalf("relay %q: %+v", args, got)
	}
	first, _, _ := strings.Cut(got.stdout, "\n")
	return first
}

// post makes a call on the inference side. Headers come in pairs.
func (s *serving) post(path, key, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.inference+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.roundTrip(req)
}

// roundTrip makes the call and reads what it is answered.
func (s *serving) roundTrip(req *http.Request) (*http.Response, string) {
	s.t.Helper()
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer, string(text)
}

// chat asks the model, and fails the test for any status but the one given.
func (s *serving) chat(status int, key, model string) string {
	s.t.Helper()
	answer, text := s.post("/v1/chat/completions", key, `{"model":"`+model+`","messages":[{"role":"user","content":"hello there"}]}`)
	if answer.StatusCode != status {
		s.t.Fatalf("%s: %d, want %d: %s", model, answer.StatusCode, status, text)
	}
	return text
}

// get reads a page of the inference side.
func (s *serving) get(path, key string) string {
	s.t.Helper()
	c := control{s.t, s.inference, key}
	return c.must(http.StatusOK, http.MethodGet, path, "")
}

// journal keeps what is written, and tells of the first line that holds a text.
type journal struct {
	found chan string

	mu     sync.Mutex
	wanted string
	text   bytes.Buffer
}

func newJournal(wanted string) *journal { return &journal{wanted: wanted, found: make(chan string, 1)} }

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(string(p)) { // lines that come together are written together
		if j.wanted != "" && strings.Contains(line, j.wanted) {
			j.wanted = ""
			j.found <- line
		}
	}
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
