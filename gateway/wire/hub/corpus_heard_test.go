package hub_test

import (
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// checkHeard reads what the caller was sent as if another Relay had asked for it:
// the texts, the calls and the usage are those of the host.
func (c *conversation) checkHeard(t *testing.T, caller, host shape, r *hub.Request, stream string) {
	t.Helper()
	first := listen(caller, r)
	a := answer(host, r, first)
	a.stream(host.streams, stream)
	if caller.up == nil || a.failure != nil {
		return
	}
	second := listen(caller, r)
	b := answer(caller, r, second)
	b.stream(caller.streams, string(first.sent))
	if b.failure != nil || len(second.faults) > 0 {
		t.Errorf("%s < %s: what is sent cannot be read: %v %s\n%s", caller.Shape(), host.Shape(), b.failure, second.faults, first.sent)
		return
	}
	if diff := cmp.Diff(gist(&first.answer), gist(&second.answer)); diff != "" {
		t.Errorf("%s < %s: what is sent says something else (-host +caller):\n%s", caller.Shape(), host.Shape(), diff)
	}
	if r.WantsUsage {
		c.checkUsageTold(t, caller, host, a.tap.Usage, b.tap.Usage)
	}
}

// gist is what every shape tells of an answer: its texts as one, and calls that
// are whole.
func gist(a *hub.Answer) (said []string) {
	text := ""
	for _, item := range compacted(a).Items {
		switch {
		case item.Kind == hub.ItemMessage:
			text += item.Parts[0].Text.String()
		case item.Kind == hub.ItemCall && !item.Cut:
			arguments := item.Arguments.String()
			if input := gjson.Get(arguments, "input"); input.Type == gjson.String {
				arguments = input.Str // of a tool that takes text, to shapes that know none
			}
			said = append(said, item.Call.ID.String()+" "+item.Call.NameOfFlat().String()+" "+arguments)
		}
	}
	return append(said, text)
}

// checkUsageTold holds what the caller hears against what the host has said, as
// far as the caller's shape has words for it.
func (c *conversation) checkUsageTold(t *testing.T, caller, host shape, said, heard wire.Usage) {
	t.Helper()
	same := said.Prompt() == heard.Prompt() && said.Output == heard.Output
	if caller.Shape() != "ollama" {
		same = same && said.CacheRead == heard.CacheRead && said.Reasoning == heard.Reasoning
	}
	if caller.Shape() != "ollama" && caller.Shape() != "gemini" {
		same = same && said.CacheCreation == heard.CacheCreation
	}
	if !same {
		t.Errorf("%s < %s: the usage is told as %s and was %s", caller.Shape(), host.Shape(), told(heard), told(said))
	}
}
