package messages_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"

	"github.com/google/go-cmp/cmp"
)

func blockOf(index, block string) string {
	return event(`{"type":"content_block_start","index":` + index + `,"content_block":` + block + `}`)
}

func deltaOf(index, delta string) string {
	return event(`{"type":"content_block_delta","index":` + index + `,"delta":` + delta + `}`)
}

func endOf(index string) string {
	return event(`{"type":"content_block_stop","index":` + index + `}`)
}

func reason(why string) string {
	return event(`{"type":"message_delta","delta":{"stop_reason":"`+why+`","stop_sequence":null},"usage":{"output_tokens":9}}`) + stop
}

// input returns the pieces of a tool's input.
func input(index string, pieces ...string) (deltas string) {
	for _, piece := range pieces {
		deltas += deltaOf(index, `{"type":"input_json_delta","partial_json":"`+piece+`"}`)
	}
	return deltas
}

// caught are tools of the request whose answers are read.
var caught = &hub.Request{Tools: []hub.Tool{
	{Name: hub.Text("f")}, {Name: hub.Text("g"), Namespace: hub.Text("ns")}, {Kind: hub.ToolCustom, Name: hub.Text("patch")},
}}

func said(kind hub.PartKind, words string) hub.Item {
	return hub.Item{Role: hub.RoleAssistant, Parts: []hub.Part{{Kind: kind, Text: hub.Text(words)}}}
}

func opaque(kind hub.OpaqueKind, data string) hub.Opaque {
	return hub.Opaque{Shape: "anthropic", Provider: "acme", Kind: kind, Data: hub.Text(data)}
}

func TestDecoder_ReadsStreams(t *testing.T) {
	custom := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("patch"), Custom: true}}
	patch := func(text string, cut bool) hub.Item {
		custom.Arguments, custom.Cut = hub.Text(text), cut
		if text == "" {
			custom.Arguments = nil
		}
		return custom
	}
	cut := call("c1", "f", `{"a":`)
	cut.Cut = true
	for name, test := range map[string]struct {
		stream string
		items  []hub.Item
		reason hub.Reason
	}{
		"text": {start(startUsage) + blockStart + ping + textDelta("a") + textDelta(`\n雨`) + blockStop + reason("end_turn"),
			[]hub.Item{said(hub.PartText, `a\n雨`)}, hub.ReasonStop},
		"text with its beginning": {blockOf("0", `{"type":"text","text":"a","citations":null}`) + textDelta("b") + endOf("0") + reason("stop_sequence"),
			[]hub.Item{said(hub.PartText, `ab`)}, hub.ReasonStopSequence},
		"no beginning": {textDelta("b") + reason("refusal"), []hub.Item{said(hub.PartText, `b`)}, hub.ReasonRefusal},
		"thoughts": {blockOf("0", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"h"}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"m"}`) +
			deltaOf("0", `{"type":"signature_delta","signature":"SI"}`) + deltaOf("0", `{"type":"signature_delta","signature":"G=="}`) + endOf("0") +
			blockOf("1", `{"type":"redacted_thinking","data":"RED"}`) + endOf("1") + blockOf("2", `{"type":"thinking","thinking":"","signature":"ONLY"}`) + endOf("2") + reason("pause_turn"),
			[]hub.Item{
				{Kind: hub.ItemReasoning, Text: hub.Text("hm"), Opaque: opaque(hub.OpaqueSignature, "SIG==")},
				{Kind: hub.ItemReasoning, Opaque: opaque(hub.OpaqueRedacted, "RED")},
				{Kind: hub.ItemReasoning, Opaque: opaque(hub.OpaqueSignature, "ONLY")},
			}, hub.ReasonPause},
		"parallel calls": {blockStart + textDelta("a") + blockStop +
			blockOf("1", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("1", ``, `{\"a\"`, `: [1,`, `2]}`) + endOf("1") +
			blockOf("2", `{"type":"tool_use","id":"c2","name":"ns__g","input":{}}`) + input("2", `{`, `}`) + endOf("2") + reason("tool_use"),
			[]hub.Item{said(hub.PartText, "a"), call("c1", "f", `{"a": [1,2]}`),
				{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("g"), Namespace: hub.Text("ns")}, Arguments: hub.Text(`{}`)}}, hub.ReasonCalls},
		"a call without input":          {blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("0", ``) + endOf("0") + reason("tool_use"), []hub.Item{call("c1", "f", "{}")}, hub.ReasonCalls},
		"a call whole in its beginning": {blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{"a":"\"雨\\"}}`) + endOf("0") + reason("tool_use"), []hub.Item{call("c1", "f", `{"a":"\"雨\\"}`)}, hub.ReasonCalls},
		"a call that is cut off":        {blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("0", `{\"a\":`) + endOf("0") + reason("max_tokens"), []hub.Item{cut}, hub.ReasonLength},
		"a custom call":                 {blockOf("0", `{"type":"tool_use","id":"c1","name":"patch","input":{}}`) + input("0", `{\"inp`, `ut\":\"x\\n\\\"y\\\"\"}`) + endOf("0") + reason("tool_use"), []hub.Item{patch(`x\n\"y\"`, false)}, hub.ReasonCalls},
		"a custom call, whole":          {blockOf("0", `{"type":"tool_use","id":"c1","name":"patch","input":{"input":"x\ny"}}`) + endOf("0") + reason("tool_use"), []hub.Item{patch(`x\ny`, false)}, hub.ReasonCalls},
		"a custom call, cut off":        {blockOf("0", `{"type":"tool_use","id":"c1","name":"patch","input":{}}`) + input("0", `{\"input\":\"x}`) + endOf("0") + reason("max_tokens"), []hub.Item{patch("", true)}, hub.ReasonLength},
		"tools of the provider": {blockOf("0", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`) + input("0", `{\"q\":1}`) + endOf("0") +
			blockOf("1", `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"text"}]}`) + endOf("1") +
			blockOf("2", `{"type":"text","text":""}`) + deltaOf("2", `{"type":"citations_delta","citation":{"cited_text":"c"}}`) + deltaOf("2", `{"type":"text_delta","text":"a"}`) + endOf("2") + reason("end_turn"),
			[]hub.Item{said(hub.PartText, "a")}, hub.ReasonStop},
		"a full context": {blockStart + textDelta("a") + blockStop + reason("model_context_window_exceeded"), []hub.Item{said(hub.PartText, "a")}, hub.ReasonLength},
		"what is new":    {event(`{"type":"surprise","delta":{"words":"a"}}`) + reason("whatever"), nil, hub.ReasonStop},
	} {
		t.Run(name, func(t *testing.T) {
			a := heard(t, caught, test.stream)
			if diff := cmp.Diff(test.items, a.Items); diff != "" {
				t.Error(diff)
			}
			if a.Reason != test.reason {
				t.Errorf("it ends for reason %d, want %d", a.Reason, test.reason)
			}
		})
	}
}

func TestDecoder_ReadsWholeAnswers(t *testing.T) {
	a := read(t, caught, `{"type":"message","stop_reason":"stop_sequence","stop_sequence":"E\n","content":[{"type":"thinking","thinking":"hm","signature":"SIG"},{"type":"redacted_thinking","data":"RED"},{"type":"text","text":"a\n"},`+
		"{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{\"b\":1,\n\"a\":9007199254740993}},"+`{"type":"tool_use","id":"c1","name":"patch","input":{"input":"x"}},{"type":"server_tool_use","name":"f","input":{}}]}`)
	want := []hub.Item{
		{Kind: hub.ItemReasoning, Text: hub.Text("hm"), Opaque: opaque(hub.OpaqueSignature, "SIG")},
		{Kind: hub.ItemReasoning, Opaque: opaque(hub.OpaqueRedacted, "RED")},
		said(hub.PartText, `a\n`),
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text(`{\"b\":1,\n\"a\":9007199254740993}`)},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("patch"), Custom: true}, Arguments: hub.Text("x")},
	}
	if diff := cmp.Diff(want, a.Items); diff != "" {
		t.Error(diff)
	}
	if a.Reason != hub.ReasonStopSequence || !a.StopSeq.Is("E\n") {
		t.Errorf("it ends for %v at %q", a.Reason, a.StopSeq)
	}
}

// TestDecoder_GivesTheAnswersToolBackAsText is for formats that a tool stands for.
func TestDecoder_GivesTheAnswersToolBackAsText(t *testing.T) {
	r := &hub.Request{Format: hub.Format{Kind: hub.FormatJSON}}
	begin := blockOf("0", `{"type":"tool_use","id":"c1","name":"json_output","input":{}}`)
	for name, test := range map[string]struct {
		a      *hub.Answer
		want   string
		reason hub.Reason
	}{
		"pieces":  {heard(t, r, begin+input("0", `{\"a\"`, `:\"\\n\"}`)+endOf("0")+reason("tool_use")), `{\"a\":\"\\n\"}`, hub.ReasonStop},
		"nothing": {heard(t, r, begin+endOf("0")+reason("tool_use")), `{}`, hub.ReasonStop},
		"cut off": {heard(t, r, begin+input("0", `{\"a\"`)+endOf("0")+reason("max_tokens")), `{\"a\"`, hub.ReasonLength},
		"whole":   {read(t, r, `{"content":[{"type":"tool_use","id":"c1","name":"json_output","input":{"a":"\n"}}],"stop_reason":"tool_use"}`), `{\"a\":\"\\n\"}`, hub.ReasonStop},
	} {
		if diff := cmp.Diff([]hub.Item{said(hub.PartText, test.want)}, test.a.Items); diff != "" || test.a.Reason != test.reason {
			t.Errorf("%s: %d, %s", name, test.a.Reason, diff)
		}
	}
}

func TestDecoder_ReadsPiecesOfAnySize(t *testing.T) {
	const arguments = `{\"a\":{\"b\":[true,null,1.5e3]},\"c\":\"\\u00e9\\\\ \\\"\"}`
	var pieces []string
	for i := 0; i < len(arguments); {
		n := 1
		if arguments[i] == '\\' {
			n = 2
		}
		pieces = append(pieces, arguments[i:i+n])
		i += n
	}
	begin := blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`)
	whole := heard(t, caught, begin+input("0", arguments)+endOf("0")+reason("tool_use"))
	bytewise := heard(t, caught, begin+input("0", pieces...)+endOf("0")+reason("tool_use"))
	if diff := cmp.Diff(whole, bytewise); diff != "" || whole.Items[0].Cut {
		t.Error(diff)
	}
}

func TestDecoder_SaysWhatIsWrong(t *testing.T) {
	d := messages.Hub{}.Decoder(caught, "")
	if err := d.Event(&wire.Event{HasData: true, Data: []byte(`{"type":`)}, &hub.Answer{}); err == nil {
		t.Error("an event that is no JSON is taken")
	}
	for _, body := range []string{``, `[]`, `"a"`, `{"content":[}`} {
		if err := d.Answer([]byte(body), &hub.Answer{}); err == nil {
			t.Errorf("%s is taken", body)
		}
	}
}

func TestDecoder_BoundsWhatItKeeps(t *testing.T) {
	d := messages.Hub{}.Decoder(caught, "")
	a := &hub.Answer{}
	streamed(t, d, a, blockOf("0", `{"type":"thinking","thinking":"","signature":""}`)+blockOf("1", `{"type":"tool_use","id":"c","name":"patch","input":{}}`))
	half := strings.Repeat("a", hub.MostHeld/2+1)
	for _, delta := range []string{
		`{"index":0,"type":"content_block_delta","delta":{"type":"signature_delta","signature":"` + half + `"}}`,
		`{"index":1,"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"` + half + `"}}`,
	} {
		event := &wire.Event{HasData: true, Data: slices.Clone([]byte(delta))}
		if err := d.Event(event, a); err != nil {
			t.Error(err)
		}
		if err := d.Event(event, a); err == nil {
			t.Error("more than 16 MiB are kept")
		}
	}
}
