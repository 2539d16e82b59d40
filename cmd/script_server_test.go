package cmd_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"relay/gateway/echo"
)

// echoKey is the provider key that the scripts' upstream wants.
const echoKey = "echo-provider-key"

// startEcho starts the upstream of all scripts and returns its base URL.
func startEcho(t *testing.T) string {
	upstream := httptest.NewServer(echo.Handler(echo.Options{Key: echoKey}))
	t.Cleanup(upstream.Close)
	return upstream.URL + "/v1"
}

// withServer gives a script free ports, so that it can run relay serve, and the
// upstream's base URL and key.
func withServer(env *testscript.Env, upstream string) error {
	for _, name := range []string{"RELAY_INFERENCE_LISTEN", "RELAY_CONTROL_LISTEN"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		env.Setenv(name, l.Addr().String())
		if err := l.Close(); err != nil {
			return err
		}
	}
	socket, err := os.MkdirTemp("", "relay-script-") // the script's own folder has a path too long for a socket
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(socket) })
	env.Setenv("RELAY_SOCKET", filepath.Join(socket, "relay.sock"))
	env.Setenv("UPSTREAM", upstream)
	env.Setenv("UPSTREAM_KEY", echoKey)
	return nil
}

// waitReady waits until the script's server answers.
func waitReady(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: ready")
	}
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		resp, err := http.Get("http://" + ts.Getenv("RELAY_INFERENCE_LISTEN") + "/livez")
		if err == nil {
			resp.Body.Close()
			return
		}
		select {
		case <-deadline:
			ts.Fatalf("the server does not answer: %v", err)
		case <-tick.C:
		}
	}
}

// callChat sends a chat completion with the key in a file and prints the answer:
// "chat STATUS KEYFILE MODEL".
func callChat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: chat STATUS KEYFILE MODEL")
	}
	key := strings.TrimSpace(ts.ReadFile(args[1]))
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello there"}]}`, args[2])
	req, err := http.NewRequest(http.MethodPost, "http://"+ts.Getenv("RELAY_INFERENCE_LISTEN")+"/v1/chat/completions", strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\nRetry-After: %s\n%s\n", resp.Status, resp.Header.Get("Retry-After"), text)
	ts.Check(err)
	if strconv.Itoa(resp.StatusCode) != args[0] {
		ts.Fatalf("got %s, not %s: %s", resp.Status, args[0], text)
	}
}
