package cmd_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"relay/admin"
	"relay/cmd"
	"relay/store"
)

const testToken = "an-admin-token-of-the-tests"

// result is what a command line left behind.
type result struct {
	code           int
	stdout, stderr string
}

func run(ctx context.Context, stdin string, env map[string]string, args ...string) result {
	var out, notes bytes.Buffer
	p := cmd.Program{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &notes, Env: environment(env)}
	code := p.Run(ctx, args)
	return result{code, out.String(), notes.String()}
}

// openServer opens a database as a server does, and its control API.
func openServer(t *testing.T) (*store.DB, http.Handler) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := admin.FirstBoot(db); err != nil {
		t.Fatal(err)
	}
	return db, admin.New(admin.Options{DB: db, Token: store.NewSecret(testToken)})
}

func TestRun_SpeaksToTheServerThatIsNamed(t *testing.T) {
	db, handler := openServer(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	env := map[string]string{"HOME": t.TempDir(), "RELAY_SERVER": server.URL, "RELAY_ADMIN_TOKEN": testToken}

	got := run(t.Context(), "", env, "key", "add", "script", "--rpm", "5")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "sk-wr-") || strings.Contains(got.stderr, "not running") {
		t.Fatalf("key add: %+v", got)
	}
	if db.Catalog().RelayKeys.ByName("script") == nil {
		t.Error("the server has no such key")
	}
	env["RELAY_ADMIN_TOKEN"] = "another-token"
	if got := run(t.Context(), "", env, "key", "ls"); got.code != 4 || strings.Contains(got.stderr, "another-token") {
		t.Errorf("with a wrong token: %+v", got)
	}
}

func TestRun_SpeaksToTheServerOnTheSocket(t *testing.T) {
	db, handler := openServer(t)
	socket, err := admin.ServeSocket(filepath.Join(db.Dir(), "relay.sock"), handler)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": t.TempDir(), "RELAY_DATA_DIR": db.Dir()}
	if got := run(t.Context(), "", env, "key", "add", "script"); got.code != 0 || strings.Contains(got.stderr, "directly") {
		t.Errorf("key add: %+v", got)
	}
	if got := run(t.Context(), "", env, "key", "ls", "-o", "name"); got.code != 0 || got.stdout != "script\n" {
		t.Errorf("key ls: %+v", got)
	}
	if err := socket.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestRun_SaysWhoHoldsADatabaseWithoutASocket(t *testing.T) {
	db, _ := openServer(t)
	env := map[string]string{"HOME": t.TempDir(), "RELAY_DATA_DIR": db.Dir()}
	got := run(t.Context(), "", env, "key", "ls")
	if got.code != 75 || !strings.Contains(got.stderr, db.Dir()) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestRun_TellsAServerThatIsNoRelay(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "<html>Welcome</html>")
	}))
	defer server.Close()
	got := run(t.Context(), "", map[string]string{"HOME": t.TempDir()}, "key", "ls", "--server", server.URL)
	if got.code != 1 || got.stdout != "" {
		t.Errorf("got %+v", got)
	}
}

func TestRun_EndsWith130WhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	got := run(ctx, "", map[string]string{"HOME": t.TempDir()}, "key", "ls", "--server", server.URL)
	if got.code != 130 || got.stderr != "" {
		t.Errorf("got %+v", got)
	}
}

func TestRun_NeedsTheTokenInAFileOrTheEnvironment(t *testing.T) {
	_, handler := openServer(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	env := map[string]string{"HOME": t.TempDir(), "RELAY_ADMIN_TOKEN": "stale"}
	got := run(t.Context(), "", env, "key", "ls", "--server", server.URL, "--admin-token-file", write(t, testToken+"\n"))
	if got.code != 0 {
		t.Errorf("with a token file: %+v", got)
	}
	if got := run(t.Context(), "", env, "key", "ls", "--admin-token", testToken); got.code != 2 {
		t.Errorf("--admin-token is a flag: %+v", got)
	}
}

// upstream lists models to who shows the key.
func upstream(t *testing.T, key string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"lab-chat","object":"model"},{"id":"lab-code","object":"model"}]}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestConnect_TestsTheKeyAndTakesOnTheModels(t *testing.T) {
	const key = "lab-provider-key-0123456789"
	url := upstream(t, key)
	env := map[string]string{"HOME": t.TempDir(), "RELAY_DATA_DIR": t.TempDir(), "LAB_KEY": key}

	got := run(t.Context(), "not-"+key, env, "connect", "lab", "--base-url", url, "--value", "-")
	if got.code != 4 || !strings.Contains(got.stderr, "refuses the key") {
		t.Errorf("a wrong key: %+v", got)
	}
	got = run(t.Context(), key+"\n", env, "connect", "lab", "--base-url", url, "--value", "-")
	if got.code != 0 || !strings.Contains(got.stderr, "lab is connected; 2 models can be called now, such as lab-chat.") {
		t.Errorf("the right key: %+v", got)
	}
	if got := run(t.Context(), "", env, "model", "ls", "-o", "name"); got.stdout != "lab-chat\nlab-code\n" {
		t.Errorf("models: %+v", got)
	}
	got = run(t.Context(), "", env, "connect", "lab", "--value-env", "LAB_KEY", "-o", "json")
	if got.code != 0 || !strings.Contains(got.stderr, "already there") || !strings.Contains(got.stdout, `"hostKey"`) {
		t.Errorf("once more: %+v", got)
	}
	if got := run(t.Context(), "", env, "connect", "lab"); got.code != 2 || !strings.Contains(got.stderr, "no key for lab") {
		t.Errorf("without a key or a terminal: %+v", got)
	}
	if got := run(t.Context(), "", env, "export"); strings.Contains(got.stdout, key) {
		t.Error("the export holds the key")
	}
}
