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

	"relay/testdata/e2e/strict"
)

// agent is one of those in package.json.
type agent struct {
	name     string
	foreign  []string // shapes of upstreams, other than its own, that it is tested with
	model    string   // that it is tested with, of its own shape
	refusals []string // one of them is what it says of a budget that is spent
	tries    int      // of a request that a spent budget refuses
	prepare  func(home, key, model string) (environment []string, err error)
	command  func(prompt, model string) []string
}

func agents() []agent {
	return []agent{
		{
			name: "claude", foreign: []string{strict.Chat, strict.Gemini}, model: "messages-mini", refusals: []string{"quota of $0.01"}, tries: 3,
			prepare: func(_, key, _ string) ([]string, error) {
				return []string{"ANTHROPIC_BASE_URL=" + relay.URL, "ANTHROPIC_API_KEY=" + key}, nil
			},
			command: func(prompt, model string) []string {
				return []string{"@anthropic-ai/claude-code/cli-wrapper.cjs", "-p", prompt, "--model", model, "--allowedTools", "Bash"}
			},
		},
		{
			name: "codex", foreign: []string{strict.Messages, strict.Chat}, model: "responses-mini", refusals: []string{"429 Too Many Requests", "quota of $0.01"}, tries: 1,
			prepare: func(home, key, model string) ([]string, error) {
				provider := `model = %q
sandbox_mode = "danger-full-access"
approval_policy = "never"
web_search = "disabled"
model_provider = "relay"
[model_providers.relay]
name = "relay"
base_url = %q
env_key = "RELAY_KEY"
wire_api = "responses"
`
				config := fmt.Sprintf(provider, model, relay.URL+"/v1")
				return []string{"CODEX_HOME=" + home, "RELAY_KEY=" + key}, os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600)
			},
			command: func(prompt, _ string) []string {
				return []string{"@openai/codex/bin/codex.js", "exec", "--skip-git-repo-check", prompt}
			},
		},
	}
}

// longest is how long an agent may take, whatever relay says.
const longest = time.Minute

// run lets the agent answer "hi".
func (a agent) run(t *testing.T, key, client string) (string, error) {
	t.Helper()
	return a.ask(t, key, a.model, "hi [client:"+client+"]")
}

// ask lets the agent work in a home that no agent has been in, and returns what it
// printed.
func (a agent) ask(t *testing.T, key, model, prompt string) (string, error) {
	t.Helper()
	home := t.TempDir()
	environment, err := a.prepare(home, key, model)
	if err != nil {
		t.Fatal(err)
	}
	args := a.command(prompt, model)
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
