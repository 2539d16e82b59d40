package messages_test

import (
	"os"
	"slices"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

func TestFates_EveryParameterHasOne(t *testing.T) {
	fates := messages.Hub{}.Fates()
	for p := range hub.NumParams {
		if p != hub.NumMembers && fates[p] == hub.Undecided {
			t.Errorf("%s has none", p)
		}
	}
}

// TestClaudeCode_IsUnderstood reads the second request of a conversation with
// Claude Code 2.1.197, of which the texts are shortened.
func TestClaudeCode_IsUnderstood(t *testing.T) {
	body, err := os.ReadFile("testdata/claude-code.json")
	if err != nil {
		t.Fatal(err)
	}
	r := understood(t, string(body))
	var kinds []hub.ItemKind
	for i := range r.Items {
		kinds = append(kinds, r.Items[i].Kind)
	}
	want := []hub.ItemKind{hub.ItemMessage, hub.ItemMessage, hub.ItemMessage, hub.ItemReasoning, hub.ItemCall, hub.ItemResult}
	if !slices.Equal(kinds, want) {
		t.Errorf("the items are of the kinds %v", kinds)
	}
	for i, role := range []hub.Role{hub.RoleSystem, hub.RoleUser, hub.RoleSystem} {
		if r.Items[i].Role != role {
			t.Errorf("item %d is of role %v", i, r.Items[i].Role)
		}
	}
	if len(r.Items[0].Parts) != 3 || r.Items[0].Parts[2].Mark == nil {
		t.Errorf("the system message is %+v", r.Items[0])
	}
	if r.Reasoning != (hub.Reasoning{Effort: "high", Budget: -1}) || !r.Streamed {
		t.Errorf("reasoning is %+v", r.Reasoning)
	}
	if user := string(r.Param(hub.User)); user != `"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"s\"}"` {
		t.Errorf("the user is %s", user)
	}
	dropped, err := r.Check("anthropic", &hub.Fates{})
	if err != nil || !slices.Equal(dropped, []string{"context_management"}) {
		t.Errorf("%v, %v is left out", err, dropped)
	}
	for _, tool := range r.Tools {
		if tool.Kind != hub.ToolFunction || len(tool.Parameters) == 0 {
			t.Errorf("%s is %+v", tool.Name, tool)
		}
	}
}

func TestCheck_RefusesWhatChangesTheMeaning(t *testing.T) {
	number := hub.Member{Name: "n", Value: []byte("2")}
	for _, p := range []hub.Param{hub.Choices, hub.Logprobs, hub.LogitBias, hub.AudioOutput, hub.WebSearch, hub.PreviousResponse, hub.RemoteTools} {
		r := asked(t, hi)
		r.Params[p] = number
		if e := refused(t, r); e.Param != "n" {
			t.Errorf("%s: %v", p, e)
		}
	}
	for _, p := range []hub.Param{hub.Seed, hub.Store, hub.ServiceTier, hub.FrequencyPenalty, hub.CacheKey, hub.NumCtx} {
		r := asked(t, hi)
		r.Params[p] = number
		if dropped, err := r.Check("anthropic", messages.Hub{}.Fates()); err != nil || len(dropped) != 1 {
			t.Errorf("%s: %v, %v", p, dropped, err)
		}
	}
}
