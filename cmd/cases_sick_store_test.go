package cmd_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relay/cmd"
)

// TestServe_WithItsDatabaseCutShortSaysSoAndGoesOnServing is D3: calls go on
// while their usage has room in memory, what watches the process hears of it, and
// the next start is refused.
func TestServe_WithItsDatabaseCutShortSaysSoAndGoesOnServing(t *testing.T) {
	upstream, dir := startEcho(t), dataDir(t)
	env := map[string]string{
		"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "RELAY_ADMIN_TOKEN": testToken, "RELAY_LOG_FORMAT": "json",
		"RELAY_INFERENCE_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_LISTEN": "127.0.0.1:0", "UP_KEY": echoKey,
	}
	first := startServing(t, dir, env)
	first.done("", "connect", "up", "--base-url", upstream, "--shape", "openai", "--value-env", "UP_KEY")
	key := first.done("", "key", "add", "script")
	first.stop()

	s, stop := startSick(t, dir, env)
	s.chat(http.StatusOK, key, "echo-mini")
	probe := control{t, s.inference, ""}
	probe.must(http.StatusOK, http.MethodGet, "/readyz", "")
	if err := os.Truncate(filepath.Join(dir, "relay.db"), 4*4096); err != nil {
		t.Fatal(err)
	}
	s.chat(http.StatusOK, key, "echo-mini") // its usage is what finds the damage
	deadline := time.Now().Add(20 * time.Second)
	for status := 0; status != http.StatusServiceUnavailable; status, _ = s.control.send(http.MethodGet, "/readyz", "") {
		if time.Now().After(deadline) {
			t.Fatal("/readyz does not tell of the damage")
		}
	}
	_, told := s.control.send(http.MethodGet, "/readyz", "")
	for _, part := range []string{`"ready":false`, "database is damaged", "relay restore"} {
		if !strings.Contains(told, part) {
			t.Errorf("/readyz lacks %q: %s", part, told)
		}
	}
	probe.must(http.StatusServiceUnavailable, http.MethodGet, "/readyz", "")
	probe.must(http.StatusOK, http.MethodGet, "/livez", "")
	if got := s.relay("", "status"); got.code != 1 || !strings.Contains(got.stdout, "not ready: the database is damaged") {
		t.Errorf("relay status: %+v", got)
	}
	s.chat(http.StatusOK, key, "echo-mini")
	if status, text := s.control.send(http.MethodPost, "/api/providers", `{"metadata":{"name":"x"},"spec":{}}`); status < 500 {
		t.Errorf("a change was taken: %d %s", status, text)
	}
	stop()
	p := cmd.Program{Stdin: strings.NewReader(""), Stdout: newJournal(""), Stderr: newJournal(""), Env: environment(env)}
	if code := p.Run(t.Context(), []string{"serve"}); code != 65 {
		t.Errorf("the next start ends with %d, want 65", code)
	}
}

// startSick starts a server that is to end with an error: what it has in memory
// is lost.
func startSick(t *testing.T, dir string, env map[string]string) (s *serving, stop func()) {
	t.Helper()
	s = &serving{t: t, env: env, log: newJournal("relay is listening"), out: newJournal("")}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		p := cmd.Program{Stdin: strings.NewReader(""), Stdout: s.out, Stderr: s.log, Env: environment(env)}
		ended <- p.Run(ctx, []string{"serve"})
	}()
	stop = func() {
		t.Helper()
		cancel()
		if code := <-ended; code == 0 {
			t.Error("relay serve ended without a word about what is lost")
		}
	}
	select {
	case line := <-s.log.found:
		told := decoded(t, line)
		s.inference, _ = told["inference"].(string)
		url, _ := told["control"].(string)
		s.control = control{t, url, testToken}
	case <-time.After(20 * time.Second):
		t.Fatalf("relay serve does not listen: %s", s.log)
	}
	return s, stop
}
