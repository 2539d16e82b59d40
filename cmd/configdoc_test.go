package cmd_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestConfigurationDocument_ItsCommandsWork runs what docs/configuration.md says
// to type, with the manifest that it shows.
func TestConfigurationDocument_ItsCommandsWork(t *testing.T) {
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
		if found == nil {
			t.Fatalf("the document has no %s", language)
		}
		return string(found[1])
	}
	work := dataDir(t)
	t.Chdir(work)
	folder{t, work}.put("relay.d/chat.yaml", block("yaml"))
	env := map[string]string{"HOME": work, "RELAY_DATA_DIR": work + "/data", "RELAY_DISCOVER": "false"}
	commands := 0
	for line := range strings.Lines(block("sh")) {
		words := strings.Fields(line)
		if got := run(t.Context(), "", env, words[1:]...); words[0] != "relay" || got.code != 0 {
			t.Errorf("%s: %+v", line, got)
		}
		commands++
	}
	if commands < 5 {
		t.Errorf("%d commands", commands)
	}
}
