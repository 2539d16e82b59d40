package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestAppendLine_LeavesNoLineEnds(t *testing.T) {
	for value, want := range map[string]string{
		"{\r\n\t\"a\\n\": [1,\n2]}": "{  \t\"a\\n\": [1, 2]}",
		`{"a":1}`:                   `{"a":1}`,
		"":                          "",
	} {
		if got := string(hub.AppendLine([]byte("x\n"), []byte(value))); got != "x\n"+want {
			t.Errorf("%q became %q", value, got)
		}
	}
}
