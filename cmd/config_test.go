package cmd_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relay/cmd"
	"relay/store"
)

var update = flag.Bool("update", false, "rewrite golden files")

func environment(variables map[string]string) cmd.Environment {
	return func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
}

// bare is an environment with nothing but a home.
func bare() cmd.Environment { return environment(map[string]string{"HOME": "/home/op"}) }

func corpusEnvironment() cmd.Environment {
	return environment(map[string]string{
		"HOME": "/home/op", "ATTEMPTS": "4", "PORT": "9100", "DENY": "true", "PROXY": "10.1.0.0/16",
		"ODD_NAME": `a $b #c: "d'` + "\ne",
	})
}

func load(t *testing.T, text string, flags map[string]string, env cmd.Environment) cmd.Config {
	t.Helper()
	cfg, err := cmd.LoadConfig(write(t, text), flags, env)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "relay.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadConfig_TakesEveryGoodFile(t *testing.T) {
	t.Chdir("../testdata/config")
	for _, path := range corpus(t, "*.good.yaml") {
		if _, err := cmd.LoadConfig(path, nil, corpusEnvironment()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLoadConfig_SaysWhatIsWrongWithEveryBadFile(t *testing.T) {
	t.Chdir("../testdata/config")
	for _, path := range corpus(t, "*.bad.yaml") {
		_, err := cmd.LoadConfig(path, nil, corpusEnvironment())
		if err == nil {
			t.Errorf("%s was taken", path)
			continue
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".txt", err.Error()+"\n")
	}
}

func sameSecret(a, b store.Secret) bool { return a.Reveal() == b.Reveal() }

func corpus(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return paths
}

// golden compares a text with a file, or with -update writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, diff)
	}
}

func TestExampleConfig_HoldsEveryKeyWithItsDefault(t *testing.T) {
	golden(t, "../relay.example.yaml", exampleConfig())
	cfg, err := cmd.LoadConfig("../relay.example.yaml", nil, bare())
	if err != nil {
		t.Fatal(err)
	}
	untold := load(t, "", nil, bare())
	cfg.File, untold.File, cfg.Written, untold.Written = "", "", nil, nil
	if diff := cmp.Diff(untold, cfg, cmp.Comparer(sameSecret), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the example differs from the defaults (-defaults +example):\n%s", diff)
	}
}

func exampleConfig() string {
	var b strings.Builder
	b.WriteString("# Relay's configuration: every key with its default. Flags go before environment\n" +
		"# variables (RELAY_INFERENCE_LISTEN), those before this file. Durations carry a\n" +
		"# unit (30s, 5m, 7d), sizes too (32MiB). ${NAME} takes an environment variable,\n" +
		"# $$ is a dollar.\n")
	for _, key := range cmd.ConfigKeys() {
		indent, name := strings.Repeat("  ", strings.Count(key.Key, ".")), key.Key[strings.LastIndex(key.Key, ".")+1:]
		if indent == "" {
			b.WriteString("\n")
		}
		b.WriteString(indent + "# " + key.Doc + "\n" + strings.TrimRight(indent+name+": "+key.Default, " ") + "\n")
	}
	return b.String()
}

func TestConfigKeys_AllHaveADefaultAndOneSentence(t *testing.T) {
	for _, key := range cmd.ConfigKeys() {
		if !strings.HasSuffix(key.Doc, ".") {
			t.Errorf("%s: %q is not a sentence", key.Key, key.Doc)
		}
	}
}

func TestLoadConfig_FlagGoesBeforeEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	const file = "max_attempts: 2\nstream: {idle_timeout: 2s}\nusage: {queue: 2MiB}\n"
	env := environment(map[string]string{"HOME": "/home/op", "RELAY_MAX_ATTEMPTS": "3", "RELAY_STREAM_IDLE_TIMEOUT": "3s"})
	cfg := load(t, file, map[string]string{"max_attempts": "4"}, env)
	if cfg.MaxAttempts != 4 {
		t.Errorf("max_attempts is %d, not the flag's 4", cfg.MaxAttempts)
	}
	if cfg.Stream.IdleTimeout != 3*time.Second {
		t.Errorf("stream.idle_timeout is %s, not the environment's 3s", cfg.Stream.IdleTimeout)
	}
	if cfg.Usage.Queue != 2<<20 {
		t.Errorf("usage.queue is %s, not the file's 2MiB", cfg.Usage.Queue)
	}
	if cfg.Inference.Listen != "127.0.0.1:8080" {
		t.Errorf("inference.listen is %s, not the default", cfg.Inference.Listen)
	}
}

func TestLoadConfig_TakesEveryKeyFromTheEnvironment(t *testing.T) {
	full, err := os.ReadFile("../testdata/config/full.good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	fromFile := load(t, string(full), nil, bare())
	variables := map[string]string{
		"HOME": "/home/op", "RELAY_DATA_DIR": "~/relay", "RELAY_CONFIG_DIR": "/etc/relay/conf.d", "RELAY_MASTER_KEY_FILE": "/etc/relay/master.key",
		"RELAY_SOCKET": "/run/relay/relay.sock", "RELAY_MAX_INFLIGHT": "64", "RELAY_MAX_BUFFERED_BYTES": "128MiB", "RELAY_MAX_CONNECTIONS": "5000",
		"RELAY_INFERENCE_CORS_ORIGINS": "https://app.example,http://localhost:3000", "RELAY_INFERENCE_ALLOWED_HOSTS": "llm.lan", "RELAY_MAX_REQUEST_BYTES": "64MiB", "RELAY_MAX_ATTEMPTS": "3",
		"RELAY_SHUTDOWN_TIMEOUT": "1m30s", "RELAY_INFERENCE_LISTEN": "[::1]:9090", "RELAY_INFERENCE_AUTH": "key", "RELAY_INFERENCE_READ_HEADER_TIMEOUT": "5s",
		"RELAY_INFERENCE_BODY_IDLE_TIMEOUT": "10s", "RELAY_INFERENCE_BODY_TIMEOUT": "1m", "RELAY_CONTROL_LISTEN": "off",
		"RELAY_CONTROL_ALLOWED_HOSTS": "relay.lan, gateway.example", "RELAY_UPSTREAM_DENY_PRIVATE": "true",
		"RELAY_UPSTREAM_MAX_IDLE_PER_HOST": "16", "RELAY_STREAM_KEEPALIVE": "5s", "RELAY_STREAM_IDLE_TIMEOUT": "1d", "RELAY_LIMITS_AT_CAP": "refuse", "RELAY_LIMITS_HEADERS": "all",
		"RELAY_MEDIA_MAX_UPLOAD_BYTES": "10MiB", "RELAY_MEDIA_MAX_AUDIO_SECONDS": "600", "RELAY_MEDIA_MAX_SPEECH_CHARS": "1000",
		"RELAY_PROXY_ENABLED": "true", "RELAY_PROXY_ALLOW_ANONYMOUS": "true",
		"RELAY_LIMITS_PROFILE": "aligned", "RELAY_LIMITS_KEY_WINDOWS": "fixed", "RELAY_LIMITS_CHARGE": "reserve", "RELAY_LIMITS_ON_OUTAGE": "allow",
		"RELAY_LIMITS_DEFAULT_OUTPUT_TOKENS": "4096", "RELAY_STATE_BACKEND": "memory", "RELAY_SHARED_STATE_ALLOW_PROCESS_LOCAL_THROTTLING": "true",
		"RELAY_LIMITS_TIMEZONE": "Europe/Berlin", "RELAY_LIMITS_RESTART": "never-over", "RELAY_STATE_SNAPSHOT_INTERVAL": "500ms", "RELAY_USAGE_FLUSH_INTERVAL": "50ms",
		"RELAY_USAGE_QUEUE": "1GiB", "RELAY_USAGE_ON_FULL": "continue", "RELAY_USAGE_DURABILITY": "strict", "RELAY_BACKUP_EVERY": "12h", "RELAY_BACKUP_KEEP": "3",
		"RELAY_BACKUP_DIR": "/srv/backups", "RELAY_LOG_LEVEL": "warn", "RELAY_LOG_FORMAT": "text",
		"RELAY_AUTH_OIDC_ISSUER": "https://id.example.com", "RELAY_AUTH_OIDC_CLIENT_ID": "relay", "RELAY_AUTH_OIDC_CLIENT_SECRET": "canary",
		"RELAY_AUTH_OIDC_REDIRECT_URL": "https://relay.lan/api/auth/oidc/callback", "RELAY_AUTH_OIDC_REGISTRATION": "open", "RELAY_AUTH_OIDC_GROUPS_CLAIM": "groups",
		"RELAY_AUTH_OIDC_ADMINS": "maria@example.com", "RELAY_AUTHZ": "rbac", "RELAY_AUTH_SESSION_IDLE": "1h", "RELAY_AUTH_SESSION_MAX": "2d", "RELAY_AUDIT_RETENTION": "30d", "RELAY_AUDIT_FILE": "/var/log/relay/audit.jsonl",
		"RELAY_CONTROL_TLS_CERT_FILE": "/etc/relay/control.crt", "RELAY_CONTROL_TLS_KEY_FILE": "/etc/relay/control.key", "RELAY_CONTROL_BEHIND_PROXY": "true",
		"RELAY_DISCOVER": "false", "RELAY_DOMAIN": "llm.example", "RELAY_TRUSTED_PROXIES": "10.0.0.0/8,::1,192.0.2.7",
	}
	for _, key := range cmd.ConfigKeys() {
		name := "RELAY_" + strings.ToUpper(strings.ReplaceAll(key.Key, ".", "_"))
		if _, there := variables[name]; !there && key.Default != "" {
			t.Errorf("%s is not tried", name)
		}
	}
	fromEnv := load(t, "", nil, environment(variables))
	fromFile.File, fromEnv.File, fromFile.Written, fromEnv.Written = "", "", nil, nil
	if diff := cmp.Diff(fromFile, fromEnv, cmp.Comparer(sameSecret)); diff != "" {
		t.Errorf("the environment reads otherwise than the file (-file +environment):\n%s", diff)
	}
}

func TestLoadConfig_KeepsVariablesAsTheyAre(t *testing.T) {
	text, err := os.ReadFile("../testdata/config/variables.good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg := load(t, string(text), nil, corpusEnvironment())
	if want := "/srv/a $b #c: \"d'\ne/$HOME"; cfg.DataDir != want {
		t.Errorf("data_dir is %q, want %q", cfg.DataDir, want)
	}
	if cfg.MaxAttempts != 4 || cfg.Inference.Listen != "127.0.0.1:9100" || !cfg.Upstream.DenyPrivate {
		t.Errorf("variables did not reach number, text and switch: %+v", cfg)
	}
	if diff := cmp.Diff([]string{"10.1.0.0/16", "10.0.0.1"}, cfg.TrustedProxies); diff != "" {
		t.Error(diff)
	}
}

func TestLoadConfig_NamesTheVariableAndTheFlagThatAreWrong(t *testing.T) {
	env := environment(map[string]string{"HOME": "/home/op", "RELAY_SHUTDOWN_TIMEOUT": "30"})
	_, err := cmd.LoadConfig(write(t, ""), map[string]string{"max_attempts": "many"}, env)
	want := `shutdown_timeout: "30" is not a duration: write a number with a unit, such as 30s, 1m, 24h or 7d (RELAY_SHUTDOWN_TIMEOUT)` + "\n" +
		`max_attempts: "many" is not a whole number (--max-attempts)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestLoadConfig_FindsTheFileInTheUsualPlaces(t *testing.T) {
	home := t.TempDir()
	t.Chdir(t.TempDir())
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := environment(map[string]string{"HOME": "/home/op", "XDG_CONFIG_HOME": home})
	expect := func(want int) {
		t.Helper()
		cfg, err := cmd.LoadConfig("", nil, env)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.MaxAttempts != want {
			t.Errorf("max_attempts is %d of %s, want %d", cfg.MaxAttempts, cfg.File, want)
		}
	}
	expect(6)
	put(filepath.Join(home, "relay", "relay.yaml"), "max_attempts: 7\n")
	expect(7)
	put("relay.yaml", "max_attempts: 8\n")
	expect(8)
}

func TestLoadConfig_RefusesAFileThatIsNotThere(t *testing.T) {
	if _, err := cmd.LoadConfig("missing.yaml", nil, bare()); err == nil || !strings.Contains(err.Error(), "missing.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestLoadConfig_PutsTheDataWhereDataBelongs(t *testing.T) {
	tests := []struct {
		name      string
		variables map[string]string
		want      string
	}{
		{"home", map[string]string{"HOME": "/home/op"}, "/home/op/.local/share/relay"},
		{"XDG", map[string]string{"HOME": "/home/op", "XDG_DATA_HOME": "/srv/data"}, "/srv/data/relay"},
		{"variable", map[string]string{"HOME": "/home/op", "RELAY_DATA_DIR": "/srv/relay"}, "/srv/relay"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := load(t, "", nil, environment(test.variables))
			if cfg.DataDir != test.want || cfg.Socket != test.want+"/relay.sock" || cfg.MasterKeyFile != test.want+"/master.key" {
				t.Errorf("got %s, %s, %s", cfg.DataDir, cfg.Socket, cfg.MasterKeyFile)
			}
		})
	}
	if _, err := cmd.LoadConfig(write(t, ""), nil, environment(nil)); err == nil || !strings.Contains(err.Error(), "RELAY_DATA_DIR") {
		t.Errorf("without a home: %v", err)
	}
}

func TestLoadConfig_ReadsSecretsFromVariablesAndFiles(t *testing.T) {
	path := write(t, "tok-2\n")
	cfg := load(t, "", nil, environment(map[string]string{"HOME": "/h", "RELAY_MASTER_KEY": "a2V5\n", "RELAY_ADMIN_TOKEN_FILE": path}))
	if cfg.MasterKey.Reveal() != "a2V5" || cfg.AdminToken.Reveal() != "tok-2" {
		t.Error("the secrets did not arrive")
	}
	both := environment(map[string]string{"HOME": "/h", "RELAY_ADMIN_TOKEN": "tok-1", "RELAY_ADMIN_TOKEN_FILE": path})
	_, err := cmd.LoadConfig(write(t, ""), nil, both)
	if err == nil || strings.Contains(err.Error(), "tok-") {
		t.Errorf("two sources of one secret: %v", err)
	}
}

func TestSize_ReadsAndWritesUnits(t *testing.T) {
	for text, want := range map[string]string{
		"32MiB": "32MiB", "1GiB": "1GiB", "1024KiB": "1MiB", "1 MiB": "1MiB", "500B": "500B", "1MB": "1000000B", "0B": "0B",
	} {
		size, err := cmd.ParseSize(text)
		if err != nil || size.String() != want {
			t.Errorf("%s reads as %s, %v; want %s", text, size, err, want)
		}
	}
	for _, text := range []string{"", "32", "MiB", "-1MiB", "1.5MiB", "32mib", "9999999GiB"} {
		if size, err := cmd.ParseSize(text); err == nil {
			t.Errorf("%q reads as %s", text, size)
		}
	}
}
