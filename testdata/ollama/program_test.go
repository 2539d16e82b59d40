package ollama_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// start starts a program whose errors go to a log, and returns what stops it.
func (r *rig) start(name string, cmd *exec.Cmd, environ []string) (stop func(), err error) {
	log, err := os.Create(r.logOf(name))
	if err != nil {
		return nil, err
	}
	cmd.Env, cmd.Stdout, cmd.Stderr = environ, log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = log.Close()
	}, nil
}

func (r *rig) logOf(name string) string { return filepath.Join(r.dir, name+".log") }

// showLog shows the end of a program's log.
func (r *rig) showLog(name string) {
	log, err := os.ReadFile(r.logOf(name))
	if err == nil {
		fmt.Fprintf(os.Stderr, "the end of the log of %s:\n%s\n", name, log[max(0, len(log)-4_000):])
	}
}

// ollama runs Ollama's own command against a server.
func (r *rig) ollama(host string, args ...string) (string, error) {
	return output(exec.Command(r.program, args...), r.ollamaEnviron(host))
}

// command runs Relay's.
func (r *rig) command(args ...string) (string, error) {
	return output(exec.Command(r.binary, args...), r.relayEnviron())
}

func output(cmd *exec.Cmd, environ []string) (string, error) {
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = environ, &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%v: %w: %s", cmd.Args[1:], err, stderr.String())
	}
	return string(out), nil
}

// eventually asks again and again, for so long.
func eventually(what string, patience time.Duration, is func() bool) error {
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("not within %v: %s", patience, what)
		}
	}
	return nil
}
