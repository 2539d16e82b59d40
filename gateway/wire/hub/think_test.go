package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestSetThink_SaysAllThatIsWantedOfReasoning(t *testing.T) {
	before := hub.Reasoning{Effort: "high", Budget: 4096, Summary: "auto"}
	for said, want := range map[string]hub.Reasoning{
		``:         before,
		`null`:     before,
		`true`:     {Budget: -1, Summary: "auto", Think: "true"},
		`false`:    {Effort: "none", Summary: "auto", Think: "false"},
		`"low"`:    {Effort: "low", Summary: "auto", Think: "low"},
		`"medium"`: {Effort: "medium", Summary: "auto", Think: "medium"},
		`"max"`:    {Effort: "max", Summary: "auto", Think: "max"},
	} {
		r := before
		if ok := r.SetThink([]byte(said)); !ok || r != want {
			t.Errorf("%s: %+v", said, r)
		}
	}
}

func TestSetThink_TakesNothingElse(t *testing.T) {
	for _, said := range []string{`"hard"`, `""`, `1`, `{}`, `[true]`} {
		before := hub.Reasoning{Effort: "high"}
		r := before
		if r.SetThink([]byte(said)) || r != before {
			t.Errorf("%s: %+v", said, r)
		}
	}
}
