package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"relay/cmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"relay": func() { os.Exit(cmd.Main(os.Args[1:])) },
	})
}

// TestScripts runs the command line as testdata/script writes it. "code N relay
// ..." runs a command that must exit with N, "ready" waits for a server that runs
// in the background, and "chat STATUS KEYFILE MODEL" calls it; "mint USER
// PASSWORDFILE PROJECT FILE" makes an inference token, "slow" starts an upstream
// whose streams last, and "cut CODE KEYFILE MODEL COMMAND" wants a command to end
// one.
func TestScripts(t *testing.T) {
	upstream := startEcho(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": runForCode, "ready": waitReady, "chat": callChat, "mint": mintToken, "slow": startSlow, "cut": cutStream},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second more
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TZ", "UTC")
			env.Setenv("RELAY_DISCOVER", "false")
			env.Setenv("RELAY_DATA_DIR", filepath.Join(env.WorkDir, "data"))
			return withServer(env, upstream)
		},
	})
}

func runForCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%v exited with %d, not with %d", args[1:], got, want)
	}
}
