package cmd_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relay/gateway/echo"
	"relay/store"
	"relay/store/storetest"
)

// evidence is what has been shown, by where.
type evidence struct {
	t     *testing.T
	where []string
	text  []string
}

func (e *evidence) add(where, text string) {
	e.where, e.text = append(e.where, where), append(e.text, text)
}

// acquit fails the test when a secret was shown in any form.
func (e *evidence) acquit(secrets map[string]string) {
	e.t.Helper()
	for name, secret := range secrets {
		for form, written := range written(secret) {
			for i, text := range e.text {
				if at := strings.Index(text, written); at >= 0 {
					e.t.Errorf("%s shows %s (%s): …%q…", e.where[i], name, form, text[max(0, at-80):min(len(text), at+len(written)+20)])
				}
			}
		}
	}
}

// written are the forms in which a secret can stand in a text.
func written(secret string) map[string]string {
	inJSON, _ := json.Marshal(secret)
	return map[string]string{
		"clear": secret, "most of it": secret[:len(secret)*3/4], "JSON": strings.Trim(string(inJSON), `"`),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"base64": base64.RawStdEncoding.EncodeToString([]byte(secret)), "base64 for URL": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"hex": hex.EncodeToString([]byte(secret)),
	}
}

// rude is an upstream that says each caller's key back when it refuses it: all
// keys but the right one, and the right one for model rude.
func rude(t *testing.T, key string) string {
	t.Helper()
	polite := echo.Handler(echo.Options{Key: key, Models: []string{"echo-mini", "rude", "rude-400", "rude-429"}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		status := 0
		switch {
		case !strings.Contains(shown, key), strings.Contains(string(body), `"rude"`):
			status = http.StatusUnauthorized
		case strings.Contains(string(body), `"rude-400"`):
			status = http.StatusBadRequest
		case strings.Contains(string(body), `"rude-429"`):
			status = http.StatusTooManyRequests
		default:
			polite.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": "Incorrect API key provided: " + shown, "type": "invalid_request_error", "code": shown}})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

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

// pages reads what the control listener shows.
func (s *serving) pages(seen *evidence) {
	s.t.Helper()
	paths := []string{
		"/metrics", "/readyz", "/livez", "/", "/console.js", "/api/status", "/api/version", "/api/export", "/api/openapi.json",
		"/api/usage/events", "/api/usage/summary?group_by=model", "/api/accounts/organization:default/effective", "/api/policies/default/rate-limits",
	}
	for _, kind := range store.Kinds() {
		paths = append(paths, "/api/"+kind.Plural()+"?limit=1000")
	}
	for _, name := range []string{"up", "second", "third"} {
		paths = append(paths, "/api/host-keys/"+name, "/api/host-keys/by-id/"+s.control.id("/api/host-keys/"+name)+"/health")
	}
	for _, path := range paths {
		status, text := s.control.send(http.MethodGet, path, "")
		if status != http.StatusOK && path != "/console.js" {
			s.t.Errorf("GET %s: %d %s", path, status, text)
		}
		seen.add("GET "+path, text)
	}
	question := `{"credential":"alice","model":"rude","endpoint":"chat"}`
	_, text := s.control.send(http.MethodPost, "/api/explain", question)
	seen.add("/api/explain", text)
	wrong := control{s.t, s.control.url, "admin-CANARY-wrong-1q2w3e4r5t6y"}
	seen.add("a refusal by the control API", wrong.must(http.StatusUnauthorized, http.MethodGet, "/api/relay-keys", ""))
	seen.add("a refused record", s.control.must(http.StatusBadRequest, http.MethodPost, "/api/host-keys", `{"metadata":{"name":"bad"},"spec":{"hostId":"up","valu":"sk-proj-CANARY-wrong-0a1b2c3d4e5f"}}`))
	seen.add("a backup", s.control.must(http.StatusOK, http.MethodGet, "/api/backup", ""))
}

// files reads the data dir. What is there to hold a secret must be readable by
// its owner alone.
func (s *serving) files(seen *evidence, dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			s.t.Errorf("%s has the mode %v", path, info.Mode())
		}
		if entry.Name() != "first-run.txt" {
			seen.add(entry.Name(), string(text))
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if !slices.Contains(seen.where, "relay.db") {
		s.t.Errorf("no database among %v", seen.where)
	}
}
