package hub_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

// answers brings the whole answer of every host to every caller of another shape,
// and holds it against the stream that says the same.
func (c *conversation) answers(t *testing.T) {
	pairs(func(caller, host shape) {
		body, found := c.written[host.Shape()+".host.answer.json"]
		if !found {
			return
		}
		r := c.asked(t, caller)
		whole := listen(caller, r)
		a := answer(host, r, whole)
		a.whole(body)
		if len(whole.faults) > 0 {
			t.Errorf("%s < %s: the whole answer is told wrongly: %s", caller.Shape(), host.Shape(), whole.faults)
		}
		if a.failure != nil {
			c.got("answer.json", caller.Shape(), host.Shape(), pretty(caller.wire.AppendError(nil, a.failure)))
			return
		}
		c.got("answer.json", caller.Shape(), host.Shape(), pretty(whole.whole()))
		c.noted("usage", host.Shape(), "", told(a.tap.Usage))
		c.checkFold(t, caller, host, r, &whole.answer)
		checkIndented(t, caller, host, r, body, &whole.answer)
	})
}

// checkFold holds a whole answer against the fold of the stream.
func (c *conversation) checkFold(t *testing.T, caller, host shape, r *hub.Request, whole *hub.Answer) {
	t.Helper()
	stream, found := c.written[host.Shape()+".host.stream"]
	if !found {
		return
	}
	l := listen(caller, r)
	answer(host, r, l).stream(host.streams, stream)
	if diff := cmp.Diff(compacted(whole), compacted(&l.answer)); diff != "" {
		t.Errorf("%s < %s: the stream does not say what the whole answer does (-whole +stream):\n%s", caller.Shape(), host.Shape(), diff)
	}
}

// compacted is an answer whose texts of JSON have no white space, which hosts
// write as they like where arguments are an object.
func compacted(a *hub.Answer) *hub.Answer {
	c := *a
	c.Items = slices.Clone(a.Items)
	for i := range c.Items {
		item := &c.Items[i]
		item.Arguments = compactedText(item.Arguments)
		item.Parts = slices.Clone(item.Parts)
		for p := range item.Parts {
			item.Parts[p].Text = compactedText(item.Parts[p].Text)
		}
	}
	return &c
}

func compactedText(t hub.Text) hub.Text {
	var compact bytes.Buffer
	if plain := t.Plain(); len(plain) == 0 || plain[0] != '{' || json.Compact(&compact, plain) != nil {
		return t
	}
	return hub.Quote(compact.String())
}

// checkIndented reads a whole answer that its host has written over many lines,
// and streams it: lines of one event or document must not come of that.
func checkIndented(t *testing.T, caller, host shape, r *hub.Request, body string, whole *hub.Answer) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(body), "", "\t"); err != nil {
		t.Fatal(err)
	}
	l := listen(caller, r)
	answer(host, r, l).whole(indented.String())
	if diff := cmp.Diff(compacted(whole), compacted(&l.answer)); diff != "" {
		t.Errorf("%s < %s: over many lines the answer says something else (+lines):\n%s", caller.Shape(), host.Shape(), diff)
	}
	if sent := l.whole(); !json.Valid(sent) {
		t.Errorf("%s < %s: of an answer over many lines comes no JSON:\n%s", caller.Shape(), host.Shape(), sent)
	}
	for _, document := range dataOf(caller.Shape(), string(l.sent)) {
		if !json.Valid([]byte(document)) {
			t.Errorf("%s < %s: of an answer over many lines comes an event that is cut:\n%s", caller.Shape(), host.Shape(), document)
		}
	}
}
