package cmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/admin"
)

// program is the relay binary, built as the tests are: with the race detector
// when they run under it.
type program struct{ path string }

func buildRelay(t *testing.T) program {
	t.Helper()
	p := program{filepath.Join(t.TempDir(), "relay")}
	args := []string{"build", "-o", p.path}
	if underRace() {
		args = append(args, "-race")
	}
	began := time.Now()
	if out, err := exec.Command("go", append(args, "..")...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Logf("built in %v", time.Since(began).Round(time.Millisecond))
	return p
}

func underRace() bool {
	build, _ := debug.ReadBuildInfo()
	return slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func (p program) command(dir string, env []string, args ...string) *exec.Cmd {
	c := exec.Command(p.path, args...)
	c.Env = append([]string{
		"HOME=" + dir, "RELAY_DATA_DIR=" + dir, "RELAY_INFERENCE_LISTEN=127.0.0.1:0", "RELAY_CONTROL_LISTEN=off", "GORACE=atexit_sleep_ms=0",
	}, env...)
	return c
}

// instance is a relay serve that runs on a data dir.
type instance struct {
	t       *testing.T
	command *exec.Cmd
	began   time.Time
	url     string // of the inference side
	control *admin.Client
	read    sync.WaitGroup

	mu      sync.Mutex
	trouble []string // what it logged that must not be there
	unclean bool     // it said that the last run did not stop as it should
}

// start runs relay serve until it listens.
func (p program) start(t *testing.T, dir string, env ...string) *instance {
	t.Helper()
	i := &instance{t: t, command: p.command(dir, env, "serve"), began: time.Now()}
	stderr, err := i.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := i.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.kill)
	listening := make(chan string, 1)
	i.read.Go(func() { i.readLog(stderr, listening) })
	url, ok := <-listening
	if !ok {
		t.Fatalf("relay serve ended: %q", i.complaints())
	}
	i.url, i.control = url, admin.NewSocketClient(filepath.Join(dir, "relay.sock"))
	return i
}

// readLog reads to the end of stderr. It sends the URL on which relay listens,
// and closes the channel.
func (i *instance) readLog(stderr io.Reader, listening chan<- string) {
	defer close(listening)
	lines, told := bufio.NewReader(stderr), false
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if url := i.note(line); url != "" && !told {
			told = true
			listening <- url
		}
	}
}

// note keeps what matters of a line, and returns the URL when it tells of one.
func (i *instance) note(line string) (url string) {
	var entry struct{ Level, Message, Inference string }
	known := json.Unmarshal([]byte(line), &entry) == nil
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case !known, entry.Level == "error":
		i.trouble = append(i.trouble, line)
	case strings.Contains(entry.Message, "did not stop as it should"):
		i.unclean = true
	case strings.HasPrefix(entry.Message, "relay is listening"):
		return entry.Inference
	}
	return ""
}

func (i *instance) saidUnclean() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.unclean
}

func (i *instance) complaints() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.trouble
}

// kill ends the process as kill -9 does.
func (i *instance) kill() {
	_ = i.command.Process.Kill()
	i.await()
}

// await returns the exit code once the process has ended.
func (i *instance) await() int {
	i.read.Wait()
	if err := i.command.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) && i.command.ProcessState == nil {
		i.t.Errorf("wait for relay: %v", err)
	}
	if i.control != nil {
		i.control.Close()
	}
	return i.command.ProcessState.ExitCode()
}

// checkLog fails the test for anything that the process complained of.
func (i *instance) checkLog() {
	i.t.Helper()
	for _, line := range i.complaints() {
		i.t.Errorf("relay logged %s", line)
	}
}

// watch polls the watermark every 20 ms until ctx ends, and returns the last.
func (i *instance) watch(ctx context.Context) (watermark time.Time) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if state, err := i.control.Status(ctx); err == nil {
			watermark = state.DurableThrough
		}
		select {
		case <-ctx.Done():
			return watermark
		case <-tick.C:
		}
	}
}

// copyDir copies the files of a data dir.
func copyDir(t *testing.T, from string) (to string) {
	t.Helper()
	to = t.TempDir()
	for _, name := range []string{"relay.db", "relay.id", "master.key"} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
