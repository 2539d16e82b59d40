// Package sdk_test lets official SDKs call a running relay serve.
package sdk_test

import (
	"os"
	"testing"

	"relay/testdata/e2e/contract"
	"relay/testdata/e2e/rig"
)

// relay is the running Relay of all tests.
var relay *rig.Relay

func TestMain(m *testing.M) { os.Exit(rig.Main(m.Run, &relay)) }

// patient are the usual retries, with what the shape calls an overload.
func patient(overloaded int) contract.Retries {
	r := contract.Patient()
	r.Overloaded[0] = overloaded
	return r
}

// schema is the JSON Schema of the tool's arguments.
func schema() map[string]any {
	return map[string]any{"type": "object", "properties": properties(), "required": []string{"a", "b"}}
}

func properties() map[string]any {
	integer := map[string]any{"type": "integer"}
	return map[string]any{"a": integer, "b": integer}
}
