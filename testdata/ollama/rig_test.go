// Package ollama_test holds a running relay serve against a real Ollama, which
// install.sh builds, with models that always say the same. Relay starts empty and
// finds Ollama by itself.
package ollama_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relay/testdata/ollama/gguf"
)

// page is the origin of a page that may call Relay. Ollama refuses it.
const page = "https://app.example"

// usualAddress is where Relay looks for an Ollama.
const usualAddress = "127.0.0.1:11434"

// rig is what runs for all tests.
type rig struct {
	dir     string
	program string // ollama
	relay   string // the address of Relay
	binary  string // relay
}

var r rig

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if r.dir, err = os.MkdirTemp("", "relay-ollama-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(r.dir)
	if err := r.build(); err != nil {
		return 1, err
	}
	stopOllama, err := r.startOllama()
	if err != nil {
		return 1, err
	}
	defer stopOllama()
	if err := r.makeModels(); err != nil {
		return 1, err
	}
	stopRelay, err := r.startRelay()
	if err != nil {
		return 1, err
	}
	defer stopRelay()
	if err := r.removeOne(); err != nil {
		r.showLog("relay")
		return 1, err
	}
	if code = m.Run(); code != 0 {
		r.showLog("relay")
	}
	return code, nil
}

// build makes both programs. RELAY names one that has been built.
func (r *rig) build() error {
	if r.binary = os.Getenv("RELAY"); r.binary == "" {
		r.binary = filepath.Join(r.dir, "relay")
		build := exec.Command("go", "build", "-o", r.binary, ".")
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build relay: %w\n%s", err, out)
		}
	}
	install := exec.Command("sh", "install.sh")
	install.Stderr = os.Stderr
	out, err := install.Output()
	if err != nil {
		return fmt.Errorf("install ollama: %w", err)
	}
	r.program = strings.TrimSpace(string(out))
	return nil
}

// startOllama serves at the usual address, with a home and models of its own.
func (r *rig) startOllama() (stop func(), err error) {
	free, err := net.Listen("tcp", usualAddress)
	if err != nil {
		return nil, fmt.Errorf("something listens at %s, where these tests put an Ollama for Relay to find; stop it and try again: %w", usualAddress, err)
	}
	_ = free.Close()
	stop, err = r.start("ollama", exec.Command(r.program, "serve"), r.ollamaEnviron(usualAddress))
	if err != nil {
		return nil, err
	}
	return stop, eventually("ollama serve answers", 30*time.Second, func() bool { return answers("http://" + usualAddress + "/api/version") })
}

// ollamaEnviron gives each model more slots than tests leave streams: Ollama may
// keep the slot of a caller that goes away just as a piece is written to it.
func (r *rig) ollamaEnviron(host string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.dir, "home"), "TERM=dumb", "OLLAMA_HOST=" + host,
		"OLLAMA_MODELS=" + filepath.Join(r.dir, "models"), "OLLAMA_NO_CLOUD=1", "OLLAMA_NUM_PARALLEL=8",
	}
}

const (
	plainTemplate = `{{ range .Messages }}{{ .Role }}: {{ .Content }}
{{ end }}assistant:`
	toolsTemplate = `{{ if .Tools }}tools: {{ .Tools }}
{{ end }}{{ range .Messages }}{{ .Role }}: {{ .Content }}{{ range .ToolCalls }}{{ .Function }}{{ end }}
{{ end }}assistant:`
)

// makeModels makes a model that counts to twelve, one that counts without an end,
// one that takes tools, and one that a test removes.
func (r *rig) makeModels() error {
	counter, endless := filepath.Join(r.dir, "counter.gguf"), filepath.Join(r.dir, "endless.gguf")
	if err := errors.Join(gguf.Counter(false).Write(counter), gguf.Counter(true).Write(endless)); err != nil {
		return err
	}
	for _, model := range []struct{ name, weights, template string }{
		{"tiny", counter, plainTemplate}, {"loop", endless, plainTemplate}, {"tools", counter, toolsTemplate}, {"gone", counter, plainTemplate},
	} {
		path := filepath.Join(r.dir, model.name+".model")
		text := fmt.Sprintf("FROM %s\nTEMPLATE \"\"\"%s\"\"\"\nPARAMETER num_ctx 2048\nPARAMETER num_thread 1\n", model.weights, model.template)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		if out, err := r.ollama(usualAddress, "create", model.name, "-f", path); err != nil {
			return fmt.Errorf("make model %s: %w\n%s", model.name, err, out)
		}
	}
	return nil
}

// startRelay serves from an empty data directory. Callers need no key.
func (r *rig) startRelay() (stop func(), err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.relay = free.Addr().String()
	_ = free.Close()
	stop, err = r.start("relay", exec.Command(r.binary, "serve"), r.relayEnviron())
	if err != nil {
		return nil, err
	}
	return stop, eventually("relay serve answers", 30*time.Second, func() bool { return answers("http://" + r.relay + "/livez") })
}

func (r *rig) relayEnviron() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "RELAY_DATA_DIR=" + filepath.Join(r.dir, "data"),
		"RELAY_INFERENCE_LISTEN=" + r.relay, "RELAY_INFERENCE_AUTH=open", "RELAY_CONTROL_LISTEN=off",
		"RELAY_INFERENCE_CORS_ORIGINS=" + page,
	}
}

// removeOne removes a model once Relay has found it, so that Relay sees that
// while the tests run.
func (r *rig) removeOne() error {
	err := eventually("relay finds the models of ollama", 30*time.Second, func() bool {
		body, err := get("http://" + r.relay + "/v1/models")
		return err == nil && strings.Contains(body, `"gone:latest"`)
	})
	if err != nil {
		return err
	}
	_, err = r.ollama(usualAddress, "rm", "gone")
	return err
}
