package cmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"relay/gateway/echo"
)

// mintToken signs a user in and keeps an inference token of it in a file: "mint
// USER PASSWORDFILE PROJECT FILE".
func mintToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: mint USER PASSWORDFILE PROJECT FILE")
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	browser := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	post(ts, browser, "/api/session", map[string]string{"username": args[0], "password": strings.TrimSpace(ts.ReadFile(args[1]))})
	answer := post(ts, browser, "/api/auth/token", map[string]string{"project": args[2]})
	var minted struct{ Token string }
	ts.Check(json.Unmarshal(answer, &minted))
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(minted.Token), 0o600))
}

// post makes a call of the control API that must make something.
func post(ts *testscript.TestScript, client *http.Client, path string, body any) []byte {
	text, err := json.Marshal(body)
	ts.Check(err)
	resp, err := client.Post("http://"+ts.Getenv("RELAY_CONTROL_LISTEN")+path, "application/json", bytes.NewReader(text))
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if resp.StatusCode != http.StatusCreated {
		ts.Fatalf("%s: got %s: %s", path, resp.Status, answer)
	}
	return answer
}

// startSlow starts an upstream that takes its time for each event, and tells the
// script its base URL in SLOW_UPSTREAM.
func startSlow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: slow")
	}
	upstream := httptest.NewServer(echo.Handler(echo.Options{Key: echoKey, Pause: 20 * time.Millisecond, Models: []string{"slow"}}))
	ts.Defer(upstream.Close)
	ts.Setenv("SLOW_UPSTREAM", upstream.URL+"/v1")
}

// cutStream begins a stream, runs a command, and wants the stream to end with an
// error: "cut CODE KEYFILE MODEL COMMAND...".
func cutStream(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: cut CODE KEYFILE MODEL COMMAND...")
	}
	words := strings.Repeat("word ", 5000) // of which one goes back an event
	body := fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":%q}]}`, args[2], words)
	req, err := http.NewRequest(http.MethodPost, "http://"+ts.Getenv("RELAY_INFERENCE_LISTEN")+"/v1/chat/completions", strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(ts.ReadFile(args[1])))
	resp, err := (&http.Client{Timeout: 60 * time.Second}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("the stream began with %s", resp.Status)
	}
	ts.Check(ts.Exec(args[3], args[4:]...))
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if !strings.Contains(string(text), `"code":"`+args[0]+`"`) || strings.Contains(string(text), "[DONE]") {
		ts.Fatalf("the stream did not end with %s: ...%s", args[0], text[max(0, len(text)-1000):])
	}
}
