package ollama_test

import (
	"strings"
	"testing"
)

// keyWith makes a relay key with limits.
func keyWith(t *testing.T, name string, limits ...string) string {
	t.Helper()
	out, err := r.command(append([]string{"key", "add", name, "-q"}, limits...)...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func TestLimit_StopsAScript(t *testing.T) {
	for name, c := range map[string]struct {
		call
		limits  []string
		allowed int
	}{
		"requests":           {calls["chat, whole"], []string{"--rpd", "3"}, 3},
		"requests, api/chat": {calls["api/chat, streamed"], []string{"--rpd", "3"}, 3},
		"tokens":             {calls["api/chat, whole"], []string{"--tpd", "100"}, 3},
		"tokens, streamed":   {calls["api/generate, stream"], []string{"--tpd", "100"}, 3},
		"tokens, chat":       {calls["chat, streamed"], []string{"--tpd", "100"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			key := keyWith(t, strings.NewReplacer(", ", "-", "/", "-").Replace(name), c.limits...)
			answered, before := 0, handled(t, c.path)
			for range c.allowed + 3 {
				got := send(t, r.relay, "POST", c.path, c.with("tiny"), "Authorization: Bearer "+key)
				switch {
				case got.status == 200:
					answered++
				case got.status != 429 || !strings.Contains(strings.ToLower(got.body), "limit of key"):
					t.Fatalf("status %d: %s", got.status, got.body)
				case strings.HasPrefix(c.path, "/api/") && !strings.HasPrefix(got.body, `{"error":"`):
					t.Fatalf("refused with %s", got.body)
				}
			}
			if reached := handled(t, c.path) - before; answered != c.allowed || reached != c.allowed {
				t.Errorf("%d requests were answered and %d reached ollama, not %d", answered, reached, c.allowed)
			}
		})
	}
}
