package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
)

const formerKey = "sk-former-key-of-alice-0123456789"

// scratchFile writes a file of the test and returns its path.
func scratchFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// answering starts an upstream that answers every chat.
func answering(t *testing.T) *gatewaytest.Upstream {
	t.Helper()
	u := gatewaytest.New(t)
	u.Otherwise(gatewaytest.JSON(http.StatusOK, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`))
	return u
}

// asked lists the chats that an upstream got: the model, and the key.
func asked(t *testing.T, u *gatewaytest.Upstream) []string {
	t.Helper()
	var got []string
	for _, r := range u.Requests() {
		if !strings.HasPrefix(r.Line(), "POST /v1/chat/completions ") {
			continue
		}
		var body struct{ Model string }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		got = append(got, body.Model+" "+strings.Join(r.Header("Authorization"), ","))
	}
	return got
}

// statusOfChat calls a model and returns the status.
func (s *serving) statusOfChat(key, model string) int {
	s.t.Helper()
	answer, _ := s.post("/v1/chat/completions", key, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}]}`, model))
	return answer.StatusCode
}

func (s *serving) wantChat(key, model string, status int) {
	s.t.Helper()
	if got := s.statusOfChat(key, model); got != status {
		s.t.Errorf("a call of %s answers %d, not %d", model, got, status)
	}
}

// rigOfLiteLLM is a server with what LiteLLM had: three upstreams, and two keys.
func rigOfLiteLLM(t *testing.T) (s *serving, a, b, c *gatewaytest.Upstream, again func() result) {
	a, b, c = answering(t), answering(t), gatewaytest.New(t)
	s = startServing(t, dataDir(t), map[string]string{"KEY_A": "upstream-key-a", "KEY_B": "upstream-key-b", "KEY_C": "upstream-key-c"})
	config := scratchFile(t, "config.yaml", strings.NewReplacer("URL_A", a.URL(), "URL_B", b.URL(), "URL_C", c.URL()).Replace(`
model_list:
  - {model_name: direct, litellm_params: {model: openai/up-direct, api_base: URL_A/v1, api_key: os.environ/KEY_A}}
  - {model_name: heavy, litellm_params: {model: openai/up-heavy, api_base: URL_A/v1, api_key: os.environ/KEY_A, weight: 3}}
  - {model_name: heavy, litellm_params: {model: openai/up-heavy, api_base: URL_B/v1, api_key: os.environ/KEY_B, weight: 1}}
  - {model_name: flaky, litellm_params: {model: openai/up-flaky, api_base: URL_C/v1, api_key: os.environ/KEY_C}}
  - {model_name: "lab/*", litellm_params: {model: "openai/*", api_base: URL_B/v1, api_key: sk-literal-key-of-the-lab}}
  - {model_name: narrow, litellm_params: {model: openai/up-narrow, api_base: URL_A/v1, api_key: os.environ/KEY_B, rpm: 2}}
router_settings:
  model_group_alias: {pseudo: direct}
  fallbacks: [{flaky: [direct]}]
general_settings: {master_key: sk-master-key-0123456789}
`))
	keys := scratchFile(t, "keys.csv", "token,key_alias,models,blocked,team_id,team_alias\n"+
		sha256Of(formerKey)+",alice,{},f,t-1,Research\n"+
		sha256Of("sk-former-key-of-bob-0123456789")+`,bob,"{direct}",f,t-1,Research`+"\n"+
		sha256Of("sk-former-key-of-carol-0123456789")+",carol,{},t,,\n")
	again = func() result {
		return s.relay("", "import", "litellm", config, "--keys", keys, "--apply", "--with-secrets")
	}
	if first := again(); first.code != 0 || strings.Contains(first.stderr+first.stdout, "sk-literal") {
		t.Fatalf("%+v", first)
	}
	return s, a, b, c, again
}

func TestImport_FormerKeysOfLiteLLMReachWhatTheyReached(t *testing.T) {
	s, a, b, c, _ := rigOfLiteLLM(t)
	for _, model := range []string{"direct", "pseudo", "flaky", "lab/some-model"} {
		s.wantChat(formerKey, model, http.StatusOK)
	}
	direct := "up-direct Bearer upstream-key-a"
	if got := asked(t, a); !slices.Equal(got, []string{direct, direct, direct}) {
		t.Errorf("direct, alias and fallback came as %q", got)
	}
	if got := asked(t, b); !slices.Equal(got, []string{"some-model Bearer sk-literal-key-of-the-lab"}) {
		t.Errorf("the wildcard came as %q", got)
	}
	if got := asked(t, c); len(got) == 0 || got[0] != "up-flaky Bearer upstream-key-c" {
		t.Errorf("what fails first got %q", got)
	}
}

func TestImport_PicksByTheWeightsOfLiteLLM(t *testing.T) {
	s, a, b, _, _ := rigOfLiteLLM(t)
	for range 8 {
		s.wantChat(formerKey, "heavy", http.StatusOK)
	}
	if x, y := len(asked(t, a)), len(asked(t, b)); x != 6 || y != 2 {
		t.Errorf("of 8 calls %d and %d went to weights 3 and 1", x, y)
	}
}

func TestImport_KeepsWhatLiteLLMDenied(t *testing.T) {
	s, a, _, _, _ := rigOfLiteLLM(t)
	s.wantChat("sk-former-key-of-bob-0123456789", "direct", http.StatusOK)
	s.wantChat("sk-former-key-of-bob-0123456789", "heavy", http.StatusForbidden)
	s.wantChat("sk-former-key-of-carol-0123456789", "direct", http.StatusUnauthorized)
	s.wantChat("sk-never-handed-out-0123456789", "direct", http.StatusUnauthorized)
	s.wantChat("sk-master-key-0123456789", "direct", http.StatusOK)
	for range 2 {
		s.wantChat(formerKey, "narrow", http.StatusOK)
	}
	s.wantChat(formerKey, "narrow", http.StatusTooManyRequests)
	if got := asked(t, a); !slices.Contains(got, "up-narrow Bearer upstream-key-b") {
		t.Errorf("narrow goes by its own key: %q", got)
	}
}

func TestImport_ChangesNothingTheSecondTime(t *testing.T) {
	s, _, _, _, again := rigOfLiteLLM(t)
	generation := s.control.row("/api/host-keys/lab-key")
	got := again()
	if got.code != 0 || !strings.Contains(got.stderr, "Applied: 0 created, 0 updated, ") || strings.Contains(got.stderr, "Stored") {
		t.Errorf("%+v", got)
	}
	if encoded(t, generation) != encoded(t, s.control.row("/api/host-keys/lab-key")) {
		t.Error("a provider key has changed")
	}
}

func TestImport_RefusesToOverwriteWhatIsHere(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	s.done("", "key", "add", "alice")
	config := scratchFile(t, "config.yaml", "model_list: [{model_name: gpt-4o, litellm_params: {model: openai/gpt-4o, weight: 2}}]\n")
	keys := scratchFile(t, "keys.csv", "token,key_alias\n"+sha256Of(formerKey)+",alice\n")
	got := s.relay("", "import", "litellm", config, "--keys", keys, "--apply")
	if got.code != 5 || !strings.Contains(got.stderr, "relay-key alice") || strings.Contains(got.stderr, "gpt-4o-openai") {
		t.Errorf("%+v", got)
	}
	s.control.must(http.StatusNotFound, http.MethodGet, "/api/policies/litellm", "")
}

func TestImport_TokensOfOneAPIWorkWithTheirPrefixAndWithout(t *testing.T) {
	a, b := answering(t), answering(t)
	s := startServing(t, dataDir(t), nil)
	token := "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL"
	vip := "bbcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL"
	export := scratchFile(t, "export.json", fmt.Sprintf(`{"channels":[
		{"id":1,"type":1,"key":"channel-key-a","status":1,"name":"A","base_url":%q,"models":"m,mapped","model_mapping":"{\"mapped\":\"real\"}","group":"default","priority":9},
		{"id":2,"type":1,"key":"channel-key-b","status":1,"name":"B","base_url":%q,"models":"m,special","group":"vip","priority":0}],
		"tokens":[{"id":1,"user_id":1,"key":%q,"status":1,"name":"t","expired_time":-1,"unlimited_quota":true},
		{"id":2,"user_id":2,"key":%q,"status":1,"name":"v","expired_time":-1,"unlimited_quota":true}],
		"users":[{"id":1,"username":"u","group":"default"},{"id":2,"username":"w","group":"vip"}]}`, a.URL(), b.URL(), token, vip))
	if got := s.relay("", "import", "one-api", export, "--apply", "--with-secrets"); got.code != 0 || strings.Contains(got.stdout+got.stderr, "channel-key") {
		t.Fatalf("%+v", got)
	}
	s.wantChat("sk-"+token, "mapped", http.StatusOK)
	s.wantChat(token, "m", http.StatusOK)
	s.wantChat("sk-"+token, "special", http.StatusForbidden)
	s.wantChat("sk-"+vip, "special", http.StatusOK)
	s.wantChat("sk-"+vip, "m", http.StatusOK)
	s.wantChat("sk-"+vip, "mapped", http.StatusForbidden)
	if got := asked(t, a); !slices.Equal(got, []string{"real Bearer channel-key-a", "m Bearer channel-key-a"}) {
		t.Errorf("group default reached %q", got)
	}
	if got := asked(t, b); !slices.Equal(got, []string{"special Bearer channel-key-b", "m Bearer channel-key-b"}) {
		t.Errorf("group vip reached %q", got)
	}
}

func TestImport_TakesThousandsOfKeysInSeveralWrites(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"KEY_A": "upstream-key-a"})
	a := answering(t)
	config := scratchFile(t, "config.yaml", "model_list: [{model_name: direct, litellm_params: {model: openai/up-direct, api_base: "+a.URL()+"/v1, api_key: os.environ/KEY_A}}]\n")
	var keys strings.Builder
	keys.WriteString("token,key_alias\n")
	for i := range 3000 {
		fmt.Fprintf(&keys, "%s,key-%d\n", sha256Of(fmt.Sprintf("sk-many-keys-%d-0123456789", i)), i)
	}
	if got := s.relay("", "import", "litellm", config, "--keys", scratchFile(t, "keys.csv", keys.String()), "--apply"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	s.wantChat("sk-many-keys-0-0123456789", "direct", http.StatusOK)
	s.wantChat("sk-many-keys-2999-0123456789", "direct", http.StatusOK)
}

// TestImport_TheCommandsOfItsDocumentWork runs what docs/migrating.md says to type,
// on the configurations of testdata/import.
func TestImport_TheCommandsOfItsDocumentWork(t *testing.T) {
	text, err := os.ReadFile("../docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, from := range map[string]string{"config.yaml": "litellm-keys.yaml", "keys.csv": "litellm-keys.csv", "one-api.json": "one-api.json", "new-api.sql": "new-api.sql"} {
		content, err := os.ReadFile("../testdata/import/" + from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	dir := dataDir(t)
	env := map[string]string{"HOME": dir, "RELAY_DATA_DIR": dir, "RELAY_DISCOVER": "false", "OPENAI_KEY": "sk-given-by-hand-0123456789"}
	ran := 0
	for _, block := range strings.Split(string(text), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			words := strings.Fields(line)
			want := 0
			if slices.Contains(words, "--dry-run") {
				want = 1
			}
			if got := run(t.Context(), "", env, words[1:]...); got.code != want {
				t.Errorf("%s exits with %d: %s", strings.TrimSpace(line), got.code, got.stderr)
			}
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("the document has %d commands", ran)
	}
}
