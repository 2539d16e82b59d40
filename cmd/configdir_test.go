package cmd_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder is a config_dir of a test.
type folder struct {
	t    *testing.T
	path string
}

func newFolder(t *testing.T) folder {
	t.Helper()
	return folder{t, t.TempDir()}
}

func (f folder) put(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) env(more ...string) map[string]string {
	env := map[string]string{"RELAY_CONFIG_DIR": f.path}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return env
}

func limitOf(amount int) string {
	return fmt.Sprintf("apiVersion: relay/v1\nkind: RateLimit\nmetadata: {name: a}\nspec: {rules: [{meter: requests, amount: %d, window: 1m, strategy: sliding-window}]}\n", amount)
}

// amount is that of the only rule of rate limit a; 0: there is none.
func (s *serving) amount() int {
	s.t.Helper()
	status, text := s.control.send(http.MethodGet, "/api/rate-limits/a", "")
	if status == http.StatusNotFound {
		return 0
	}
	rule := member(decoded(s.t, text), "spec", "rules").([]any)[0]
	return int(rule.(map[string]any)["amount"].(float64))
}

// edit changes the amount as the UI does.
func (s *serving) edit(amount int) {
	s.t.Helper()
	s.control.must(http.StatusOK, http.MethodPatch, "/api/rate-limits/by-id/"+s.control.id("/api/rate-limits/a"),
		fmt.Sprintf(`{"spec":{"rules":[{"meter":"requests","amount":%d,"window":60,"strategy":"sliding-window"}]}}`, amount))
}

func (s *serving) remove() {
	s.t.Helper()
	s.control.must(http.StatusNoContent, http.MethodDelete, "/api/rate-limits/by-id/"+s.control.id("/api/rate-limits/a"), "")
}

// TestConfigDir_SharesItsRecordsWithTheDatabase is the table of docs/configuration.md.
func TestConfigDir_SharesItsRecordsWithTheDatabase(t *testing.T) {
	dir, files := dataDir(t), newFolder(t)
	restart := func(what string, want int, drift bool) {
		t.Helper()
		s := startServing(t, dir, files.env())
		defer s.stop()
		if got := s.amount(); got != want {
			t.Errorf("%s: %d after the restart, want %d", what, got, want)
		}
		diff := s.relay("", "diff")
		if told := strings.Contains(diff.stdout, "drift"); told != drift || (diff.code != 0) != drift {
			t.Errorf("%s: relay diff ends with %d: %s", what, diff.code, diff.stdout)
		}
		if told := strings.Contains(s.log.String(), "not as config_dir says"); told != drift {
			t.Errorf("%s: drift in the log: %v, want %v", what, told, drift)
		}
	}
	act := func(do func(s *serving)) {
		t.Helper()
		s := startServing(t, dir, files.env())
		defer s.stop()
		do(s)
	}
	files.put("a.yaml", limitOf(5))
	restart("file 5", 5, false)
	act(func(s *serving) { s.edit(9) })
	restart("UI 9", 9, true)
	files.put("a.yaml", "# laid out otherwise\n"+limitOf(5))
	restart("the same text with a comment", 9, true)
	files.put("a.yaml", limitOf(7))
	restart("file 7", 7, false)
	act(func(s *serving) { s.remove() })
	restart("UI delete", 0, true)
	restart("UI delete, once more", 0, true)
	files.put("a.yaml", limitOf(8))
	restart("file 8", 8, false)
	act(func(s *serving) { s.remove() })
	files.put("a.yaml", "")
	restart("UI delete, taken out of the file", 0, false)
	files.put("a.yaml", limitOf(8))
	restart("back in the file", 8, false)
	act(func(s *serving) {
		s.control.must(http.StatusOK, http.MethodPatch, "/api/rate-limits/by-id/"+s.control.id("/api/rate-limits/a"), `{"metadata":{"name":"b"}}`)
	})
	restart("renamed in the UI", 0, true)
}

func TestConfigDir_IsForcedByTheCommandLine(t *testing.T) {
	files := newFolder(t)
	files.put("a.yaml", limitOf(5))
	s := startServing(t, dataDir(t), files.env())
	s.remove()
	s.done("", "apply", "-f", files.path)
	if got := s.amount(); got != 5 {
		t.Errorf("applied for the first time: %d", got)
	}
	s.remove()
	if got := s.relay("", "apply", "-f", files.path); got.code != 0 || !strings.Contains(got.stdout, "was deleted") || s.amount() != 0 {
		t.Errorf("applied again: %+v", got)
	}
	s.done("", "apply", "-f", files.path, "--force")
	if got := s.amount(); got != 5 {
		t.Errorf("forced: %d", got)
	}
	s.edit(9)
	s.done("", "apply", "-f", files.path)
	if got := s.amount(); got != 9 {
		t.Errorf("applied over an edit: %d", got)
	}
	s.done("", "apply", "-f", files.path, "--force")
	if got := s.amount(); got != 5 {
		t.Errorf("forced over an edit: %d", got)
	}
}

func TestConfigDir_GivesANewDatabaseItsSystemLimitsAndNoOther(t *testing.T) {
	dir, files := dataDir(t), newFolder(t)
	system := func(amount string) string {
		return "apiVersion: relay/v1\nkind: RateLimit\nmetadata: {name: control-api, owner: {kind: system}}\n" +
			"spec: {rules: [{meter: requests, amount: " + amount + ", window: 1s, strategy: sliding-window}]}\n"
	}
	amount := func(s *serving) string {
		return fmt.Sprint(member(s.control.row("/api/rate-limits/control-api"), "spec", "rules"))
	}
	files.put("ratelimits/control.yaml", system("777"))
	s := startServing(t, dir, files.env())
	if got := amount(s); !strings.Contains(got, "777") {
		t.Errorf("new database: %s", got)
	}
	for _, name := range []string{"inference-api", "inference-api-proxy", "inference-api-proxy-anonymous"} {
		s.control.id("/api/rate-limits/" + name)
	}
	s.stop()
	files.put("ratelimits/control.yaml", system("888"))
	s = startServing(t, dir, files.env())
	if got := amount(s); !strings.Contains(got, "777") {
		t.Errorf("present database: %s", got)
	}
	s.control.must(http.StatusNoContent, http.MethodDelete, "/api/rate-limits/by-id/"+s.control.id("/api/rate-limits/control-api"), "")
	s.stop()
	s = startServing(t, dir, files.env())
	if got := amount(s); strings.Contains(got, "777") || strings.Contains(got, "888") {
		t.Errorf("a deleted one came back as %s", got)
	}
}

func TestConfigDir_TakesSecretsFromTheEnvironmentOfTheServer(t *testing.T) {
	files := newFolder(t)
	files.put("a.yaml", `apiVersion: relay/v1
kind: ServiceAccount
metadata: {name: bot}
spec: {project: default}
---
apiVersion: relay/v1
kind: RelayKey
metadata: {name: bot}
spec: {principal: "service-account:bot", source: {kind: env, env: BOT_KEY}}
---
apiVersion: relay/v1
kind: User
metadata: {name: maria}
spec: {passwordFrom: {env: MARIA_PASSWORD}}
`)
	const key = "sk-of-a-former-gateway-1"
	s := startServing(t, dataDir(t), files.env("BOT_KEY", key, "MARIA_PASSWORD", "correct-horse-battery"))
	s.get("/v1/models", key)
	if maria := s.control.row("/api/users/maria"); member(maria, "spec", "hasPassword") != true {
		t.Errorf("maria has no password: %v", maria)
	}
	for _, secret := range []string{key, "correct-horse"} {
		if strings.Contains(s.log.String(), secret) {
			t.Error("a secret stands in the log")
		}
	}
}

// bootFails starts a server that must end by itself.
func bootFails(t *testing.T, dir string, env map[string]string, args ...string) result {
	t.Helper()
	all := map[string]string{
		"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "RELAY_LOG_FORMAT": "json",
		"RELAY_INFERENCE_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_LISTEN": "127.0.0.1:0",
	}
	for name, value := range env {
		all[name] = value
	}
	return run(t.Context(), "", all, append([]string{"serve"}, args...)...)
}

func TestConfigDir_ThatIsWrongStopsTheFirstBootBeforeAnythingIsWritten(t *testing.T) {
	dir, files := dataDir(t), newFolder(t)
	files.put("a.yaml", "apiVersion: relay/v1\nkind: Policy\nmetadata: {name: p}\nspec: {rateLimit: nowhere}\n")
	if got := bootFails(t, dir, files.env()); got.code != 2 || !strings.Contains(got.stderr, filepath.Join(files.path, "a.yaml")+":4: policy p, spec.rateLimit: no rate-limit has this name") {
		t.Errorf("boot: %+v", got)
	}
	files.put("a.yaml", limitOf(5))
	s := startServing(t, dir, files.env())
	if first, err := os.ReadFile(filepath.Join(dir, "first-run.txt")); err != nil || len(first) == 0 {
		t.Errorf("the next boot is not the first one: %v", err)
	}
	s.stop()
	if got := bootFails(t, dir, map[string]string{"RELAY_CONFIG_DIR": filepath.Join(dir, "nowhere")}); got.code != 2 || !strings.Contains(got.stderr, "nowhere: cannot be read") {
		t.Errorf("a folder that is not there: %+v", got)
	}
}
