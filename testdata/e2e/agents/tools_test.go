package agents_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"relay/testdata/e2e/strict"
)

// TestAgents_RunACommandOnAForeignShape has the model of another vendor's shape
// call the tool by which each agent runs commands.
func TestAgents_RunACommandOnAForeignShape(t *testing.T) {
	providers := strict.New("agent")
	server := httptest.NewServer(providers)
	defer server.Close()
	key, err := strict.Connect(relay, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents() {
		for _, upstream := range a.foreign {
			t.Run(a.name+" on "+upstream, func(t *testing.T) {
				cell := a.name + "-" + upstream
				out, err := a.ask(t, key, upstream+"-agent", "Add [script:command] [cell:"+cell+"]")
				if err != nil || !strings.Contains(out, strict.Done) {
					t.Errorf("%v, it says %s", err, out)
				}
				for _, seen := range providers.Seen(cell) {
					if seen.Fault != "" {
						t.Errorf("the provider does not like %s in %s", seen.Fault, seen.Raw)
					}
				}
			})
		}
	}
}
