package cmd_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At the most talkative level, whichever way a key is shown and whatever becomes
// of the call, no log, page or file holds it.
func TestLogs_HoldNoKeyHoweverItIsShown(t *testing.T) {
	dir := dataDir(t)
	audit := filepath.Join(dir, "audit.jsonl")
	s, up := speaking(t, map[string]string{"RELAY_LOG_LEVEL": "trace", "RELAY_AUDIT_FILE": audit})
	secrets := map[string]string{
		"a key": s.done("", "key", "add", "laptop"), "a key that is switched off": s.done("", "key", "add", "off"),
		"a wrong key": "sk-wr-TESTWRONG123456", "a key of another product": staleKey,
		"the admin token": s.env["RELAY_ADMIN_TOKEN"], "a wrong admin token": "wr-admin-TESTWRONG0123456789", "a password": "correct horse CANARY battery",
	}
	s.done("", "key", "edit", "off", "--enabled=false")
	s.control.must(http.StatusCreated, http.MethodPost, "/api/users", `{"metadata":{"name":"maria"},"spec":{"password":"`+secrets["a password"]+`"}}`)
	seen, live := &evidence{t: t}, s.follow("usage,limits,hosts")
	live.Buffer(nil, 16<<20)
	s.showEverywhere(seen, secrets)
	until(t, live, `"credential_name":"laptop"`)
	seen.add("the live stream", live.Text())
	s.showToControl(seen, secrets)
	for _, path := range []string{"/metrics", "/", "/app.js", "/api/audit?limit=1000", "/api/usage/events?limit=1000", "/api/usage/summary?group_by=key", "/api/relay-keys?limit=1000", "/api/users", "/api/export", "/api/status"} {
		seen.add("GET "+path, s.control.must(http.StatusOK, http.MethodGet, path, ""))
	}
	seen.add("relay usage", s.done("", "usage", "--by", "key"))
	seen.add("relay key ls", s.done("", "key", "ls"))
	seen.add("relay config show", s.done("", "config", "show", "-o", "yaml"))
	s.stop()
	for _, sent := range up.asked() {
		seen.add("what went upstream", sent)
	}
	text, err := os.ReadFile(audit)
	if err != nil || !strings.Contains(string(text), "maria") {
		t.Errorf("the audit file has %s, %v", text, err)
	}
	seen.add("the audit file", string(text))
	seen.add("the log", s.log.String())
	seen.add("stdout", s.out.String())
	for _, told := range []string{`"key":"laptop"`, `"error_kind":"unauthenticated"`, `"error_kind":"key_disabled"`, `"error_kind":"ambiguous_credentials"`} {
		if !strings.Contains(s.log.String(), told) {
			t.Errorf("the log lacks %s", told)
		}
	}
	seen.acquit(secrets)
}

// showEverywhere calls with each secret in each place of a call, and where
// nothing is served.
func (s *serving) showEverywhere(seen *evidence, secrets map[string]string) {
	s.t.Helper()
	lost := []door{{"GET", "/nowhere", "", "", false}, {"DELETE", "/v1/models", "", "", false}, {"POST", "/v1/chat/completions", `{"model":`, "", false}}
	for _, d := range append(doors(), lost...) {
		for name, secret := range secrets {
			quoted := url.QueryEscape(secret)
			for _, c := range []struct {
				query   string
				headers []string
			}{
				{"", []string{"Authorization", bearerKey + secret}},
				{"", []string{"Authorization", "Basic " + secret}},
				{"", []string{"X-Api-Key", secret, "Cookie", "key=" + secret, "Referer", "https://app.example/?key=" + quoted}},
				{"", []string{"X-Goog-Api-Key", secret}},
				{"", []string{"X-Relay-Key", secret, "Authorization", bearerKey + "sk-wr-another"}},
				{"?key=" + quoted + "&api_key=" + quoted, nil},
				{"?alt=json&key=" + quoted + "&token=" + quoted, []string{"X-Api-Key", staleKey}},
			} {
				answer, text := s.knock(d, c.query, c.headers...)
				seen.add("the answer to "+d.path+" with "+name, text)
				for field, values := range answer.Header {
					seen.add(field+" of "+d.path, strings.Join(values, " "))
				}
			}
		}
	}
}

// showToControl does the same to the control listener.
func (s *serving) showToControl(seen *evidence, secrets map[string]string) {
	s.t.Helper()
	for name, secret := range secrets {
		if secret != s.control.token {
			_, text := control{s.t, s.control.url, secret}.send(http.MethodGet, "/api/status", "")
			seen.add("/api/status with "+name, text)
		}
		for _, path := range []string{"/api/status?key=", "/api/relay-keys?q=", "/api/nothing?token=", "/?key=", "/metrics?key=", "/readyz?key=", "/api/usage/events?key="} {
			_, text := s.control.send(http.MethodGet, path+url.QueryEscape(secret), "")
			seen.add(path+" with "+name, text)
		}
		_, text := s.control.send(http.MethodPost, "/api/session", `{"username":"`+name+`","password":"`+secret+`"}`)
		seen.add("/api/session with "+name, text)
		_, text = s.control.send(http.MethodPost, "/api/explain", `{"credential":"`+secret+`","model":"to-chat","endpoint":"chat"}`)
		seen.add("/api/explain with "+name, text)
	}
}
