package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"relay/cmd"
	"relay/gateway/echo"
	"relay/store"
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

func TestSettings_OfAProfileHoldFromTheNextRequestOn(t *testing.T) {
	s := connected(t, nil)
	key := s.done("", "key", "add", "alice", "--rpm", "100")
	told := func() string {
		answer, text := s.ask(key)
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", answer.StatusCode, text)
		}
		return answer.Header.Get("X-Ratelimit-Limit-Requests")
	}
	s.set("limits", `{"profile":"aligned"}`)
	if got := told(); got != "100" {
		t.Errorf("told of a limit of %q under profile aligned", got)
	}
	s.set("limits", `{"profile":"aligned","headers":"off"}`)
	if got := told(); got != "" {
		t.Errorf("told of a limit of %s under profile aligned and headers off", got)
	}
	if warnings := encoded(t, s.control.row("/api/status")["warnings"]); strings.Contains(warnings, `"kind":"setting"`) {
		t.Errorf("warned of settings that are in use: %s", warnings)
	}
}

func TestSettings_GiveWayToTheProfileOfTheConfiguration(t *testing.T) {
	s := connected(t, map[string]string{"RELAY_LIMITS_PROFILE": "default"})
	key := s.done("", "key", "add", "alice", "--rpm", "100")
	s.set("limits", `{"profile":"aligned","headers":"all","keyWindows":"fixed","atCap":"refuse","charge":"actual","onOutage":"refuse","defaultOutputTokens":100}`)
	if answer, _ := s.ask(key); answer.Header.Get("X-Ratelimit-Limit-Requests") != "" {
		t.Error("headers are sent although the profile of the environment says off")
	}
	warnings := encoded(t, s.control.row("/api/status")["warnings"])
	for _, member := range []string{"profile", "headers", "keyWindows", "atCap", "charge", "onOutage"} {
		if part := `"field":"spec.` + member + `","kind":"setting","message":"changes nothing: the configuration says limits.profile`; !strings.Contains(warnings, part) {
			t.Errorf("no warning %s in %s", part, warnings)
		}
	}
	if strings.Contains(warnings, "defaultOutputTokens") {
		t.Errorf("a profile sets no tokens of output: %s", warnings)
	}
}

func TestSettings_OfLimitsTakeNothingUnknown(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	for spec, field := range map[string]string{
		`{"profile":"loose"}`: "spec.profile", `{"keyWindows":"rolling"}`: "spec.keyWindows", `{"charge":"later"}`: "spec.charge",
		`{"onOutage":"ignore"}`: "spec.onOutage", `{"defaultOutputTokens":-1}`: "spec.defaultOutputTokens", `{"key_windows":"fixed"}`: "spec.key_windows",
	} {
		if text := s.control.must(http.StatusBadRequest, http.MethodPost, "/api/settings", `{"metadata":{"name":"limits"},"spec":`+spec+`}`); !strings.Contains(text, field) {
			t.Errorf("%s: %s", spec, text)
		}
	}
}

func TestLimits_SayWhatGoesBeforeWhat(t *testing.T) {
	aligned := cmd.LimitsConfig{Profile: "aligned", Headers: "all", KeyWindows: "fixed", AtCap: "refuse", Charge: "actual", OnOutage: "local", Timezone: "UTC", Restart: "normal"}
	strict := cmd.LimitsConfig{Profile: "strict", Headers: "rejections", KeyWindows: "sliding", AtCap: "refuse", Charge: "reserve", OnOutage: "refuse", Timezone: "UTC", Restart: "normal"}
	standard := cmd.LimitsConfig{Profile: "default", Headers: "off", KeyWindows: "sliding", AtCap: "admit", Charge: "actual", OnOutage: "local", Timezone: "UTC", Restart: "normal"}
	with := func(base cmd.LimitsConfig, change func(*cmd.LimitsConfig)) cmd.LimitsConfig {
		change(&base)
		return base
	}
	tokens := func(n int64) *int64 { return &n }
	tests := []struct {
		name, file string
		set        *store.SettingSpec
		want       cmd.LimitsConfig
	}{
		{"nothing is written", "", nil, standard},
		{"the file's profile", "limits: {profile: aligned}", nil, aligned},
		{"the file's switch before its profile", "limits: {profile: strict, charge: actual}", nil, with(strict, func(l *cmd.LimitsConfig) { l.Charge = "actual" })},
		{"the setting's profile", "", &store.SettingSpec{Profile: "strict"}, strict},
		{"the setting's switches before its profile", "", &store.SettingSpec{Profile: "strict", Headers: "all", KeyWindows: "fixed", AtCap: "admit", Charge: "actual", OnOutage: "allow"},
			with(strict, func(l *cmd.LimitsConfig) {
				l.Headers, l.KeyWindows, l.AtCap, l.Charge, l.OnOutage = "all", "fixed", "admit", "actual", "allow"
			})},
		{"the setting's switches without a profile", "", &store.SettingSpec{OnOutage: "refuse"}, with(standard, func(l *cmd.LimitsConfig) { l.OnOutage = "refuse" })},
		{"the file's profile before the setting's profile and switches", "limits: {profile: aligned}",
			&store.SettingSpec{Profile: "strict", Headers: "off", KeyWindows: "sliding", AtCap: "admit", Charge: "reserve", OnOutage: "allow"}, aligned},
		{"the file's switches before the setting's profile and switches", "limits: {headers: all, key_windows: fixed}",
			&store.SettingSpec{Profile: "strict", Headers: "off", AtCap: "admit"}, with(strict, func(l *cmd.LimitsConfig) { l.Headers, l.KeyWindows, l.AtCap = "all", "fixed", "admit" })},
		{"an empty switch is none", "limits: {headers: \"\"}", &store.SettingSpec{Headers: "all"}, with(standard, func(l *cmd.LimitsConfig) { l.Headers = "all" })},
		{"the file's profile default", "limits: {profile: default}", &store.SettingSpec{Profile: "aligned"}, standard},
		{"tokens of output of the file", "limits: {default_output_tokens: 7}", &store.SettingSpec{DefaultOutputTokens: tokens(9)}, with(standard, func(l *cmd.LimitsConfig) { l.DefaultOutput = 7 })},
		{"tokens of output of the setting under the file's profile", "limits: {profile: aligned}", &store.SettingSpec{DefaultOutputTokens: tokens(9)}, with(aligned, func(l *cmd.LimitsConfig) { l.DefaultOutput = 9 })},
		{"none of the setting before the file's", "limits: {default_output_tokens: 0}", &store.SettingSpec{DefaultOutputTokens: tokens(9)}, standard},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := store.NewCatalog()
			if test.set != nil {
				c = store.NewCatalog(&store.Setting{Metadata: store.Metadata{ID: "1", Name: store.SettingLimits}, Spec: *test.set})
			}
			if diff := gocmp.Diff(test.want, cmd.LimitsUnder(load(t, test.file, nil, bare()), c)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits_OfAFlagAndOfTheEnvironmentGoBeforeSettings(t *testing.T) {
	c := store.NewCatalog(&store.Setting{Metadata: store.Metadata{ID: "1", Name: store.SettingLimits}, Spec: store.SettingSpec{Profile: "strict", Charge: "reserve"}})
	env := environment(map[string]string{"HOME": "/home/op", "RELAY_LIMITS_ON_OUTAGE": "allow"})
	got := cmd.LimitsUnder(load(t, "", map[string]string{"limits.charge": "actual"}, env), c)
	if got.Charge != "actual" || got.OnOutage != "allow" || got.Profile != "strict" || got.AtCap != "refuse" {
		t.Errorf("got %+v", got)
	}
}

func TestSettings_OfProxyModeGiveWayToTheConfiguration(t *testing.T) {
	for written, status := range map[string]int{"": http.StatusOK, "false": http.StatusForbidden, "true": http.StatusOK} {
		s := connected(t, map[string]string{"RELAY_PROXY_ENABLED": written})
		key := s.done("", "key", "add", "alice", "--rpm", "100")
		s.set("proxy", `{"enabled":true}`)
		answer, text := s.post("/v1/chat/completions", "", `{"model":"echo-mini","messages":[{"role":"user","content":"hi"}]}`, "X-Relay-Proxy", "1", "X-Relay-Key", key)
		if answer.StatusCode != status {
			t.Errorf("written %q: %d %s, want %d", written, answer.StatusCode, text, status)
		}
	}
}
