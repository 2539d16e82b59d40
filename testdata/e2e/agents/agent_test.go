package agents_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// agent is one of those in package.json.
type agent struct {
	name     string
	refusals []string // one of them is what it says of a budget that is spent
	tries    int      // of a request that a spent budget refuses
	prepare  func(home, key string) (environment []string, err error)
	command  func(prompt string) []string
}

func agents() []agent {
	return []agent{
		{
			name: "claude", refusals: []string{"quota of $0.01"}, tries: 3,
			prepare: func(_, key string) ([]string, error) {
				return []string{"ANTHROPIC_BASE_URL=" + relay.URL, "ANTHROPIC_API_KEY=" + key}, nil
			},
			command: func(prompt string) []string {
				return []string{"@anthropic-ai/claude-code/cli-wrapper.cjs", "-p", prompt, "--model", "messages-mini"}
			},
		},
		{
			name: "codex", refusals: []string{"429 Too Many Requests", "quota of $0.01"}, tries: 1,
			prepare: func(home, key string) ([]string, error) {
				provider := `model = "responses-mini"
model_provider = "relay"
[model_providers.relay]
name = "relay"
base_url = %q
env_key = "RELAY_KEY"
wire_api = "responses"
`
				config := fmt.Sprintf(provider, relay.URL+"/v1")
				return []string{"CODEX_HOME=" + home, "RELAY_KEY=" + key}, os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600)
			},
			command: func(prompt string) []string {
				return []string{"@openai/codex/bin/codex.js", "exec", "--skip-git-repo-check", prompt}
			},
		},
	}
}

// longest is how long an agent may take, whatever relay says.
const longest = time.Minute

// run lets the agent answer "hi" in a home that no agent has been in, and returns
// what it printed.
func (a agent) run(t *testing.T, key, client string) (string, error) {
	t.Helper()
	home := t.TempDir()
	environment, err := a.prepare(home, key)
	if err != nil {
		t.Fatal(err)
	}
	args := a.command("hi [client:" + client + "]")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	args[0] = filepath.Join(here, "node_modules", args[0])
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	command := exec.CommandContext(ctx, "node", args...)
	command.Dir = home
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=dumb"}, environment...)
	withChildren(command)
	out, err := command.CombinedOutput()
	return string(out), err
}

// withChildren ends a command that takes too long with all that it has started.
func withChildren(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
}
