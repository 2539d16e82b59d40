package hub_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"

	"github.com/tidwall/gjson"
)

// checkSiblings holds what callers of a shape get on its other route against what
// those of the first get: Gemini's chunks as an array, the text of Ollama's chat
// as a generation.
func checkSiblings(t *testing.T, caller, host shape, r *hub.Request, stream, sent string) {
	t.Helper()
	switch caller.Shape() {
	case "gemini":
		if again := relayed(gemini.HubArray{}, caller, host, r, stream); gjson.Valid(again) {
			checkSame(t, host, rawOf(gjson.Parse(again)), dataOf("gemini", sent))
		} else if !strings.Contains(sent, `"error"`) {
			t.Errorf("gemini < %s: the array is not JSON: %s", host.Shape(), again)
		}
	case "ollama":
		again := relayed(ollama.GenerateHub{}, caller, host, r, stream)
		checkSame(t, host, []string{joined(again, "response")}, []string{joined(sent, "message.content")})
	}
}

// relayed is what a caller gets of a stream by another encoder.
func relayed(by hub.Caller, caller, host shape, r *hub.Request, stream string) string {
	caller.Caller = by
	l := listen(caller, r)
	answer(host, r, l).stream(host.streams, stream)
	return string(l.sent)
}

func checkSame(t *testing.T, host shape, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("a sibling of a shape gets of %s\n%s\nand not\n%s", host.Shape(), got, want)
	}
}

func rawOf(array gjson.Result) (elements []string) {
	for _, e := range array.Array() {
		elements = append(elements, e.Raw)
	}
	return elements
}

// joined is the text at a path of all lines.
func joined(lines, path string) (text string) {
	for line := range strings.Lines(lines) {
		text += gjson.Get(line, path).Str
	}
	return text
}
