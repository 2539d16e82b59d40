package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"relay/gateway/echo"
)

// connected starts a server with an upstream that echoes.
func connected(t *testing.T, more map[string]string) *serving {
	t.Helper()
	s := startServing(t, dataDir(t), more)
	upstream := httptest.NewServer(echo.Handler(echo.Options{}))
	t.Cleanup(upstream.Close)
	s.done("", "connect", "up", "--base-url", upstream.URL+"/v1", "--auth", "none")
	return s
}

// ask makes a small call.
func (s *serving) ask(key string) (*http.Response, string) {
	s.t.Helper()
	return s.post("/v1/chat/completions", key, `{"model":"echo-mini","messages":[{"role":"user","content":"hi"}]}`)
}

// set makes a setting, or replaces what it says.
func (s *serving) set(section, spec string) string {
	s.t.Helper()
	if status, row := s.control.send(http.MethodGet, "/api/settings/"+section, ""); status == http.StatusOK {
		id := member(decoded(s.t, row), "metadata", "id").(string)
		return s.control.must(http.StatusOK, http.MethodPut, "/api/settings/by-id/"+id, `{"metadata":{"name":"`+section+`"},"spec":`+spec+`}`)
	}
	return s.control.must(http.StatusCreated, http.MethodPost, "/api/settings", `{"metadata":{"name":"`+section+`"},"spec":`+spec+`}`)
}

func TestSettings_OfLimitsHoldFromTheNextRequestOn(t *testing.T) {
	s := connected(t, nil)
	key := s.done("", "key", "add", "alice", "--rpm", "100")
	told := func() string {
		answer, text := s.ask(key)
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", answer.StatusCode, text)
		}
		return answer.Header.Get("X-Ratelimit-Limit-Requests")
	}
	if got := told(); got != "" {
		t.Errorf("told of a limit of %s before anybody asked for it", got)
	}
	s.set("limits", `{"headers":"all"}`)
	if got := told(); got != "100" {
		t.Errorf("told of a limit of %q under headers all", got)
	}
	s.set("limits", `{"headers":"off"}`)
	if got := told(); got != "" {
		t.Errorf("told of a limit of %s under headers off", got)
	}
}

func TestSettings_OfTokensAtTheAmountHoldFromTheNextRequestOn(t *testing.T) {
	s := connected(t, nil)
	key := s.done("", "key", "add", "alice", "--tpm", "1000")
	_, text := s.ask(key)
	total := int(member(decoded(t, text), "usage", "total_tokens").(float64))
	s.done("", "key", "edit", "alice", "--tpm", strconv.Itoa(total))
	want := func(status int) {
		t.Helper()
		if answer, text := s.ask(key); answer.StatusCode != status {
			t.Errorf("%d %s, want %d", answer.StatusCode, text, status)
		}
	}
	s.set("limits", `{"atCap":"refuse"}`)
	want(http.StatusTooManyRequests)
	s.set("limits", `{"atCap":"admit"}`)
	want(http.StatusOK)
	want(http.StatusTooManyRequests)
}

func TestSettings_OfTheTimezoneMoveTheDaysOfBudgets(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	s.nineDollars()
	left := func(name, zone string) int { // of a budget whose first day begins under the zone
		s.set("limits", `{"timezone":"`+zone+`"}`)
		key := s.done("", "key", "add", name, "--budget", "100/day")
		s.chat(http.StatusOK, key, "echo-mini")
		budget := member(decoded(t, s.get("/v1/usage", key)), "budgets").([]any)[0]
		return int(member(budget.(map[string]any), "reset_seconds").(float64))
	}
	const day, nine = 24 * 3600, 9 * 3600
	east, utc := left("tokyo", "Asia/Tokyo"), left("utc", "UTC")
	if apart := (utc - east + day) % day; apart < nine-60 || apart > nine+60 {
		t.Errorf("the day ends in %d s in Tokyo and %d s in UTC", east, utc)
	}
}

func TestSettings_LetKeysCallWhatNoPolicyGoverns(t *testing.T) {
	s := connected(t, nil)
	key := s.done("", "key", "add", "alice")
	s.done("", "policy", "unbind", "default", "organization:default", "--yes")
	want := func(status int) {
		t.Helper()
		if answer, text := s.ask(key); answer.StatusCode != status {
			t.Errorf("%d %s, want %d", answer.StatusCode, text, status)
		}
	}
	want(http.StatusForbidden)
	s.set("inference", `{"allowMissingPolicy":true}`)
	want(http.StatusOK)
	s.set("inference", `{"allowMissingPolicy":false}`)
	want(http.StatusForbidden)
}

func TestSettings_GiveWayToWhatTheConfigurationSays(t *testing.T) {
	s := connected(t, map[string]string{"RELAY_LIMITS_HEADERS": "off"})
	key := s.done("", "key", "add", "alice", "--rpm", "100")
	s.set("limits", `{"headers":"all","restart":"never-over"}`)
	s.set("usage", `{"retention":"30d"}`)
	if answer, _ := s.ask(key); answer.Header.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Error("headers are sent although the environment says off")
	}
	warnings := encoded(t, s.control.row("/api/status")["warnings"])
	for _, part := range []string{
		`"field":"spec.headers","kind":"setting","message":"changes nothing: the configuration says limits.headers`,
		`"field":"spec.restart","kind":"setting","message":"takes effect when Relay is started again"`,
		`"field":"spec.retention","kind":"setting","message":"changes nothing: this version of Relay does not act upon it"`,
	} {
		if !strings.Contains(warnings, part) {
			t.Errorf("no warning %s in %s", part, warnings)
		}
	}
}

func TestSettings_RefuseWhatWouldTightenLimitsAndIsNotDone(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	for _, spec := range []string{`{"charge":"reserve"}`, `{"onOutage":"refuse"}`, `{"profile":"strict"}`, `{"keyWindows":"fixed"}`} {
		text := s.control.must(http.StatusBadRequest, http.MethodPost, "/api/settings", `{"metadata":{"name":"limits"},"spec":`+spec+`}`)
		if !strings.Contains(text, "this version of Relay does nothing else") {
			t.Errorf("%s: %s", spec, text)
		}
	}
	s.set("limits", `{"charge":"actual","onOutage":"local","profile":"default","keyWindows":"sliding"}`)
}
