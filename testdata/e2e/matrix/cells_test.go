package matrix_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"reflect"

	"relay/testdata/e2e/strict"
)

// begin starts a conversation that plays a script.
func (c cell) begin(script string, q question) conversation {
	q.prompt = "Answer in JSON if you must. [script:" + script + "] [cell:" + c.name + "]"
	q.streamed = c.streamed
	return c.caller.begin(connection(c.model), q)
}

func (c cell) context() context.Context {
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	c.Cleanup(cancel)
	return ctx
}

// answer asks for the next answer, which must come.
func (c cell) answer(talk conversation) answer {
	c.Helper()
	a, err := talk.next(c.context())
	if err != nil {
		c.Fatalf("%v\n%s", err, c.bodies())
	}
	return a
}

// bodies is what the provider has seen.
func (c cell) bodies() string {
	said := ""
	for _, seen := range bench.providers.Seen(c.name) {
		said += "the provider got " + string(seen.Raw) + "\n"
		if seen.Fault != "" {
			said += "and did not like " + seen.Fault + "\n"
		}
	}
	return said
}

// expect compares an answer.
func (c cell) expect(got, want answer) {
	c.Helper()
	if c.streamed && want.text != "" && want.text != strict.Preface && got.pieces < 2 {
		c.Errorf("the text has come in %d pieces", got.pieces)
	}
	want.tokens = c.caller.tells(strict.Usage(c.upstream))
	want.pieces, want.calls = got.pieces, got.calls
	if !reflect.DeepEqual(got, want) {
		c.Errorf("got  %+v\nwant %+v\n%s", got, want, c.bodies())
	}
}

func (c cell) text() {
	c.expect(c.answer(c.begin(strict.PlayText, question{})), answer{text: strict.Text, stop: "stop"})
}

// reasoning asks twice: what the first answer was signed with belongs to it.
func (c cell) reasoning() {
	talk := c.begin(strict.PlayReasoning, question{think: true})
	for range 2 {
		c.expect(c.answer(talk), answer{text: strict.Text, reasoning: strict.Thoughts, stop: "stop"})
		talk.say("Go on.")
	}
	c.kept()
}

func (c cell) filtered() {
	want := answer{text: strict.Text, stop: c.caller.filtered}
	if c.upstream == strict.Ollama {
		want.stop = "stop" // it has no filter
	}
	c.expect(c.answer(c.begin(strict.PlayFilter, question{})), want)
}

func (c cell) length() {
	a := c.answer(c.begin(strict.PlayLength, question{most: 100}))
	c.expect(a, answer{text: strict.Text, stop: "length"})
}

func (c cell) image() {
	picture := image.NewRGBA(image.Rect(0, 0, 3, 2))
	picture.Set(1, 1, color.RGBA{R: 200, A: 255})
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		c.Fatal(err)
	}
	a := c.answer(c.begin(strict.PlayImage, question{image: encoded.Bytes()}))
	c.expect(a, answer{text: strict.Saw("image/png", encoded.Bytes()), stop: "stop"})
}

func (c cell) structure() {
	a := c.answer(c.begin(strict.PlayStructure, question{schema: strict.Schema()}))
	if got, want := parsed(c, a.text), parsed(c, encoded(strict.Instance(strict.Schema()))); !reflect.DeepEqual(got, want) {
		c.Errorf("got %v, want %v\n%s", got, want, c.bodies())
	}
	if len(a.calls) > 0 {
		c.Errorf("there are calls: %v", a.calls)
	}
	c.expect(a, answer{text: a.text, stop: "stop"})
}

func parsed(c cell, text string) any {
	c.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		c.Errorf("%v in %q", err, text)
	}
	return v
}
