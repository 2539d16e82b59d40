// Package native_test lets Google's and Ollama's own clients call a running relay
// serve that lets callers on this machine in without a key.
package native_test

import (
	"os"
	"testing"

	"relay/testdata/e2e/rig"
)

// relay is the running Relay of all tests.
var relay *rig.Relay

func TestMain(m *testing.M) { os.Exit(rig.Main(m.Run, &relay, "RELAY_INFERENCE_AUTH=open")) }
