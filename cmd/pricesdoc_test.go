package cmd_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPricesDocument_ItsCommandsWork runs what docs/prices.md says to type, with a
// map of prices beside it, and takes the catalogue that import prints.
func TestPricesDocument_ItsCommandsWork(t *testing.T) {
	text, err := os.ReadFile("../docs/prices.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("the document has no commands")
	}
	work := dataDir(t)
	t.Chdir(work)
	folder{t, work}.put("prices.json", `{"gpt-4.1": {"litellm_provider": "openai", "input_cost_per_token": 1.5e-06, "output_cost_per_token": 8e-06}}`)
	env := map[string]string{"HOME": work, "RELAY_DATA_DIR": work + "/data", "RELAY_DISCOVER": "false"}
	commands := 0
	for line := range strings.Lines(string(block[1])) {
		words := strings.Fields(line)
		got := run(t.Context(), "", env, words[1:]...)
		if words[0] != "relay" || got.code != 0 {
			t.Errorf("%s: %+v", line, got)
		}
		if strings.Contains(line, " import ") {
			folder{t, work}.put("catalog.yaml", got.stdout)
		}
		commands++
	}
	if commands < 10 {
		t.Errorf("%d commands", commands)
	}
}
