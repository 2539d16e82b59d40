// Package rig runs the built relay as a process of its own, in a temporary
// directory and on free loopback ports, in front of the upstream of package
// upstream, for tests that talk to it as its users do.
package rig

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"relay/testdata/e2e/upstream"
)

// MostOfAnAccount is how many requests of an account relay takes at once.
const MostOfAnAccount = 32

// Relay is a running relay serve.
type Relay struct {
	URL      string // of the inference listener, without a slash at its end
	Control  string // of the control listener, likewise
	Program  string // the path of the program
	Dir      string // the temporary directory, which Close removes
	Upstream *upstream.Server

	// UpstreamURL is that of Upstream.
	UpstreamURL string

	provider *httptest.Server
	process  *exec.Cmd
	ended    chan error
	log      bytes.Buffer // to be read once the process has ended
	settings []string
}

// Start builds relay, unless RELAY names a program, and starts it with settings
// of the form RELAY_NAME=VALUE.
func Start(settings ...string) (*Relay, error) {
	dir, err := os.MkdirTemp("", "relay-e2e-")
	if err != nil {
		return nil, err
	}
	r := &Relay{Dir: dir, Program: os.Getenv("RELAY"), Upstream: upstream.New(), ended: make(chan error, 1), settings: settings}
	r.provider = httptest.NewServer(r.Upstream)
	r.UpstreamURL = r.provider.URL
	if r.Program == "" {
		err = r.build()
	}
	if err == nil {
		err = r.serve()
	}
	if err != nil {
		r.provider.Close()
		return nil, fmt.Errorf("%w\n%s", err, r.log.Bytes())
	}
	return r, nil
}

func (r *Relay) build() error {
	r.Program = filepath.Join(r.Dir, "relay")
	build := exec.Command("go", "build", "-o", r.Program, ".")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build relay: %w\n%s", err, out)
	}
	return nil
}

// root is the first directory above that holds main.go.
func root() string {
	dir := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(dir, "main.go")); err == nil {
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
	return "."
}

// Env is the environment of relay's own processes: nothing of the one that the
// tests run in but its path.
func (r *Relay) Env() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir, "NO_COLOR=1", "RELAY_DATA_DIR=" + filepath.Join(r.Dir, "data"), "RELAY_DISCOVER=false",
		"RELAY_MAX_INFLIGHT=" + strconv.Itoa(2*MostOfAnAccount), "RELAY_INFERENCE_LISTEN=127.0.0.1:0", "RELAY_CONTROL_LISTEN=127.0.0.1:0", "UPSTREAM_KEY=" + upstream.Key,
	}, r.settings...)
}

func (r *Relay) serve() error {
	r.process = exec.Command(r.Program, "serve")
	r.process.Env = r.Env()
	stderr, err := r.process.StderrPipe()
	if err != nil {
		return err
	}
	if err := r.process.Start(); err != nil {
		return fmt.Errorf("start relay: %w", err)
	}
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			r.log.Write(append(lines.Bytes(), '\n'))
			r.read(lines.Bytes(), ready)
		}
		r.ended <- r.process.Wait()
	}()
	select {
	case <-ready:
		return nil
	case err := <-r.ended:
		return fmt.Errorf("relay serve ended before it listened: %w", err)
	case <-time.After(30 * time.Second):
		_ = r.process.Process.Kill()
		return fmt.Errorf("relay serve is not listening after 30 s: %w", <-r.ended)
	}
}

// read looks in a line of the log for where relay listens.
func (r *Relay) read(line []byte, ready chan<- bool) {
	var entry struct{ Message, Inference, Control string }
	if json.Unmarshal(line, &entry) != nil || !strings.HasPrefix(entry.Message, "relay is listening") {
		return
	}
	r.URL, r.Control = strings.TrimSuffix(entry.Inference, "/"), strings.TrimSuffix(entry.Control, "/")
	ready <- true
}

// Close ends relay as an administrator would and says when that fails, or when
// the upstream has seen something that it should not.
func (r *Relay) Close() error {
	_ = r.process.Process.Signal(syscall.SIGTERM)
	var err error
	select {
	case err = <-r.ended:
	case <-time.After(30 * time.Second):
		_ = r.process.Process.Kill()
		err = fmt.Errorf("relay did not end within 30 s of being told to: %w", <-r.ended)
	}
	r.provider.Close()
	if err != nil {
		err = fmt.Errorf("relay serve: %w\n%s", err, r.log.Bytes())
	}
	if faults := r.Upstream.Faults(); err == nil && len(faults) > 0 {
		err = fmt.Errorf("what the upstream did not like:\n%s", strings.Join(faults, "\n"))
	}
	_ = os.RemoveAll(r.Dir)
	return err
}

// Run runs a relay command and returns what it printed.
func (r *Relay) Run(args ...string) (string, error) {
	command := exec.Command(r.Program, args...)
	command.Env = r.Env()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("relay %s: %w: %s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
