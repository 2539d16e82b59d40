package hub_test

import (
	"errors"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func TestAsFunction_GivesACustomToolOneArgument(t *testing.T) {
	const grammar = `The input must follow this grammar:\nstart: \"a\"`
	for name, c := range map[string]struct{ description, format, want string }{
		"any text":              {"d", ``, "d"},
		"said to be any text":   {"d", `{"type":"text"}`, "d"},
		"a grammar":             {"d", `{"type":"grammar","syntax":"lark","definition":"start: \"a\""}`, `d\n\n` + grammar},
		"a grammar in a member": {"", `{"type":"grammar","grammar":{"syntax":"lark","definition":"start: \"a\""}}`, grammar},
		"something else":        {"", `{"type":"new"}`, `The input must follow this grammar:\n{\"type\":\"new\"}`},
	} {
		tool := hub.Tool{Kind: hub.ToolCustom, Name: hub.Text("patch"), Description: hub.Text(c.description), Format: []byte(c.format)}
		f := tool.AsFunction()
		if string(f.Description) != c.want || f.Kind != hub.ToolFunction || f.Format != nil || !wire.Valid(f.Parameters) {
			t.Errorf("%s: %s %s", name, f.Description, f.Parameters)
		}
		if string(tool.Description) != c.description {
			t.Errorf("%s: the tool has changed", name)
		}
	}
	tool := hub.Tool{Name: hub.Text("f"), Parameters: []byte(`{}`)}
	if f := tool.AsFunction(); string(f.Parameters) != `{}` || f.Description != nil {
		t.Errorf("%+v", f)
	}
}

func TestAppendArguments_WritesAnObjectAsItIs(t *testing.T) {
	for said, want := range map[string]string{`{"b":9007199254740993, "a":"ü"}`: `{"b":9007199254740993, "a":"ü"}`, ``: `{}`} {
		item := hub.Item{Kind: hub.ItemCall, Arguments: hub.Quote(said)}
		if got, err := item.AppendArguments(nil); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", said, got, err)
		}
	}
	item := hub.Item{Kind: hub.ItemCall, Call: hub.Call{Custom: true}, Arguments: hub.Text(`*** \"x\"`)}
	got, err := item.AppendArguments(nil)
	if err != nil || string(got) != `{"input":"*** \"x\""}` {
		t.Errorf("%s %v", got, err)
	}
	if back := hub.CustomText(got); string(back) != `*** \"x\"` {
		t.Errorf("%s", back)
	}
	if back := hub.CustomText([]byte(`["x"]`)); string(back) != `[\"x\"]` {
		t.Errorf("%s", back)
	}
}

func TestAppendArguments_RefusesWhatIsNoObject(t *testing.T) {
	for _, said := range []string{`[]`, `1`, `{"a":`, `{} {}`} {
		item := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Quote(said)}
		_, err := item.AppendArguments(nil)
		var refusal *wire.Error
		if !errors.As(err, &refusal) || refusal.Param != "the arguments of the call c1 of f" || refusal.Code != wire.CodeTranslateRequest {
			t.Errorf("%s: %v", said, err)
		}
	}
}
