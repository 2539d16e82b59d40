// Package sdk_test lets official SDKs call a running relay serve.
package sdk_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relay/gateway/echo"
)

const providerKey = "provider-key-of-the-echo"

// gateway is the running Relay of all tests.
type gateway struct {
	url  string
	keys map[string]string // plaintext by name
}

var relay gateway

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "relay-sdk-")
	must(err)
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "relay")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "../../.."
	out, err := build.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build relay: %v\n%s", err, out)
		return 1
	}
	up := httptest.NewServer(&upstream{echo: echo.Handler(echo.Options{Key: providerKey})})
	defer up.Close()
	stop := serve(binary, dir)
	defer stop()
	setUp(binary, dir, up.URL+"/v1")
	return m.Run()
}

// serve starts relay serve on free ports and returns what stops it.
func serve(binary, dir string) func() {
	addr := freeAddr()
	relay.url = "http://" + addr
	cmd := exec.Command(binary, "serve")
	cmd.Env = environ(dir, addr)
	cmd.Stderr = io.Discard
	must(cmd.Start())
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if resp, err := http.Get(relay.url + "/livez"); err == nil {
			resp.Body.Close()
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			must(fmt.Errorf("relay serve does not answer"))
		}
	}
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
}

func environ(dir, addr string) []string {
	return append(os.Environ(), "RELAY_DATA_DIR="+filepath.Join(dir, "data"), "RELAY_INFERENCE_LISTEN="+addr,
		"RELAY_CONTROL_LISTEN=off", "RELAY_DISCOVER=false", "UPSTREAM_KEY="+providerKey)
}

func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer l.Close()
	return l.Addr().String()
}

// setUp connects the upstream in both shapes and makes the keys.
func setUp(binary, dir, base string) {
	command := func(args ...string) string {
		cmd := exec.Command(binary, args...)
		cmd.Env = environ(dir, strings.TrimPrefix(relay.url, "http://"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			must(fmt.Errorf("relay %v: %w: %s", args, err, stderr.String()))
		}
		return strings.TrimSpace(string(out))
	}
	command("connect", "up", "--base-url", base, "--shape", "openai", "--value-env", "UPSTREAM_KEY")
	command("connect", "ant", "--base-url", base, "--shape", "anthropic", "--auth", "x-api-key", "--value-env", "UPSTREAM_KEY")
	relay.keys = map[string]string{
		"open":   command("key", "add", "open"),
		"narrow": command("key", "add", "narrow", "--models", "echo-large"),
	}
	for _, sdk := range []string{"openai", "v1", "v2"} {
		relay.keys["limited-"+sdk] = command("key", "add", "limited-"+sdk, "--rpd", "1")
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// upstream echoes, and answers requests that carry tools with a call of them.
type upstream struct {
	echo http.Handler

	mu   sync.Mutex
	last []byte // the last body with tools
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	must(err)
	if !bytes.Contains(body, []byte(`"tools"`)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		u.echo.ServeHTTP(w, r)
		return
	}
	u.mu.Lock()
	u.last = body
	u.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/messages") {
		_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","model":"echo-mini","content":[{"type":"tool_use","id":"toolu_1","name":"add","input":{"a":17,"b":25}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":5}}`)
		return
	}
	_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"echo-mini","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":17,\"b\":25}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`)
}

func background(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
