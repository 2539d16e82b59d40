//go:build unix

package cmd_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// hangUp sends SIGHUP and waits until the log has one line more that holds the
// text.
func (s *serving) hangUp(text string) {
	s.t.Helper()
	before := strings.Count(s.log.String(), text)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
	s.until(func() bool { return strings.Count(s.log.String(), text) > before }, text)
}

func (s *serving) until(done func() bool, what string) {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline:
			s.t.Fatalf("%s does not come about: %s", what, s.log)
		case <-tick.C:
		}
	}
}

// slowUpstream streams the first half of its answers, and the second when it is
// told to.
func slowUpstream(t *testing.T) (url string, started *atomic.Int32, finish func()) {
	t.Helper()
	started, release := &atomic.Int32{}, make(chan struct{})
	finish = sync.OnceFunc(func() { close(release) })
	t.Cleanup(finish)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := func(delta, reason string) {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, reason)
			w.(http.Flusher).Flush()
		}
		chunk(`{"role":"assistant","content":"half"}`, "null")
		started.Add(1)
		<-release
		chunk(`{"content":" and half"}`, `"stop"`)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(upstream.Close)
	return upstream.URL + "/v1", started, finish
}

// servedBy is a config_dir with a host, a model, and a policy that allows an
// amount of requests a minute.
func servedBy(url string, amount int) string {
	return limitOf(amount) + `---
apiVersion: relay/v1
kind: Host
metadata: {name: up}
spec: {baseURL: "` + url + `", auth: none}
---
apiVersion: relay/v1
kind: Model
metadata: {name: m}
---
apiVersion: relay/v1
kind: HostBinding
metadata: {name: m-up}
spec: {model: m, host: up, shape: openai}
---
apiVersion: relay/v1
kind: Policy
metadata: {name: p}
spec: {rateLimit: a}
---
apiVersion: relay/v1
kind: ServiceAccount
metadata: {name: bot}
spec: {project: default}
---
apiVersion: relay/v1
kind: PolicyBinding
metadata: {}
spec: {policy: p, account: "service-account:bot"}
---
apiVersion: relay/v1
kind: RelayKey
metadata: {name: bot}
spec: {principal: "service-account:bot", source: {kind: env, env: BOT_KEY}}
`
}

const botKey = "sk-of-a-former-gateway-1"

// B101
func TestReload_LeavesStreamsAndCountersAloneAndKeepsTheLastGoodState(t *testing.T) {
	files := newFolder(t)
	url, started, finish := slowUpstream(t)
	files.put("a.yaml", servedBy(url, 1000))
	s := startServing(t, dataDir(t), files.env("BOT_KEY", botKey))

	ends := make(chan string, 5)
	for range 5 {
		go func() { ends <- s.stream() }()
	}
	s.until(func() bool { return started.Load() == 5 }, "five streams")
	looping, stop := make(chan []string, 1), make(chan struct{})
	go func() { looping <- s.loop(stop) }()

	files.put("a.yaml", servedBy(url, 900))
	s.hangUp("config_dir applied")
	s.until(func() bool { return s.amount() == 900 }, "the new amount")
	files.put("a.yaml", "kind: Nonsense\n")
	s.hangUp("reload refused")
	close(stop)
	answers := <-looping
	for _, answer := range answers {
		if !strings.Contains(answer, `"content":"hi"`) {
			t.Errorf("a call was answered with %s", answer)
		}
	}
	ready := s.control.must(http.StatusOK, http.MethodGet, "/readyz", "")
	if !strings.Contains(ready, "the last reload changed nothing: ") || !strings.Contains(ready, "a.yaml:1: ") {
		t.Errorf("readyz: %s", ready)
	}
	if got := s.amount(); got != 900 {
		t.Errorf("amount %d after a broken reload", got)
	}
	finish()
	for range 5 {
		if end := <-ends; !strings.Contains(end, "and half") || !strings.Contains(end, "[DONE]") {
			t.Errorf("a stream ended with %s", end)
		}
	}

	files.put("a.yaml", servedBy(url, len(answers)+5+1))
	s.hangUp("config_dir applied")
	s.chat(http.StatusOK, botKey, "m")
	s.chat(http.StatusTooManyRequests, botKey, "m")
	if ready := s.control.must(http.StatusOK, http.MethodGet, "/readyz", ""); strings.Contains(ready, "last reload") {
		t.Errorf("readyz after a good reload: %s", ready)
	}
}

// stream reads a streamed answer to its end.
func (s *serving) stream() string {
	return s.answer(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
}

// loop calls until it is stopped, at least once, and returns the answers.
func (s *serving) loop(stop <-chan struct{}) (answers []string) {
	for {
		answers = append(answers, s.answer(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
		select {
		case <-stop:
			return answers
		default:
		}
	}
}

// answer is what a call is answered with, or what went wrong with it.
func (s *serving) answer(body string) string {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.inference+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+botKey)
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestReload_ChangesTheLogLevelAndSaysWhatNeedsARestart(t *testing.T) {
	dir := dataDir(t)
	config := folder{t, filepath.Join(dir, "xdg", "relay")}
	put := func(text string) { config.put("relay.yaml", text) }
	put("log: {level: info}\n")
	s := startServing(t, dir, map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "xdg")})
	s.hangUp(`"needs_restart":[]`)
	put("log: {level: info}\nmax_attempts: 3\ninference: {cors_origins: [\"https://app.example\"]}\n")
	s.hangUp(`"needs_restart":["max_attempts","inference.cors_origins"]`)
	put("log: {level: verbose}\n")
	s.hangUp("reload refused")
	if ready := s.control.must(http.StatusOK, http.MethodGet, "/readyz", ""); !strings.Contains(ready, "log.level") {
		t.Errorf("readyz: %s", ready)
	}
	put("log: {level: error}\n")
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool {
		return !strings.Contains(s.control.must(http.StatusOK, http.MethodGet, "/readyz", ""), "last reload")
	}, "a good reload")
	before := s.log.String()
	s.get("/v1/models", s.done("", "key", "add", "k"))
	if after := s.log.String(); after != before {
		t.Errorf("told although the level is error: %s", strings.TrimPrefix(after, before))
	}
}
