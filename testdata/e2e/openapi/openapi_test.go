// Package openapi_test holds the documents that a running relay serves of its two
// sides against the OpenAPI Initiative's meta-schema, by a validator of others.
package openapi_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
)

// longest is how long all tests may take.
const longest = 2 * time.Minute

func TestDocuments(t *testing.T) {
	relay, err := rig.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	command := exec.CommandContext(ctx, "node", "--test", "--test-reporter=spec")
	command.Env = append(relay.Env(), "RELAY_URL="+relay.URL, "RELAY_CONTROL="+relay.Control, "RELAY_TOKEN_FILE="+filepath.Join(relay.Dir, "data", "admin.token"))
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		t.Errorf("node --test: %v", err)
	}
}
