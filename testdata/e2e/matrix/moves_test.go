package matrix_test

import (
	"slices"
	"testing"

	"relay/testdata/e2e/strict"
)

// reasoners are the callers that are tested with everything.
func reasoners() []caller {
	return slices.DeleteFunc(callers(), func(c caller) bool { return c.only != nil })
}

// TestConversationsGoOnWithAnotherProvider begins a loop of tools with one
// provider, ends it with another, and goes back to the first: each sees the opaque
// parts that it has made, and nobody else's.
func TestConversationsGoOnWithAnotherProvider(t *testing.T) {
	for _, caller := range reasoners() {
		for _, from := range shapes() {
			for _, to := range shapes() {
				if from == to {
					continue
				}
				t.Run(caller.name+"/"+from+"/"+to, func(t *testing.T) {
					c := cell{T: t, caller: caller, upstream: from, model: from + "-mini", name: "moves-" + caller.name + "-" + from + "-" + to}
					c.moves(to)
				})
			}
		}
	}
}

func (c cell) moves(to string) {
	talk := c.begin(strict.PlayReasoned, question{tools: true, think: true})
	for _, call := range c.answer(talk).calls {
		talk.result(call, resultOf(call.name))
	}
	for _, model := range []string{to + "-mini", c.upstream + "-mini"} {
		talk.move(model)
		if a := c.answer(talk); a.text != strict.Sum {
			c.Errorf("%s answers %+v\n%s", model, a, c.bodies())
		}
		talk.say("Go on.")
	}
	seen := bench.providers.Seen(c.name)
	if c.clean(seen); len(seen) != 3 || seen[1].Shape != to || len(seen[1].Issued) > 0 {
		c.Fatalf("the providers have seen %d requests\n%s", len(seen), c.bodies())
	}
	if c.caller.keeps && !slices.Equal(seen[2].Issued, seen[2].Made) {
		c.Errorf("back at the first, the request has the opaque parts %q, not %q\n%s", seen[2].Issued, seen[2].Made, c.bodies())
	}
}

// TestCallersMayForgetWhatTheyDoNotKnow is about those that send back what their
// SDK has names for, without the opaque parts of answers.
func TestCallersMayForgetWhatTheyDoNotKnow(t *testing.T) {
	for _, caller := range reasoners() {
		for _, upstream := range shapes() {
			if caller.name == "anthropic-sdk-go-v2" || caller.shape == upstream {
				continue // its messages are always whole; of its own shape nothing is added
			}
			for _, streamed := range []bool{false, true} {
				c := cell{caller: caller, upstream: upstream, streamed: streamed, model: upstream + "-mini"}
				c.name = "forgets-" + c.title(behaviour{name: "tools"})
				t.Run(c.name, func(t *testing.T) {
					c.T = t
					c.forgets()
				})
			}
		}
	}
}

func (c cell) forgets() {
	talk := c.begin(strict.PlayReasoned, question{tools: true, think: true, forgetful: true})
	for _, call := range c.answer(talk).calls {
		talk.result(call, resultOf(call.name))
	}
	if a := c.answer(talk); a.text != strict.Sum || a.stop != "stop" {
		c.Errorf("got %+v\n%s", a, c.bodies())
	}
	seen := bench.providers.Seen(c.name)
	if c.clean(seen); len(seen[1].Issued) > 0 {
		c.Errorf("the second request has %q", seen[1].Issued)
	}
}
