package cmd_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relay/store/storetest"
)

func TestSecrets_AreShownAtTheirMakingAndNeverAgain(t *testing.T) {
	secrets := map[string]string{
		"the provider key":         `up/CANARY+7Hq2==<Vx9>&Zk4tR8mW1pLs6`,
		"another provider key":     "sk-proj-CANARY-second-9f8e7d6c5b4a",
		"a wrong provider key":     "sk-proj-CANARY-wrong-0a1b2c3d4e5f",
		"the admin token":          "admin-CANARY-token-5t6y7u8i9o0p",
		"a wrong admin token":      "admin-CANARY-wrong-1q2w3e4r5t6y",
		"the master key":           storetest.MasterKey,
		"an unknown relay key":     "sk-wr-TESTWRONG123456",
		"a key of another product": "sk-ant-api03-CANARY-foreign-2w3e4r5t",
		"a cookie":                 "session=CANARY-cookie-8i7u6y5t4r3e",
		"a key in a query":         "CANARY-query-1z2x3c4v5b6n7m8",
	}
	dir := dataDir(t)
	s := startServing(t, dir, map[string]string{
		"RELAY_LOG_LEVEL": "trace", "RELAY_ADMIN_TOKEN": secrets["the admin token"], "RELAY_MASTER_KEY": secrets["the master key"],
		"SECOND_KEY": secrets["another provider key"],
	})
	seen := &evidence{t: t}
	secrets["the first relay key"] = firstKey(t, dir)
	s.tour(seen, secrets)
	s.calls(seen, secrets)
	s.pages(seen)
	s.stop()
	seen.add("the log", s.log.String())
	seen.add("stdout", s.out.String())
	if raw, err := base64.StdEncoding.DecodeString(secrets["the master key"]); err == nil {
		secrets["the raw master key"] = string(raw)
	}
	s.files(seen, dir)
	for _, called := range []string{`"key":"alice"`, `"error_kind":"unauthenticated"`, `"error_kind":"upstream_auth"`} {
		if !strings.Contains(s.log.String(), called) {
			t.Errorf("the log lacks %s", called)
		}
	}
	seen.acquit(secrets)
}

// firstKey is the one of first-run.txt.
func firstKey(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "first-run.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, key, _ := strings.Cut(string(text), "OPENAI_API_KEY=")
	key, _, _ = strings.Cut(key, "\n")
	if !strings.HasPrefix(key, "sk-wr-") {
		t.Fatalf("no key in %s", text)
	}
	return key
}

// tour runs the commands that take a secret or could show one.
func (s *serving) tour(seen *evidence, secrets map[string]string) {
	s.t.Helper()
	upstream := rude(s.t, secrets["the provider key"])
	for _, c := range []struct {
		stdin string
		args  []string
		code  int
		made  string // the secret that stdout holds
	}{
		{secrets["a wrong provider key"], []string{"connect", "up", "--base-url", upstream, "--shape", "openai", "--shape", "anthropic", "--value", "-"}, 4, ""},
		{secrets["the provider key"], []string{"connect", "up", "--base-url", upstream, "--shape", "openai", "--shape", "anthropic", "--value", "-", "-o", "json"}, 0, ""},
		{"", []string{"hostkey", "add", "second", "--host", "up", "--value-env", "SECOND_KEY", "-o", "json"}, 0, ""},
		{"", []string{"hostkey", "add", "third", "--host", "up", "--from-env", "SECOND_KEY"}, 0, ""},
		{"", []string{"hostkey", "test", "second"}, 1, ""},
		{secrets["an unknown relay key"], []string{"hostkey", "add", "fourth", "--host", "up", "--value", "-"}, 4, ""},
		{"", []string{"key", "add", "alice", "--rpm", "1000"}, 0, "the key of alice"},
		{"", []string{"key", "add", "bob"}, 0, "the key of bob"},
		{"", []string{"key", "rotate", "bob", "--grace", "1h"}, 0, "the next key of bob"},
		{"", []string{"key", "add", "carol", "-o", "json"}, 0, "the key of carol"},
		{secrets["the provider key"], []string{"hostkey", "rotate", "second", "--value", "-"}, 0, ""},
		{"", []string{"hostkey", "edit", "third", "--enabled=false"}, 0, ""},
		{"", []string{"config", "show"}, 0, ""},
		{"", []string{"config", "show", "-o", "json"}, 0, ""},
		{"", []string{"config", "show", "-o", "yaml"}, 0, ""},
		{"", []string{"key", "ls", "-o", "json"}, 0, ""},
		{"", []string{"key", "show", "alice"}, 0, ""},
		{"", []string{"key", "get", "alice", "-o", "yaml"}, 0, ""},
		{"", []string{"hostkey", "ls", "-o", "json"}, 0, ""},
		{"", []string{"hostkey", "get", "up", "-o", "yaml"}, 0, ""},
		{"", []string{"hostkey", "show", "second"}, 0, ""},
		{"", []string{"host", "get", "up", "-o", "json"}, 0, ""},
		{"", []string{"export"}, 0, ""},
		{"", []string{"status", "-o", "json"}, 0, ""},
		{"", []string{"key", "ls", "--server", s.control.url, "--admin-token-file", "wrong.token"}, 4, ""},
	} {
		if slices.Contains(c.args, "wrong.token") {
			c.args[len(c.args)-1] = write(s.t, secrets["a wrong admin token"])
		}
		got := s.relay(c.stdin, c.args...)
		if got.code != c.code {
			s.t.Errorf("relay %q: %+v", c.args, got)
		}
		where := "relay " + strings.Join(c.args, " ")
		seen.add("stderr of "+where, got.stderr)
		if c.made == "" {
			seen.add("stdout of "+where, got.stdout)
			continue
		}
		at := strings.Index(got.stdout, "sk-wr-")
		if at < 0 || strings.Count(got.stdout, "sk-wr-") > 2 {
			s.t.Fatalf("%s made %q", where, got.stdout)
		}
		key, _, _ := strings.Cut(got.stdout[at:], "\n")
		secrets[c.made] = strings.Trim(key, `",`)
	}
}

// calls makes the calls that a log could show too much of.
func (s *serving) calls(seen *evidence, secrets map[string]string) {
	s.t.Helper()
	alice := secrets["the key of alice"]
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"%s","messages":[{"role":"user","content":"hello"}]}`,
		"/v1/messages":         `{"model":"%s","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}`,
		"/v1/embeddings":       `{"model":"%s","input":"hello"}`,
	} {
		for _, c := range []struct {
			status     int
			key, model string
			headers    []string
		}{
			{200, alice, "echo-mini", []string{"Cookie", secrets["a cookie"], "X-Api-Key", secrets["a key of another product"]}},
			{200, secrets["the next key of bob"], "echo-mini", nil},
			{200, secrets["the key of bob"], "echo-mini", nil},
			{200, "", "echo-mini", []string{"X-Api-Key", secrets["the key of carol"]}},
			{401, secrets["an unknown relay key"], "echo-mini", nil},
			{401, secrets["a key of another product"], "echo-mini", nil},
			{404, alice, "no-such-model", nil},
			{400, alice, "rude-400", nil},
			{429, alice, "rude-429", nil},
			{502, alice, "rude", nil},
		} {
			answer, text := s.post(path+"?key="+url.QueryEscape(secrets["a key in a query"]), c.key, fmt.Sprintf(body, c.model), c.headers...)
			seen.add(fmt.Sprintf("the answer %d of %s for %s", answer.StatusCode, path, c.model), text+fmt.Sprint(answer.Header))
			if echoed := c.status == 400 || c.status == 429; answer.StatusCode != c.status || strings.Contains(text, "Incorrect API key provided: Bearer [redacted]") != echoed {
				s.t.Errorf("%s for %s: %d, want %d: %s", path, c.model, answer.StatusCode, c.status, text)
			}
		}
		for _, name := range []string{"up", "second"} {
			s.done("", "hostkey", "reset", name)
		}
	}
	answer, text := s.post("/v1/chat/completions", alice, `{"model":`)
	seen.add("the answer to a broken body", text+fmt.Sprint(answer.Header))
}
