package hub_test

import (
	"os"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

// wireDocument tells people what TestDocs_SayWhatTheTablesDo writes into it,
// between <!-- NAME --> and <!-- /NAME -->, and what people write around that.
const wireDocument = "../../../docs/wire.md"

func TestFates_EveryShapeDecidesEveryParameter(t *testing.T) {
	for _, s := range hosts() {
		for p, fate := range parameters(s.up.Fates()) {
			if fate < hub.Carried || fate > hub.Refused || p.String() == "" {
				t.Errorf("%s: the fate of %q (%d) is %d", s.Shape(), p, p, fate)
			}
		}
	}
}

// parameters yields all but the mark that parts members from constructs.
func parameters(fates *hub.Fates) func(yield func(hub.Param, hub.Fate) bool) {
	return func(yield func(hub.Param, hub.Fate) bool) {
		for p := range hub.NumParams {
			if p != hub.NumMembers && !yield(p, fates[p]) {
				return
			}
		}
	}
}

func TestDocs_SayWhatTheTablesDo(t *testing.T) {
	written, err := os.ReadFile(wireDocument)
	if err != nil {
		t.Fatal(err)
	}
	want := string(written)
	for name, table := range map[string]string{
		"parameters": parameterTable(), "reasoning": reasoningTable(t), "reasons": reasonTable(), "generate-answer": answerExample(),
	} {
		want = replaced(t, want, name, table)
	}
	if *update {
		if err := os.WriteFile(wireDocument, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(string(written), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("%s does not say what the tables do (-file +tables); -update writes it anew:\n%s", wireDocument, diff)
	}
}

func replaced(t *testing.T, document, name, table string) string {
	t.Helper()
	before, rest, begun := strings.Cut(document, "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- /"+name+" -->")
	if !begun || !ended {
		t.Fatalf("%s has no place for %s", wireDocument, name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- /" + name + " -->" + after
}

// answerExample is an answer of Relay's own shape.
func answerExample() string {
	a := &hub.Answer{
		Items: []hub.Item{
			{Kind: hub.ItemReasoning, Text: hub.Text("Oslo's opera."), Opaque: hub.Opaque{Shape: "anthropic", Provider: "anthropic", Data: hub.Text("EqQB")}},
			{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("toolu_01"), Name: hub.Text("get_weather")}, Arguments: hub.Text(`{\"city\":\"Oslo\"}`)},
		},
		Reason: hub.ReasonCalls,
		Usage:  wire.Usage{Input: 812, Output: 57, Reasoning: 31},
	}
	own := shapes()[rank("generate")]
	body := own.Encoder(&hub.Reply{Request: &hub.Request{}, ID: replyID, Model: "claude-sonnet-4-5", Created: replyCreated}).AppendAnswer(nil, a)
	return "```json\n" + pretty(body) + "```\n"
}

func TestDocs_TheRequestOfTheExampleGoesToEveryHost(t *testing.T) {
	written, err := os.ReadFile(wireDocument)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(written), "<!-- generate-request -->\n```json\n")
	body, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no example of a request", wireDocument)
	}
	r := &hub.Request{}
	if err := shapes()[rank("generate")].Decode([]byte(body), r); err != nil {
		t.Fatal(err)
	}
	for _, s := range hosts() {
		_, err := r.Check(s.Shape(), s.up.Fates())
		if err == nil {
			_, err = s.up.Encode(nil, r, hub.Target{Model: "m"})
		}
		if err != nil || len(r.Tools) != 1 || len(r.Items) != 2 {
			t.Errorf("%s: %v, %d tools, %d items", s.Shape(), err, len(r.Tools), len(r.Items))
		}
	}
}
