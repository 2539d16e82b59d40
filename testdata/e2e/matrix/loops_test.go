package matrix_test

import (
	"bytes"
	"slices"

	"relay/testdata/e2e/strict"
)

// bareTool calls a tool that takes nothing.
func (c cell) bareTool() {
	talk := c.begin(strict.PlayBare, question{bare: true})
	first := c.answer(talk)
	c.calls(first, []strict.Call{{Name: strict.Now, Arguments: "{}"}})
	for _, call := range first.calls {
		talk.result(call, resultOf(call.name))
	}
	c.expect(c.answer(talk), answer{text: strict.Text, stop: "stop"})
	c.kept()
}

// loop calls tools and brings their results.
func (c cell) loop(q question) {
	script := strict.PlayTools
	if q.think {
		script = strict.PlayReasoned
	}
	talk := c.begin(script, q)
	first := c.answer(talk)
	c.calls(first, strict.Calls())
	want := answer{text: strict.Preface, stop: "calls"}
	if q.think {
		want = answer{reasoning: strict.Thoughts, stop: "calls"}
	}
	c.expect(first, want)
	for _, call := range first.calls {
		talk.result(call, resultOf(call.name))
	}
	last := c.answer(talk)
	c.expect(last, answer{text: strict.Sum, reasoning: last.reasoning, stop: "stop"})
	c.kept()
}

// calls compares the calls of an answer, whose ids tell them apart.
func (c cell) calls(a answer, want []strict.Call) {
	c.Helper()
	var got []strict.Call
	ids := map[string]bool{}
	for _, call := range a.calls {
		ids[call.id] = true
		got = append(got, strict.Call{Name: call.name, Arguments: encoded(parsed(c, orNone(call.arguments)))})
	}
	for i := range want {
		want[i].Arguments = encoded(parsed(c, want[i].Arguments))
	}
	if !slices.Equal(got, want) {
		c.Errorf("got %+v, want %+v\n%s", got, want, c.bodies())
	}
	if named := c.caller.shape != strict.Ollama && c.caller.shape != c.upstream; named && (len(ids) != len(want) || ids[""]) {
		c.Errorf("the ids do not tell calls apart: %+v", a.calls)
	}
}

// orNone is the arguments of a call, which some shapes leave out where there are
// none.
func orNone(arguments string) string {
	if arguments == "" || arguments == "null" {
		return "{}"
	}
	return arguments
}

// sealed is how texts begin in which Relay carries opaque parts through callers.
const sealed = "cmVsYXkx"

// kept checks that the second request has every opaque part of the first answer,
// byte for byte and in order, where the caller can keep them, and nothing of
// Relay's own or of another provider in any case.
func (c cell) kept() {
	c.Helper()
	seen := bench.providers.Seen(c.name)
	if len(seen) != 2 {
		c.Fatalf("the provider has seen %d requests", len(seen))
	}
	var want []string
	if c.caller.keeps {
		want = seen[1].Made
	}
	if !slices.Equal(seen[1].Issued, want) {
		c.Errorf("the second request has the opaque parts %q, not %q\n%s", seen[1].Issued, want, c.bodies())
	}
	c.clean(seen)
}

// clean checks that nothing of Relay's own and of no other provider goes up.
func (c cell) clean(all []strict.Seen) {
	c.Helper()
	for _, seen := range all {
		if bytes.Contains(seen.Raw, []byte(sealed)) {
			c.Errorf("Relay's own seal goes up: %s", seen.Raw)
		}
		for _, shape := range shapes() {
			for _, opaque := range bench.providers.Issued(shape) {
				if shape != seen.Shape && bytes.Contains(seen.Raw, []byte(opaque)) {
					c.Errorf("what %s has signed goes to %s: %s", shape, seen.Shape, seen.Raw)
				}
			}
		}
	}
}

// namedTool calls one tool alone, save where the upstream cannot be told to.
func (c cell) namedTool() {
	if c.caller.shape == strict.Ollama {
		c.unforced()
		return
	}
	talk := c.begin(strict.PlayTools, question{tools: true, named: strict.Weather})
	if c.upstream == strict.Ollama {
		c.unsupported(talk, "tool_choice")
		return
	}
	a := c.answer(talk)
	c.calls(a, strict.Calls()[1:])
	c.expect(a, answer{text: strict.Preface, stop: "calls"})
}

// unforced is what callers get that cannot force a call: those of both tools.
func (c cell) unforced() {
	a := c.answer(c.begin(strict.PlayTools, question{tools: true}))
	c.calls(a, strict.Calls())
}
