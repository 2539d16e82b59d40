package cmd_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const acknowledgement = "shared_state.allow_process_local_throttling: true"

// strictly is the environment of a process under the strict profile, and
// acknowledged that of one which says that it is alone.
func strictly() map[string]string { return map[string]string{"RELAY_LIMITS_PROFILE": "strict"} }

func acknowledged() map[string]string {
	return map[string]string{"RELAY_LIMITS_PROFILE": "strict", "RELAY_SHARED_STATE_ALLOW_PROCESS_LOCAL_THROTTLING": "true"}
}

const minuteRule = `"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]`

// limitWrite is a call that makes a limit; in its path and body {KIND/NAME} is
// the id of a record.
type limitWrite struct{ method, path, body string }

func limitWrites() []limitWrite {
	const rpm, budget = `"limits":{"rpm":60}`, `"budgets":[{"amount":"5","period":"day"}]`
	writes := []limitWrite{
		{"POST", "/api/rate-limits", `{"metadata":{"name":"rl"},"spec":{` + minuteRule + `}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/off}", `{"spec":{"enabled":true}}`},
		{"PUT", "/api/rate-limits/by-id/{rate-limits/off}", `{"metadata":{"name":"off"},"spec":{"charge":"actual",` + minuteRule + `}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/inference-api}", `{"spec":{"enabled":true,` + minuteRule + `}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/inference-api-proxy-anonymous}", `{"spec":{"charge":"actual"}}`},
		{"POST", "/api/policies", `{"metadata":{"name":"q"},"spec":{` + budget + `}}`},
		{"POST", "/api/policies", `{"metadata":{"name":"tier","owner":{"kind":"host","id":"up"}},"spec":{` + budget + `}}`},
		{"PATCH", "/api/policies/by-id/{policies/p}", `{"spec":{"rateLimitId":"inference-api-proxy-anonymous"}}`},
		{"PUT", "/api/policies/by-id/{policies/p}", `{"metadata":{"name":"p"},"spec":{"rlBindings":[{"models":["m"],"rateLimitId":"inference-api-proxy-anonymous"}]}}`},
		{"POST", "/api/relay-keys", `{"metadata":{"name":"new"},"spec":{` + rpm + `}}`},
		{"PATCH", "/api/relay-keys/by-id/{relay-keys/k}", `{"spec":{` + budget + `}}`},
		{"POST", "/api/teams", `{"metadata":{"name":"t"},"spec":{"organizationId":"default",` + rpm + `}}`},
		{"PUT", "/admin/organizations/default/limits", `{"rpm_limit":60,"tpm_limit":null,"max_concurrency":null}`},
		{"POST", "/api/apply", `{"documents":[{"kind":"rate-limit","metadata":{"name":"applied"},"spec":{"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}}]}`},
		{"POST", "/api/apply", `{"documents":[{"kind":"model","metadata":{"name":"capped"},"spec":{` + rpm + `}}]}`},
	}
	for _, record := range []string{"organizations/default", "teams/default", "projects/default", "service-accounts/k", "relay-keys/k", "models/m"} {
		kind, _, _ := strings.Cut(record, "/")
		writes = append(writes, limitWrite{"PATCH", "/api/" + kind + "/by-id/{" + record + "}", `{"spec":{"limits":{"tpm":60}}}`})
	}
	return writes
}

// limitless makes records that limit nothing.
func (s *serving) limitless() {
	s.t.Helper()
	s.control.must(http.StatusCreated, http.MethodPost, "/api/models", `{"metadata":{"name":"m"},"spec":{}}`)
	s.control.must(http.StatusCreated, http.MethodPost, "/api/hosts", `{"metadata":{"name":"up"},"spec":{"baseURL":"http://127.0.0.1:9/v1","auth":"none"}}`)
	s.control.must(http.StatusCreated, http.MethodPost, "/api/rate-limits", `{"metadata":{"name":"off"},"spec":{"enabled":false,`+minuteRule+`}}`)
	s.control.must(http.StatusCreated, http.MethodPost, "/api/policies", `{"metadata":{"name":"p"},"spec":{"rateLimitId":"off"}}`)
	s.done("", "key", "add", "k")
}

// try makes the call and returns its status and answer.
func (w limitWrite) try(s *serving) (int, string) {
	s.t.Helper()
	path := w.path
	if before, rest, found := strings.Cut(path, "{"); found {
		record, after, _ := strings.Cut(rest, "}")
		path = before + s.control.id("/api/"+record) + after
	}
	return s.control.send(w.method, path, w.body)
}

func TestStrict_RefusesEveryRouteToALimitWithoutSharedState(t *testing.T) {
	s := startServing(t, dataDir(t), strictly())
	s.limitless()
	before := s.control.row("/api/status")["generation"]
	for _, w := range limitWrites() {
		status, text := w.try(s)
		var refused struct {
			Status       int
			Code, Detail string
			Errors       []struct{ Kind, Field, Message string }
		}
		if err := json.Unmarshal([]byte(text), &refused); err != nil {
			t.Fatal(err)
		}
		if status != http.StatusUnprocessableEntity || refused.Code != "shared_state_required" || refused.Status != status || len(refused.Errors) == 0 || refused.Errors[0].Field == "" {
			t.Errorf("%s %s %s: %d %s", w.method, w.path, w.body, status, text)
		}
		for _, way := range []string{acknowledgement, "state.backend: redis"} {
			if !strings.Contains(refused.Detail, way) {
				t.Errorf("%s %s does not tell of %s: %s", w.method, w.path, way, refused.Detail)
			}
		}
	}
	if after := s.control.row("/api/status")["generation"]; after != before {
		t.Errorf("the catalog went from generation %v to %v", before, after)
	}
}

func TestStrict_TakesEveryRouteToALimitOnceToldThatThereIsOneProcess(t *testing.T) {
	dir := dataDir(t)
	s := startServing(t, dir, acknowledged())
	s.limitless()
	for _, w := range limitWrites() {
		if status, text := w.try(s); status != http.StatusOK && status != http.StatusCreated {
			t.Errorf("%s %s %s: %d %s", w.method, w.path, w.body, status, text)
		}
	}
	s.stop()
	again := startServing(t, dir, acknowledged())
	again.stop()
}

func TestStrict_LetsEverythingElseBeWritten(t *testing.T) {
	s := startServing(t, dataDir(t), strictly())
	s.limitless()
	for _, w := range []limitWrite{
		{"PATCH", "/api/relay-keys/by-id/{relay-keys/k}", `{"spec":{"models":["m"],"limits":{"atCap":"refuse"}}}`},
		{"PATCH", "/api/policies/by-id/{policies/p}", `{"spec":{"models":["m"]}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/off}", `{"spec":{"atCap":"admit"}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/inference-api-proxy-anonymous}", `{"spec":{"enabled":false}}`},
		{"PATCH", "/api/rate-limits/by-id/{rate-limits/inference-api-proxy-anonymous}", `{"spec":{"enabled":true}}`},
		{"PUT", "/admin/organizations/default/limits", `{"rpm_limit":null,"tpm_limit":null,"max_concurrency":null}`},
		{"POST", "/api/policies", `{"metadata":{"name":"reader"},"spec":{"models":["m"]}}`},
	} {
		if status, text := w.try(s); status != http.StatusOK && status != http.StatusCreated {
			t.Errorf("%s %s %s: %d %s", w.method, w.path, w.body, status, text)
		}
	}
}

func TestStrict_TellsADryRunWhatTheWriteWouldBeRefusedFor(t *testing.T) {
	s := startServing(t, dataDir(t), strictly())
	body := `{"dryRun":true,"documents":[{"kind":"model","metadata":{"name":"capped"},"spec":{"limits":{"rpm":1}}}]}`
	if text := s.control.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/apply", body); !strings.Contains(text, "shared_state_required") {
		t.Error(text)
	}
}

func TestStrict_TellsTheCommandLineWhatToDo(t *testing.T) {
	s := startServing(t, dataDir(t), strictly())
	for _, args := range [][]string{
		{"key", "add", "alice", "--rpm", "10"}, {"limit", "add", "rl", "--rpm", "10"}, {"policy", "add", "chat", "--budget", "20/day"},
		{"team", "add", "research", "--rpm", "10"},
	} {
		if got := s.relay("", args...); got.code != 4 || !strings.Contains(got.stderr, acknowledgement) || got.stdout != "" {
			t.Errorf("relay %q: %+v", args, got)
		}
	}
}

func TestStrict_RefusesALimitWithoutAServerToo(t *testing.T) {
	env := map[string]string{"HOME": dataDir(t), "RELAY_LIMITS_PROFILE": "strict", "RELAY_DISCOVER": "false"}
	env["RELAY_DATA_DIR"] = filepath.Join(env["HOME"], "data")
	file := filepath.Join(env["HOME"], "limits.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: relay/v1\nkind: Model\nmetadata: {name: a}\nspec: {limits: {rpm: 1}}\n---\napiVersion: relay/v1\nkind: Model\nmetadata: {name: b}\nspec: {limits: {rpm: 1}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"key", "add", "alice", "--rpm", "10"}, {"limit", "add", "rl", "--rpm", "10"}, {"apply", "-f", file}} {
		got := run(t.Context(), "", env, args...)
		if got.code != 4 || !strings.Contains(got.stderr, acknowledgement) {
			t.Errorf("relay %q: %+v", args, got)
		}
		if args[0] == "apply" && (!strings.Contains(got.stderr, "model a, spec.limits") || !strings.Contains(got.stderr, "model b, spec.limits")) {
			t.Errorf("relay apply does not name what it refuses: %s", got.stderr)
		}
	}
	env["RELAY_SHARED_STATE_ALLOW_PROCESS_LOCAL_THROTTLING"] = "true"
	if got := run(t.Context(), "", env, "key", "add", "alice", "--rpm", "10"); got.code != 0 {
		t.Errorf("told that there is one process: %+v", got)
	}
}

// capped leaves a data directory with limits of several kinds.
func capped(t *testing.T) (env map[string]string) {
	t.Helper()
	dir := dataDir(t)
	env = map[string]string{
		"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "RELAY_INFERENCE_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_LISTEN": "127.0.0.1:0",
	}
	s := startServing(t, dir, nil)
	s.done("", "key", "add", "alice", "--rpm", "10", "--budget", "5/day")
	s.done("", "limit", "add", "rl", "--rpm", "10")
	s.done("", "limit", "add", "idle", "--rpm", "10")
	s.done("", "limit", "edit", "idle", "--enabled=false")
	s.done("", "policy", "add", "chat", "--limit", "rl")
	s.done("", "limit", "edit", "inference-api", "--rpm", "1000", "--enabled")
	s.stop()
	return env
}

func TestStrict_DoesNotStartWithStoredLimitsAndNamesThem(t *testing.T) {
	env := capped(t)
	env["RELAY_LIMITS_PROFILE"] = "strict"
	got := run(t.Context(), "", env, "serve")
	if got.code != 2 {
		t.Fatalf("%+v", got)
	}
	for _, part := range []string{"limits.profile is strict", acknowledgement, "state.backend: redis", "relay-key alice, spec.limits", "relay-key alice, spec.budgets", "rate-limit rl, ", "policy chat, spec.rateLimitId", "rate-limit inference-api, "} {
		if !strings.Contains(got.stderr, part) {
			t.Errorf("the start does not tell of %q: %s", part, got.stderr)
		}
	}
	for _, part := range []string{"idle", "anonymous", "control-api"} {
		if strings.Contains(got.stderr, part) {
			t.Errorf("the start tells of %s: %s", part, got.stderr)
		}
	}
	for _, args := range [][]string{{"key", "rm", "alice", "--yes"}, {"limit", "edit", "rl", "--enabled=false"}, {"limit", "rm", "inference-api", "--yes"}} {
		if got := run(t.Context(), "", env, args...); got.code != 0 {
			t.Errorf("relay %q without a server: %+v", args, got)
		}
	}
	startServing(t, env["RELAY_DATA_DIR"], strictly()).stop()
}

func TestStrict_StartsWithStoredLimitsOnceToldThatThereIsOneProcess(t *testing.T) {
	startServing(t, capped(t)["RELAY_DATA_DIR"], acknowledged()).stop()
}

func TestStrict_AsASettingIsRefusedWhereTheNextStartWouldBe(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	s.done("", "key", "add", "alice", "--rpm", "10")
	const body = `{"metadata":{"name":"limits"},"spec":{"profile":"strict"}}`
	text := s.control.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/settings", body)
	for _, part := range []string{"shared_state_required", "setting limits says profile strict", acknowledgement, `"name":"alice"`, `"field":"spec.limits"`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	s.done("", "key", "edit", "alice", "--rpm", "none")
	s.control.must(http.StatusCreated, http.MethodPost, "/api/settings", body)
	if got := s.relay("", "key", "edit", "alice", "--rpm", "10"); got.code != 4 || !strings.Contains(got.stderr, acknowledgement) {
		t.Errorf("%+v", got)
	}
	s.set("limits", `{"profile":"default"}`)
	s.done("", "key", "edit", "alice", "--rpm", "10")
}

func TestStrict_AsASettingDoesNotTellOfHiddenRecords(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"RELAY_AUTHZ": "rbac"})
	s.done("", "key", "add", "alice", "--rpm", "10")
	s.done("", "limit", "add", "known", "--rpm", "10")
	s.control.must(http.StatusCreated, http.MethodPost, "/api/roles", `{"metadata":{"name":"setter"},"spec":{"rules":[{"kinds":["settings"],"verbs":["*"]},{"kinds":["rate-limits"],"verbs":["get","list"]}]}}`)
	answer := s.control.must(http.StatusCreated, http.MethodPost, "/api/admin-tokens", `{"metadata":{"name":"setter"},"spec":{"roleIds":["setter"],"scope":{"kind":"system"}}}`)
	setter := control{t, s.control.url, decoded(t, answer)["plaintext"].(string)}
	text := setter.must(http.StatusUnprocessableEntity, http.MethodPost, "/api/settings", `{"metadata":{"name":"limits"},"spec":{"profile":"strict"}}`)
	if strings.Contains(text, "alice") || !strings.Contains(text, `"name":"known"`) || !strings.Contains(text, acknowledgement) {
		t.Error(text)
	}
}

func TestStrict_AsAStoredSettingStopsTheNextStartOfAProcessThatMayNotBeAlone(t *testing.T) {
	dir := dataDir(t)
	alone := map[string]string{"RELAY_SHARED_STATE_ALLOW_PROCESS_LOCAL_THROTTLING": "true"}
	s := startServing(t, dir, alone)
	s.set("limits", `{"profile":"strict"}`)
	s.done("", "key", "add", "alice", "--rpm", "10")
	s.stop()
	env := map[string]string{"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "RELAY_INFERENCE_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_LISTEN": "127.0.0.1:0"}
	if got := run(t.Context(), "", env, "serve"); got.code != 2 || !strings.Contains(got.stderr, "setting limits says profile strict") || !strings.Contains(got.stderr, "relay-key alice, spec.limits") {
		t.Errorf("%+v", got)
	}
	startServing(t, dir, alone).stop()
}
