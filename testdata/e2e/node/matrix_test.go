package node_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/strict"
)

// TestNodeSDKsOnForeignShapes lets JavaScript SDKs call the strict providers, each
// those of all shapes but its own.
func TestNodeSDKsOnForeignShapes(t *testing.T) {
	providers := strict.New("mini")
	server := httptest.NewServer(providers)
	defer server.Close()
	relay, err := rig.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	}()
	key, err := strict.Connect(relay, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("matrix/*.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tests, %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	args := []string{"--test", "--test-force-exit", "--test-reporter=spec"}
	for _, file := range files {
		if filepath.Base(file) != "matrix.mjs" {
			args = append(args, file)
		}
	}
	command := exec.CommandContext(ctx, "node", args...)
	command.Env = append(relay.Env(), "MATRIX_URL="+relay.URL, "MATRIX_KEY="+key, "MATRIX_SAID="+said(t))
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		t.Errorf("node --test: %v", err)
	}
	for _, fault := range providers.Faults() {
		t.Errorf("what a provider did not like: %s", fault)
	}
}

// said is what the providers say, as the JavaScript side wants it.
func said(t *testing.T) string {
	t.Helper()
	var calls []any
	for _, call := range strict.Calls() {
		calls = append(calls, map[string]any{"name": call.Name, "args": json.RawMessage(call.Arguments)})
	}
	text, err := json.Marshal(map[string]any{
		"text": strict.Text, "sum": strict.Sum, "thoughts": strict.Thoughts, "schema": strict.Schema(), "instance": strict.Instance(strict.Schema()), "calls": calls,
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
