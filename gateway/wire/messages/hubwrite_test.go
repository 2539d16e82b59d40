package messages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"

	"github.com/google/go-cmp/cmp"
)

func delta(of hub.PartKind, part int, words string) hub.Event {
	return hub.Event{Kind: hub.EventDelta, Of: of, Part: part, Text: hub.Text(words)}
}

func begin(part int, id, name string) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: part, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}}
}

func keeps(of hub.PartKind, part int, o hub.Opaque) hub.Event {
	return hub.Event{Kind: hub.EventOpaque, Of: of, Part: part, Opaque: o}
}

func ends(why hub.Reason) hub.Event { return hub.Event{Kind: hub.EventFinish, Reason: why} }

func TestEncoder_WritesAnswers(t *testing.T) {
	custom := begin(0, "c1", "patch")
	custom.Call.Custom = true
	gemini := hub.Opaque{Shape: "gemini", Provider: "g", Data: hub.Text("GS")}
	sealed := gemini
	sealed.ID = hub.Text("c1")
	encrypted := hub.Opaque{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("ENC")}
	stopped := ends(hub.ReasonStopSequence)
	stopped.StopSeq = hub.Text(`E\n`)
	for name, test := range map[string]struct {
		events []hub.Event
		blocks string // of the stream, without what begins and ends it
		whole  string // the content of the whole message
		reason string
	}{
		"nothing": {nil, "", `[]`, `"stop_reason":"end_turn","stop_sequence":null`},
		"text": {[]hub.Event{delta(hub.PartText, 0, "a"), delta(hub.PartText, 0, `\n雨`), stopped},
			blockStart + textDelta("a") + textDelta(`\n雨`) + endOf("0"), `[{"type":"text","text":"a\n雨"}]`, `"stop_reason":"stop_sequence","stop_sequence":"E\n"`},
		"white space": {[]hub.Event{delta(hub.PartText, 0, `\n`), delta(hub.PartText, 0, `\n `), begin(0, "c1", "f"), delta(hub.PartCall, 0, `{}`), ends(hub.ReasonStop)},
			blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("0", `{}`) + endOf("0"), `[{"type":"tool_use","id":"c1","name":"f","input":{}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"white space before words": {[]hub.Event{delta(hub.PartText, 0, `\n`), delta(hub.PartText, 0, ` a`), delta(hub.PartText, 0, ` `), ends(hub.ReasonLength)},
			blockStart + textDelta(`\n a`) + textDelta(" ") + endOf("0"), `[{"type":"text","text":"\n a "}]`, `"stop_reason":"max_tokens","stop_sequence":null`},
		"a refusal": {[]hub.Event{delta(hub.PartRefusal, 0, "no"), ends(hub.ReasonRefusal)}, blockStart + textDelta("no") + endOf("0"), `[{"type":"text","text":"no"}]`, `"stop_reason":"refusal","stop_sequence":null`},
		"a filter":  {[]hub.Event{ends(hub.ReasonFilter)}, "", `[]`, `"stop_reason":"refusal","stop_sequence":null`},
		"a pause":   {[]hub.Event{ends(hub.ReasonPause)}, "", `[]`, `"stop_reason":"pause_turn","stop_sequence":null`},
		"an unsigned thought": {[]hub.Event{delta(hub.PartReasoning, 0, "h"), delta(hub.PartReasoning, 0, "m"), delta(hub.PartText, 0, "a")},
			blockOf("0", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"h"}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"m"}`) + deltaOf("0", `{"type":"signature_delta","signature":"`+unsigned+`"}`) + endOf("0") +
				blockOf("1", `{"type":"text","text":""}`) + deltaOf("1", `{"type":"text_delta","text":"a"}`) + endOf("1"),
			`[{"type":"thinking","thinking":"hm","signature":"` + unsigned + `"},{"type":"text","text":"a"}]`, `"stop_reason":"end_turn","stop_sequence":null`},
		"own signatures": {[]hub.Event{delta(hub.PartReasoning, 0, "hm"), keeps(hub.PartReasoning, 0, opaque(hub.OpaqueSignature, "SIG==")), {Kind: hub.EventPartEnd, Of: hub.PartReasoning},
			keeps(hub.PartReasoning, 1, opaque(hub.OpaqueRedacted, "RED")), {Kind: hub.EventPartEnd, Of: hub.PartReasoning, Part: 1}, keeps(hub.PartReasoning, 2, opaque(hub.OpaqueSignature, "ONLY"))},
			blockOf("0", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"hm"}`) + deltaOf("0", `{"type":"signature_delta","signature":"SIG=="}`) + endOf("0") +
				blockOf("1", `{"type":"redacted_thinking","data":"RED"}`) + endOf("1") +
				blockOf("2", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("2", `{"type":"signature_delta","signature":"ONLY"}`) + endOf("2"),
			`[{"type":"thinking","thinking":"hm","signature":"SIG=="},{"type":"redacted_thinking","data":"RED"},{"type":"thinking","thinking":"","signature":"ONLY"}]`, `"stop_reason":"end_turn","stop_sequence":null`},
		"foreign signatures": {[]hub.Event{delta(hub.PartReasoning, 0, "hm"), keeps(hub.PartReasoning, 0, encrypted), {Kind: hub.EventPartEnd, Of: hub.PartReasoning}, keeps(hub.PartReasoning, 1, encrypted)},
			blockOf("0", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"hm"}`) + deltaOf("0", `{"type":"signature_delta","signature":"`+string(encrypted.Seal())+`"}`) + endOf("0") +
				blockOf("1", `{"type":"redacted_thinking","data":"`+string(encrypted.Seal())+`"}`) + endOf("1"),
			`[{"type":"thinking","thinking":"hm","signature":"` + string(encrypted.Seal()) + `"},{"type":"redacted_thinking","data":"` + string(encrypted.Seal()) + `"}]`, `"stop_reason":"end_turn","stop_sequence":null`},
		"a signed call": {[]hub.Event{begin(0, "c1", "f"), keeps(hub.PartCall, 0, gemini), delta(hub.PartCall, 0, `{\"a\":1}`)},
			blockOf("0", `{"type":"redacted_thinking","data":"`+string(sealed.Seal())+`"}`) + endOf("0") + blockOf("1", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("1", `{\"a\":1}`) + endOf("1"),
			`[{"type":"redacted_thinking","data":"` + string(sealed.Seal()) + `"},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"calls whose pieces interleave": {[]hub.Event{begin(0, "c1", "f"), delta(hub.PartCall, 0, `{\"a\"`), begin(1, "", "g"), delta(hub.PartCall, 1, `{}`), delta(hub.PartCall, 0, `:1}`), ends(hub.ReasonStop)},
			blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("0", `{\"a\"`, `:1}`) + endOf("0") + blockOf("1", `{"type":"tool_use","id":"call_1_2","name":"g","input":{}}`) + input("1", `{}`) + endOf("1"),
			`[{"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"tool_use","id":"call_1_2","name":"g","input":{}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"a call whose id Anthropic refuses": {[]hub.Event{begin(0, "f:0", "f"), delta(hub.PartCall, 0, `{}`), begin(1, "f:1", "f"), delta(hub.PartCall, 1, `{}`)},
			marked + blockOf("1", `{"type":"tool_use","id":"f:0","name":"f","input":{}}`) + input("1", `{}`) + endOf("1") + blockOf("2", `{"type":"tool_use","id":"f:1","name":"f","input":{}}`) + input("2", `{}`) + endOf("2"),
			`[{"type":"redacted_thinking","data":"` + unsigned + `"},{"type":"tool_use","id":"f:0","name":"f","input":{}},{"type":"tool_use","id":"f:1","name":"f","input":{}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"a call without arguments": {[]hub.Event{begin(0, "c1", "f"), {Kind: hub.EventPartEnd, Of: hub.PartCall}}, blockOf("0", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("0", `{}`) + endOf("0"),
			`[{"type":"tool_use","id":"c1","name":"f","input":{}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"a custom call": {[]hub.Event{custom, delta(hub.PartCall, 0, `a\n`), delta(hub.PartCall, 0, `\"雨\"\\`)},
			blockOf("0", `{"type":"tool_use","id":"c1","name":"patch","input":{}}`) + input("0", `{\"input\":\"`, `a\\n`, `\\\"雨\\\"\\\\`, `\"}`) + endOf("0"),
			`[{"type":"tool_use","id":"c1","name":"patch","input":{"input":"a\n\"雨\"\\"}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"a custom call of nothing": {[]hub.Event{custom}, blockOf("0", `{"type":"tool_use","id":"c1","name":"patch","input":{}}`) + input("0", `{\"input\":\"`, `\"}`) + endOf("0"),
			`[{"type":"tool_use","id":"c1","name":"patch","input":{"input":""}}]`, `"stop_reason":"tool_use","stop_sequence":null`},
		"a call that is cut off": {[]hub.Event{delta(hub.PartText, 0, "a"), begin(1, "c1", "f"), delta(hub.PartCall, 1, `{\"a\":`), ends(hub.ReasonLength)},
			blockStart + textDelta("a") + endOf("0") + blockOf("1", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("1", `{\"a\":`) + endOf("1"),
			`[{"type":"text","text":"a"}]`, `"stop_reason":"max_tokens","stop_sequence":null`},
		"a call that has hardly begun": {[]hub.Event{begin(1, "c1", "f"), ends(hub.ReasonLength)}, "", `[]`, `"stop_reason":"max_tokens","stop_sequence":null`},
		"media": {[]hub.Event{{Kind: hub.EventPart, Of: hub.PartImage, Media: hub.Part{Kind: hub.PartImage, Data: hub.Text("QUJD")}}, delta(hub.PartText, 1, "a")}, blockStart + textDelta("a") + endOf("0"),
			`[{"type":"text","text":"a"}]`, `"stop_reason":"end_turn","stop_sequence":null`},
	} {
		t.Run(name, func(t *testing.T) {
			u := &wire.Usage{Input: 1, CacheRead: 2, CacheCreation: 3, Output: 4}
			const usage = `{"input_tokens":1,"cache_creation_input_tokens":3,"cache_read_input_tokens":2,"output_tokens":4}`
			stream, whole := told(t, u, test.events...)
			want := strings.Replace(start(`{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`), `"acme-m"`, `"asked/for"`, 1) + test.blocks +
				event(`{"type":"message_delta","delta":{`+test.reason+`},"usage":`+usage+`}`) + stop
			if diff := cmp.Diff(want, stream); diff != "" {
				t.Errorf("the stream (-want +got):\n%s", diff)
			}
			want = `{"id":"msg_1","type":"message","role":"assistant","model":"asked/for","content":` + test.whole + `,` + test.reason + `,"usage":` + usage + `}`
			if diff := cmp.Diff(want, whole); diff != "" {
				t.Errorf("the message (-want +got):\n%s", diff)
			}
			if !json.Valid([]byte(whole)) {
				t.Error("it is no JSON")
			}
		})
	}
}

// TestEncoder_SealsALateSignatureBehindItsCall: what has been written cannot be
// preceded, and is found again all the same.
func TestEncoder_SealsALateSignatureBehindItsCall(t *testing.T) {
	o := hub.Opaque{Shape: "gemini", ID: hub.Text("c1"), Data: hub.Text("GS")}
	stream, _ := told(t, nil, begin(0, "c1", "f"), delta(hub.PartCall, 0, `{}`), keeps(hub.PartCall, 0, o))
	want := endOf("0") + blockOf("1", `{"type":"redacted_thinking","data":"`+string(o.Seal())+`"}`) + endOf("1")
	if !strings.Contains(stream, want) {
		t.Errorf("%s", stream)
	}
}

func TestEncoder_TellsUsage(t *testing.T) {
	e := messages.Hub{}.Encoder(reply)
	begun := string(e.Append(nil, hub.Event{Kind: hub.EventStart, Usage: &wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993}}))
	if want := `"usage":{"input_tokens":7,"cache_creation_input_tokens":993,"cache_read_input_tokens":9000,"output_tokens":0}`; !strings.Contains(begun, want) {
		t.Errorf("%s", begun)
	}
	done := string(e.Append(nil, hub.Event{Kind: hub.EventFinish, Usage: &wire.Usage{Output: 20, Reasoning: 5}}))
	if want := `"output_tokens":20,"output_tokens_details":{"thinking_tokens":5}}`; !strings.Contains(done, want) {
		t.Errorf("%s", done)
	}
}

// TestShape_KeepsAnswers sends an answer of the shape through the hub to a caller of
// the shape: what it says is the same, streamed and whole.
func TestShape_KeepsAnswers(t *testing.T) {
	stream := start(startUsage) + blockOf("0", `{"type":"thinking","thinking":"","signature":""}`) + deltaOf("0", `{"type":"thinking_delta","thinking":"h\u006d"}`) +
		deltaOf("0", `{"type":"signature_delta","signature":"SIG=="}`) + endOf("0") + blockOf("1", `{"type":"text","text":""}`)
	for i := range 3 {
		stream += deltaOf("1", fmt.Sprintf(`{"type":"text_delta","text":" %d\ud83d\ude00"}`, i))
	}
	stream += endOf("1") + blockOf("2", `{"type":"tool_use","id":"c1","name":"f","input":{}}`) + input("2", `{\"a\"`, `:1}`) + endOf("2") + reason("tool_use")
	c := &caller{enc: messages.Hub{}.Encoder(reply)}
	s := hub.NewSequence(c, "1")
	streamed(t, messages.Hub{}.Decoder(caught, "acme"), s, stream)
	s.Finish(nil)
	first := heard(t, caught, stream)
	if diff := cmp.Diff(first.Items, heard(t, caught, string(c.out)).Items); diff != "" {
		t.Errorf("the stream says something else: %s", diff)
	}
	whole := messages.Hub{}.Encoder(reply).AppendAnswer(nil, first)
	if diff := cmp.Diff(first.Items, read(t, caught, string(whole)).Items); diff != "" {
		t.Errorf("the message says something else: %s", diff)
	}
}

// TestThoughts_GoBackToWhereTheyCameFrom is a loop of two turns with tools.
func TestThoughts_GoBackToWhereTheyCameFrom(t *testing.T) {
	const turn = `[{"type":"thinking","thinking":"t","signature":"SIG=="},{"type":"redacted_thinking","data":"RED"},{"type":"tool_use","id":"c1","name":"f","input":{}}]`
	body := `[{"role":"user","content":"hi"},{"role":"assistant","content":` + turn + `},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}]`
	r := asked(t, body, `"tools":[{"name":"f","input_schema":{"type":"object"}}],"thinking":{"type":"enabled","budget_tokens":2000}`)
	up := sent(t, r, to)
	sameJSON(t, "the turn", up["messages"].([]any)[1], `{"role":"assistant","content":`+turn+`}`)
	sameJSON(t, "thinking", up["thinking"], `{"type":"enabled","budget_tokens":2000}`)

	unsigned := asked(t, strings.Replace(body, "SIG==", "", 1))
	sameJSON(t, "the turn", sent(t, unsigned, to)["messages"].([]any)[1], `{"role":"assistant","content":[{"type":"redacted_thinking","data":"RED"},{"type":"tool_use","id":"c1","name":"f","input":{}}]}`)
}
