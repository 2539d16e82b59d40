// Package node_test lets official JavaScript SDKs call a running relay serve, and
// compares what relay says of their usage with what the SDKs have sent and the
// upstream has answered.
package node_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/upstream"
)

// seen is what the SDKs of a test file have done.
type seen struct {
	Clients  []string
	Requests int // that relay counts
	Errors   int // of these, the refused ones
}

func TestNodeSDKs(t *testing.T) {
	relay, err := rig.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := relay.Connect(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := node(relay, dir); err != nil {
		t.Errorf("node --test: %v", err)
	}
	rows, err := relay.Usage("key")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(reports) == 0 {
		t.Fatalf("the tests have left no report, %v", err)
	}
	for _, report := range reports {
		compare(t, relay.Upstream, rows, read(t, report))
	}
}

// longest is how long all tests may take.
const longest = 4 * time.Minute

// node runs the tests, or those files that NODE_TESTS names.
func node(relay *rig.Relay, dir string) error {
	args := append([]string{"--test", "--test-force-exit", "--test-reporter=spec"}, strings.Fields(os.Getenv("NODE_TESTS"))...)
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	command := exec.CommandContext(ctx, "node", args...)
	command.Env = append(relay.Env(), "RELAY="+relay.Program, "RELAY_URL="+relay.URL, "RELAY_UPSTREAM="+relay.UpstreamURL, "RELAY_MOST="+strconv.Itoa(rig.MostOfAnAccount), "RELAY_SEEN="+dir)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

func read(t *testing.T, report string) seen {
	t.Helper()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var s seen
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", report, err)
	}
	return s
}

// compare holds relay's usage of each client's keys against the upstream's, and
// of all of them together against what the SDKs have sent.
func compare(t *testing.T, up *upstream.Server, rows map[string]rig.Row, s seen) {
	t.Helper()
	var requests, refused int
	for _, client := range s.Clients {
		var spent upstream.Spent
		for name, row := range rows {
			if name == client || strings.HasPrefix(name, client+"--") {
				spent.Add(row.Spent())
				requests, refused = requests+row.Requests, refused+row.Errors
			}
		}
		if want := up.Spent(client); spent != want || want.Calls == 0 {
			t.Errorf("%s: usage has %+v, the upstream %+v", client, spent, want)
		}
	}
	if requests != s.Requests || refused != s.Errors {
		t.Errorf("%v: usage has %d requests, %d of them refused; the SDKs have sent %d and %d", s.Clients, requests, refused, s.Requests, s.Errors)
	}
}
