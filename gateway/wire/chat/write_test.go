package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

func reply(usage bool) *hub.Reply {
	return &hub.Reply{ID: "01", Model: `my "model"`, Created: 1700000000, Request: &hub.Request{WantsUsage: usage}}
}

// stream writes the events of a sequence.
type stream struct {
	encoder hub.Encoder
	out     []byte
}

func (s *stream) Event(e hub.Event) { s.out = s.encoder.Append(s.out, e) }

// streamOf tells an answer as a stream.
func streamOf(a *hub.Answer) string {
	s := &stream{encoder: chat.Hub{}.Encoder(reply(true))}
	seq := hub.NewSequence(s, "01")
	for i := range a.Items {
		tellItem(seq, &a.Items[i], i)
	}
	seq.Event(hub.Event{Kind: hub.EventFinish, Reason: a.Reason})
	seq.Finish(&a.Usage)
	return string(s.out)
}

func tellItem(to hub.Sink, item *hub.Item, n int) {
	of, text := hub.PartReasoning, item.Text
	switch item.Kind {
	case hub.ItemCall:
		of, text = hub.PartCall, item.Arguments
		to.Event(hub.Event{Kind: hub.EventPart, Of: of, Part: n, Call: item.Call})
	case hub.ItemMessage:
		of, text = item.Parts[0].Kind, item.Parts[0].Text
		if of != hub.PartText && of != hub.PartRefusal {
			to.Event(hub.Event{Kind: hub.EventPart, Of: of, Part: n, Media: item.Parts[0]})
			return
		}
	}
	for _, r := range text.String() {
		to.Event(hub.Event{Kind: hub.EventDelta, Of: of, Part: n, Text: hub.Quote(string(r))})
	}
	if item.Opaque.Present() {
		to.Event(hub.Event{Kind: hub.EventOpaque, Of: of, Part: n, Opaque: item.Opaque})
	}
}

// messageOf writes an answer whole and returns its message.
func messageOf(tb testing.TB, a *hub.Answer) string {
	tb.Helper()
	var whole struct {
		Choices []struct{ Message json.RawMessage }
	}
	body := chat.Hub{}.Encoder(reply(true)).AppendAnswer(nil, a)
	if err := json.Unmarshal(body, &whole); err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return string(whole.Choices[0].Message)
}

const identity = `{"id":"chatcmpl-01","object":"chat.completion.chunk","created":1700000000,"model":"my \"model\"","choices":`

func chunks(usage string, deltas ...string) string {
	var b strings.Builder
	for i, d := range deltas {
		reason := "null"
		if i == len(deltas)-1 {
			d, reason = "", `"`+d+`"`
		}
		b.WriteString(`data: ` + identity + `[{"index":0,"delta":{` + d + `},"finish_reason":` + reason + "}]}\n\n")
	}
	if usage != "" {
		b.WriteString(`data: ` + identity + `[],"usage":` + usage + "}\n\n")
	}
	return b.String() + "data: [DONE]\n\n"
}

const begins = `"role":"assistant","content":""`

func TestAppend_WritesChunks(t *testing.T) {
	call := func(id string, custom bool) hub.Event {
		return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text("f"), Namespace: hub.Text("n"), Custom: custom}}
	}
	delta := func(of hub.PartKind, s string) hub.Event {
		return hub.Event{Kind: hub.EventDelta, Of: of, Text: hub.Text(s)}
	}
	for name, test := range map[string]struct {
		events []hub.Event
		want   string
	}{
		"text": {
			[]hub.Event{delta(hub.PartText, `a\n`), delta(hub.PartText, "b")},
			chunks("", begins, `"content":"a\n"`, `"content":"b"`, "stop"),
		},
		"thoughts, then text": {
			[]hub.Event{delta(hub.PartReasoning, "hm"), delta(hub.PartText, "a"), {Kind: hub.EventFinish, Reason: hub.ReasonLength}},
			chunks("", begins, `"reasoning_content":"hm"`, `"content":"a"`, unsigned, "length"),
		},
		"a refusal": {
			[]hub.Event{delta(hub.PartRefusal, "no"), {Kind: hub.EventFinish, Reason: hub.ReasonRefusal}},
			chunks("", begins, `"refusal":"no"`, "stop"),
		},
		"what was refused without a word": {
			[]hub.Event{{Kind: hub.EventFinish, Reason: hub.ReasonRefusal}}, chunks("", begins, "content_filter"),
		},
		"what was filtered": {
			[]hub.Event{{Kind: hub.EventFinish, Reason: hub.ReasonFilter}}, chunks("", begins, "content_filter"),
		},
		"what was paused": {
			[]hub.Event{{Kind: hub.EventFinish, Reason: hub.ReasonPause}}, chunks("", begins, "length"),
		},
		"calls, counted without the text before them": {
			[]hub.Event{
				delta(hub.PartText, "a"), call("x", false), delta(hub.PartCall, `{\"a\"`), delta(hub.PartCall, `:1}`), {Kind: hub.EventPartEnd, Of: hub.PartCall},
				call("y", true), delta(hub.PartCall, "raw"),
			},
			chunks("", begins, `"content":"a"`,
				`"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"n__f","arguments":""}}]`,
				`"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]`, `"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`,
				`"tool_calls":[{"index":1,"id":"y","type":"custom","custom":{"name":"n__f","input":""}}]`,
				`"tool_calls":[{"index":1,"custom":{"input":"raw"}}]`, "tool_calls"),
		},
		"media, and what belongs to a text": {
			[]hub.Event{
				{Kind: hub.EventPart, Of: hub.PartImage, Media: hub.Part{Data: hub.Text("AA==")}}, delta(hub.PartText, "a"),
				{Kind: hub.EventOpaque, Opaque: hub.Opaque{Shape: "gemini", Data: hub.Text("s")}},
			},
			chunks("", begins, `"content":"a"`, "stop"),
		},
	} {
		s := &stream{encoder: chat.Hub{}.Encoder(reply(false))}
		seq := hub.NewSequence(s, "01")
		for _, e := range test.events {
			seq.Event(e)
		}
		seq.Finish(&wire.Usage{Output: 1})
		if got := string(s.out); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// Of 7 new tokens, 9000 read from a cache and 993 written to it the prompt is 10000.
func TestUsage_CountsCachedTokensWithinThePrompt(t *testing.T) {
	u := wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993, Output: 20, Reasoning: 5}
	const want = `{"prompt_tokens":10000,"completion_tokens":20,"total_tokens":10020,` +
		`"prompt_tokens_details":{"cached_tokens":9000,"cache_write_tokens":993},"completion_tokens_details":{"reasoning_tokens":5}}`
	a := &hub.Answer{Usage: u, Reason: hub.ReasonStop}
	if got := streamOf(a); got != chunks(want, begins, "stop") {
		t.Errorf("streamed %s", got)
	}
	whole := string(chat.Hub{}.Encoder(reply(false)).AppendAnswer(nil, a))
	equal(t, "whole", whole, `{"id":"chatcmpl-01","object":"chat.completion","created":1700000000,"model":"my \"model\"",
		"choices":[{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":`+want+`}`)
	var tap wire.Tap
	if kind := (chat.Codec{}).ReadAnswer(&tap, []byte(whole)); kind != wire.Content || tap.Usage.Prompt() != 10000 || tap.Usage.CacheCreation != 993 || tap.Usage.Reasoning != 5 {
		t.Errorf("read again %v %+v", kind, tap.Usage)
	}
}

func TestAppendAnswer_WritesMessages(t *testing.T) {
	said := func(kind hub.PartKind, s string) hub.Item {
		return hub.Item{Role: hub.RoleAssistant, Parts: []hub.Part{{Kind: kind, Text: hub.Text(s)}}}
	}
	call := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("x"), Name: hub.Text("f")}, Arguments: hub.Text(`{\"a\":`), Cut: true}
	free := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("y"), Name: hub.Text("g"), Custom: true}, Arguments: hub.Text("raw")}
	for name, test := range map[string]struct {
		items   []hub.Item
		reason  hub.Reason
		message string
		finish  string
	}{
		"nothing":   {nil, hub.ReasonStop, `"content":"","refusal":null`, "stop"},
		"texts":     {[]hub.Item{said(hub.PartText, "a"), said(hub.PartImage, ""), said(hub.PartText, `\u00e9`)}, hub.ReasonStop, `"content":"aé","refusal":null`, "stop"},
		"a refusal": {[]hub.Item{said(hub.PartRefusal, "no")}, hub.ReasonRefusal, `"content":null,"refusal":"no"`, "stop"},
		"thoughts":  {[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("hm")}, said(hub.PartText, "a")}, hub.ReasonStopSequence, `"content":"a","refusal":null,"reasoning_content":"hm",` + unsigned, "stop"},
		"calls": {
			[]hub.Item{call, free}, hub.ReasonLength,
			`"content":null,"refusal":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":"}},{"id":"y","type":"custom","custom":{"name":"g","input":"raw"}}]`,
			"length",
		},
	} {
		body := string(chat.Hub{}.Encoder(reply(false)).AppendAnswer(nil, &hub.Answer{Items: test.items, Reason: test.reason}))
		equal(t, name, body, `{"id":"chatcmpl-01","object":"chat.completion","created":1700000000,"model":"my \"model\"",
			"choices":[{"index":0,"message":{"role":"assistant",`+test.message+`},"logprobs":null,"finish_reason":"`+test.finish+`"}],
			"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`)
	}
}
