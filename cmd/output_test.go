package cmd_test

import (
	"encoding/json"
	"testing"

	"relay/cmd"
	"relay/store"
)

func TestDollars_ShowsCentsAndSmallerAmountsExactly(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: "$0.00", 1: "<$0.000001", 1_000: "$0.000001", 500_000: "$0.0005", 9_999_000: "$0.009999", 10_000_000: "$0.01",
		1_234_567_890: "$1.23", 1_999_000_000_000: "$1,999.00", -2_500_000_000: "-$2.50",
	} {
		if got := cmd.Dollars(nanos); got != want {
			t.Errorf("%d nano-dollars are %s, want %s", nanos, got, want)
		}
	}
}

func TestTable_AlignsNumbersToTheRight(t *testing.T) {
	got := cmd.DrawTable(0, [2]string{"name", "requests"}, []string{"a", "1"}, []string{"longer", "1,234"})
	want := "NAME    REQUESTS\na              1\nlonger     1,234\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTable_FitsTheTerminalByShorteningText(t *testing.T) {
	got := cmd.DrawTable(20, [2]string{"name", "n"}, []string{"a-name-that-is-far-too-long", "1,234"})
	want := "NAME               N\na-name-that-…  1,234\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTable_LetsNoTextSteerTheTerminal(t *testing.T) {
	got := cmd.DrawTable(0, [2]string{"a", "b"}, []string{"a\x1b[2Jb\nc", "1"})
	if want := "A         B\na [2Jb c  1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCSV_KeepsCellsFromBeingFormulas(t *testing.T) {
	got := cmd.WriteCSV([]string{"=1+1", "-"}, []string{"@x", "a,b"})
	if want := "a,b\n'=1+1,-\n'@x,\"a,b\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestYAML_KeepsTheOrderAndTheTypesOfTheJSON(t *testing.T) {
	got, err := cmd.WriteYAML(json.RawMessage(`{"z":{"n":1,"text":"1","word":"true","on":true},"a":["x: y"],"none":null}`))
	want := "z:\n  n: 1\n  text: \"1\"\n  word: \"true\"\n  on: true\na:\n  - 'x: y'\nnone: null\n"
	if err != nil || got != want {
		t.Errorf("got\n%s%v\nwant\n%s", got, err, want)
	}
}

func TestCapsInWords_ReadsAsPeopleSpeak(t *testing.T) {
	one, many := int64(1), int64(200_000)
	limits := &store.Limits{RPM: &one, TPD: &many, Concurrency: &one}
	budgets := []store.Budget{{Amount: "20", Period: "day"}, {Amount: "0.50", Period: "total", OnExceed: "warn"}}
	want := "1 request a minute, 200,000 tokens a day, 1 in flight, $20.00 a day, $0.50 in all (warns only)"
	if got := cmd.CapsInWords(limits, budgets); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := cmd.CapsInWords(nil, nil); got != "" {
		t.Errorf("no caps are %q", got)
	}
}

func TestExpand_TakesVariablesAndLeavesTheRest(t *testing.T) {
	env := environment(map[string]string{"A": "1", "EMPTY": "", "ODD": "${A} $$"})
	for text, want := range map[string]string{
		"": "", "plain": "plain", "${A}": "1", "x${A}y${A}": "x1y1", "$$": "$", "$${A}": "${A}", "$A": "$A", "a$": "a$",
		"${EMPTY}": "", "${ODD}": "${A} $$",
	} {
		if got, err := cmd.Expand(text, env); err != nil || got != want {
			t.Errorf("%q becomes %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"${", "${A", "${}", "${A-B}", "${1A}", "${MISSING}"} {
		if got, err := cmd.Expand(text, env); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
