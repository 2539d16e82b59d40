package strict

import (
	"fmt"
	"os"
	"path/filepath"

	"relay/testdata/e2e/rig"
)

// Shapes are all of them.
func Shapes() []string { return []string{Chat, Responses, Messages, Gemini, Ollama} }

// host is how a provider is connected: the path behind its segment, the shape as
// bindings name it, and how it takes its key.
type host struct{ path, shape, auth string }

func hostOf(shape string) host {
	switch shape {
	case Chat:
		return host{"/v1", "openai", "bearer"}
	case Responses:
		return host{"/v1", "openai_responses", "bearer"}
	case Messages:
		return host{"/v1", "anthropic", "x-api-key"}
	case Gemini:
		return host{"/v1beta", "gemini", "x-goog-api-key"}
	}
	return host{"", "ollama", "none"}
}

// ShapeName is how bindings name a shape.
func ShapeName(shape string) string { return hostOf(shape).shape }

// Connect makes hosts of relay, strict-SHAPE, of the providers that listen at a
// URL, and returns a key that may call all their models.
func Connect(relay *rig.Relay, url string) (key string, err error) {
	file := filepath.Join(relay.Dir, "strict.key")
	if err := os.WriteFile(file, []byte(Key), 0o600); err != nil {
		return "", err
	}
	for _, shape := range Shapes() {
		h := hostOf(shape)
		args := []string{"connect", "strict-" + shape, "--base-url", fmt.Sprintf("%s/%s%s", url, shape, h.path), "--shape", h.shape, "--auth", h.auth}
		if shape != Ollama {
			args = append(args, "--value-file", file)
		}
		if _, err := relay.Run(args...); err != nil {
			return "", err
		}
	}
	return relay.Run("key", "add", "strict")
}
