package ollama_test

import (
	"strings"
	"testing"
	"time"
)

// binding is where a model runs.
type binding struct {
	Metadata struct {
		Name   string `json:"name"`
		Origin struct {
			Kind string `json:"kind"`
		} `json:"origin"`
	} `json:"metadata"`
	Spec struct {
		Enabled *bool `json:"enabled"`
	} `json:"spec"`
}

// bound returns whether the models that Relay has found are switched on, by their
// binding's name.
func bound(t *testing.T) map[string]bool {
	t.Helper()
	var page struct {
		Items []binding `json:"items"`
	}
	control(t, "/api/host-bindings?host=ollama&limit=1000", &page)
	on := map[string]bool{}
	for _, b := range page.Items {
		if b.Metadata.Origin.Kind == "discovery" {
			model, _, _ := strings.Cut(b.Metadata.Name, "-")
			on[model] = b.Spec.Enabled == nil || *b.Spec.Enabled
		}
	}
	return on
}

func listed(t *testing.T, model string) bool {
	t.Helper()
	return strings.Contains(send(t, r.relay, "GET", "/v1/models", "").body, `"`+model+`"`)
}

// looksAgain is how long Relay may take to see that something has changed: it
// looks every 30 s.
const looksAgain = 60 * time.Second

func TestDiscovery_FindsOllamaAndBindsItsModels(t *testing.T) {
	on := bound(t)
	for _, model := range []string{"tiny", "loop", "tools"} {
		if !on[model] || !listed(t, model+":latest") {
			t.Errorf("%s is not bound or not listed; bound are %v", model, on)
		}
	}
	if _, known := on["gone"]; !known {
		t.Errorf("a model that is gone is not known any more: %v", on)
	}
}

func TestDiscovery_SwitchesARemovedModelOff(t *testing.T) {
	if err := eventually("the removed model is switched off", looksAgain, func() bool { return !bound(t)["gone"] }); err != nil {
		t.Fatal(err)
	}
	if listed(t, "gone:latest") {
		t.Error("it is still listed")
	}
	got := send(t, r.relay, "POST", "/v1/chat/completions", `{"model":"gone:latest","messages":[{"role":"user","content":"hi"}]}`)
	if got.status != 503 && got.status != 404 {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}
