package ollama_test

import (
	"strings"
	"testing"
)

const spoken = "one two three four five six seven eight nine ten eleven twelve"

// throughRelay runs Ollama's own command with Relay as its server.
func throughRelay(t *testing.T, args ...string) string {
	t.Helper()
	out, err := r.ollama("http://"+r.relay, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCommand_ListsModels(t *testing.T) {
	out := throughRelay(t, "list")
	for _, name := range []string{"tiny:latest ", "loop:latest ", "tools:latest "} {
		if !strings.Contains(out, name) {
			t.Errorf("ollama list shows no %s:\n%s", name, out)
		}
	}
}

func TestCommand_RunsAModel(t *testing.T) {
	for _, name := range []string{"tiny", "tiny:latest", "tools"} {
		if out := throughRelay(t, "run", name, "hello"); strings.TrimSpace(out) != spoken {
			t.Errorf("ollama run %s says %q", name, out)
		}
	}
}

func TestCommand_ShowsAModelAndWhatRuns(t *testing.T) {
	if out := throughRelay(t, "show", "tools"); !strings.Contains(out, "llama") || !strings.Contains(out, "tools") {
		t.Errorf("ollama show says %s", out)
	}
	if out := throughRelay(t, "ps"); !strings.Contains(out, "NAME") {
		t.Errorf("ollama ps says %s", out)
	}
}

func TestCommand_ChangesNoModels(t *testing.T) {
	for _, args := range [][]string{{"rm", "tiny"}, {"cp", "tiny", "other"}, {"pull", "tiny"}, {"push", "tiny"}} {
		if out, err := r.ollama("http://"+r.relay, args...); err == nil {
			t.Errorf("ollama %v says %s", args, out)
		}
	}
	if out, err := r.ollama(usualAddress, "list"); err != nil || !strings.Contains(out, "tiny:latest") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCommand_SaysWhatIsWrong(t *testing.T) {
	if _, err := r.ollama("http://"+r.relay, "run", "nothing", "hello"); err == nil || strings.Contains(err.Error(), "something went wrong") {
		t.Errorf("ollama run nothing: %v", err)
	}
}
