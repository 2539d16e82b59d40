package responses_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

func said(s string) hub.Item { return hub.Item{Role: hub.RoleAssistant, Parts: text(s)} }

func thought(s, data string) hub.Item {
	i := hub.Item{Kind: hub.ItemReasoning, Text: hub.Text(s)}
	if data != "" {
		i.Opaque = hub.Opaque{Shape: "openai_responses", Provider: "openai", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text(data)}
	}
	return i
}

// item is an item of an upstream's output at an index, in the events around it.
func item(index, members, events string) string {
	return named("response.output_item.added", `,"output_index":`+index+`,"item":{`+strings.NewReplacer(`"arguments":"{\"a\":1}"`, `"arguments":""`, `"encrypted_content":"ENC",`, "").Replace(members)+`}`) +
		events + named("response.output_item.done", `,"output_index":`+index+`,"item":{`+members+`}`)
}

const (
	reasoned = `"id":"rs_1","type":"reasoning","encrypted_content":"ENC","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}]`
	message  = `"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"hi \"you\""}]`
	called   = `"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"`
	patched  = `"id":"ctc_1","type":"custom_tool_call","status":"completed","call_id":"call_2","name":"p","namespace":"ns","input":"*** x"`
	searched = `"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"x"}`
)

var (
	thoughts = named("response.reasoning_summary_part.added", `,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`) +
		named("response.reasoning_summary_text.delta", `,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"o"`) +
		named("response.reasoning_summary_text.delta", `,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"ne","obfuscation":"x"`) +
		named("response.reasoning_summary_text.done", `,"item_id":"rs_1","output_index":0,"summary_index":0,"text":"one"`) +
		named("response.reasoning_summary_text.delta", `,"item_id":"rs_1","output_index":0,"summary_index":1,"delta":"two"`)
	words = named("response.content_part.added", `,"item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}`) +
		named("response.output_text.delta", `,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"hi ","logprobs":[]`) +
		named("response.output_text.delta", `,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"\"you\""`) +
		named("response.output_text.done", `,"item_id":"msg_1","output_index":1,"content_index":0,"text":"hi \"you\""`)
	arguments = named("response.function_call_arguments.delta", `,"item_id":"fc_1","output_index":2,"delta":"{\"a\""`) +
		named("response.function_call_arguments.delta", `,"item_id":"fc_1","output_index":2,"delta":":1}"`) +
		named("response.function_call_arguments.done", `,"item_id":"fc_1","output_index":2,"arguments":"{\"a\":1}"`)
	patch = named("response.custom_tool_call_input.delta", `,"item_id":"ctc_1","output_index":3,"delta":"*** "`) +
		named("response.custom_tool_call_input.delta", `,"item_id":"ctc_1","output_index":3,"delta":"x"`)
	output    = `[{` + reasoned + `},{` + message + `},{` + called + `},{` + patched + `},{` + searched + `}]`
	completed = named("response.completed", `,"response":{"id":"resp_1","status":"completed","incomplete_details":null,"output":`+output+`}`)
	all4      = []hub.Item{
		thought(`one\n\ntwo`, "ENC"), said(`hi \"you\"`),
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("call_1"), Name: hub.Text("f")}, Arguments: hub.Text(`{\"a\":1}`)},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("call_2"), Name: hub.Text("p"), Namespace: hub.Text("ns"), Custom: true}, Arguments: hub.Text("*** x")},
	}
)

// TestEvent_ReadsTheSameHoweverMuchIsStreamed: the end of an item holds what its
// events have not told, the end of the response what no item has.
func TestEvent_ReadsTheSameHoweverMuchIsStreamed(t *testing.T) {
	for name, stream := range map[string]string{
		"in pieces":         item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) + item("4", searched, "") + completed + "data: [DONE]\n\n",
		"item by item":      item("0", reasoned, "") + item("1", message, "") + item("2", called, "") + item("3", patched, "") + completed,
		"ends alone":        named("response.output_item.done", `,"output_index":0,"item":{`+reasoned+`}`) + named("response.output_item.done", `,"output_index":1,"item":{`+message+`}`) + named("response.output_item.done", `,"output_index":2,"item":{`+called+`}`) + named("response.output_item.done", `,"output_index":3,"item":{`+patched+`}`) + completed,
		"at the end alone":  completed,
		"without its names": dataOnly(item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) + completed),
		"nothing at the end": item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) +
			named("response.completed", `,"response":{"status":"completed","output":[]}`),
		"fewer at the end": item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) +
			named("response.completed", `,"response":{"status":"completed","output":[{`+message+`},{`+patched+`}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			got := played(t, &hub.Request{}, stream)
			if diff := cmp.Diff(all4, got.Items, cmpopts.EquateEmpty()); diff != "" || got.Reason != hub.ReasonCalls {
				t.Errorf("reason %d\n%s", got.Reason, diff)
			}
		})
	}
}

func TestAnswer_ReadsWholeResponses(t *testing.T) {
	got := whole(t, `{"id":"resp_1","object":"response","status":"completed","error":null,"output":`+output+`,"usage":null}`)
	if diff := cmp.Diff(all4, got.Items, cmpopts.EquateEmpty()); diff != "" || got.Reason != hub.ReasonCalls {
		t.Errorf("reason %d\n%s", got.Reason, diff)
	}
	for _, body := range []string{`[]`, `{"output":[`, `"x"`} {
		if err := (responses.Hub{}).Decoder(nil, "").Answer([]byte(body), &hub.Answer{}); err == nil {
			t.Errorf("%s is an answer", body)
		}
	}
}

// TestEvent_ReadsPiecesOfItemsThatHaveNotBegun is what servers send that know
// pieces and the end alone.
func TestEvent_ReadsPiecesOfItemsThatHaveNotBegun(t *testing.T) {
	end := named("response.completed", `,"response":{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"one"}]},{`+message+`},{`+called+`}]}`)
	got := played(t, &hub.Request{}, thoughts+words+arguments+end)
	want := []hub.Item{thought(`one\n\ntwo`, ""), all4[1], all4[2]}
	if diff := cmp.Diff(want, got.Items, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestEvent_ReadsArgumentsByteByByte cuts them everywhere, within escapes too.
func TestEvent_ReadsArgumentsByteByByte(t *testing.T) {
	var pieces strings.Builder
	for _, piece := range []string{`{`, `\"`, `a`, `\"`, `:`, `1`, `}`} {
		pieces.WriteString(named("response.function_call_arguments.delta", `,"output_index":0,"delta":"`+piece+`"`))
	}
	got := played(t, &hub.Request{}, item("0", called, pieces.String())+named("response.completed", `,"response":{"status":"completed"}`))
	if diff := cmp.Diff(all4[2:3], got.Items, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestEvent_TakesParallelCallsApart: their pieces come in turns.
func TestEvent_TakesParallelCallsApart(t *testing.T) {
	second := strings.NewReplacer("fc_1", "fc_2", "call_1", "call_9", `"f"`, `"g"`).Replace(called)
	begin := func(index, members string) string {
		return named("response.output_item.added", `,"output_index":`+index+`,"item":{`+strings.Replace(members, `"{\"a\":1}"`, `""`, 1)+`}`)
	}
	piece := func(index, text string) string {
		return named("response.function_call_arguments.delta", `,"output_index":`+index+`,"delta":"`+text+`"`)
	}
	stream := begin("0", called) + begin("1", second) + piece("0", `{\"a\"`) + piece("1", `{\"a\"`) + piece("0", `:1}`) + piece("1", `:1}`) +
		named("response.output_item.done", `,"output_index":0,"item":{`+called+`}`) + named("response.output_item.done", `,"output_index":1,"item":{`+second+`}`) +
		named("response.completed", `,"response":{"status":"completed","output":[{`+called+`},{`+second+`}]}`)
	got := played(t, &hub.Request{}, stream)
	if len(got.Items) != 2 || string(got.Items[0].Arguments) != `{\"a\":1}` || string(got.Items[1].Arguments) != `{\"a\":1}` || got.Items[1].Call.ID.String() != "call_9" {
		t.Errorf("items are %+v", got.Items)
	}
}

// TestEvent_ReadsWhatWasThought: some servers tell it beside a summary, or instead.
func TestEvent_ReadsWhatWasThought(t *testing.T) {
	raw := named("response.reasoning_text.delta", `,"item_id":"rs_1","output_index":0,"content_index":0,"delta":"raw"`)
	summary := named("response.reasoning_summary_text.delta", `,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"sum"`)
	inside := `"id":"rs_1","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"raw"}]`
	for stream, want := range map[string]hub.Item{
		item("0", inside, raw): thought("raw", ""), item("0", inside, ""): thought("raw", ""), raw + raw: thought("rawraw", ""),
		raw + summary: thought("raw", ""), summary + raw: thought("sum", ""),
		item("0", `"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"ENC"`, ""): thought("", "ENC"),
	} {
		got := played(t, &hub.Request{}, stream+named("response.completed", `,"response":{"status":"completed"}`))
		if diff := cmp.Diff([]hub.Item{want}, got.Items, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n%s", stream, diff)
		}
	}
}

func TestEvent_ReadsRefusals(t *testing.T) {
	refusing := `"id":"msg_1","type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]`
	want := []hub.Item{{Role: hub.RoleAssistant, Parts: []hub.Part{{Kind: hub.PartRefusal, Text: hub.Text("no")}}}}
	for _, events := range []string{"", named("response.refusal.delta", `,"output_index":0,"content_index":0,"delta":"no"`)} {
		got := played(t, &hub.Request{}, item("0", refusing, events)+named("response.completed", `,"response":{"status":"completed"}`))
		if diff := cmp.Diff(want, got.Items, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestEvent_TellsWhyTheAnswerEnds(t *testing.T) {
	for response, want := range map[string]hub.Reason{
		`{"status":"completed","output":[{` + message + `}]}`:                                                      hub.ReasonStop,
		`{"status":"completed","output":[{` + called + `}]}`:                                                       hub.ReasonCalls,
		`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{` + message + `}]}`: hub.ReasonLength,
		`{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`:                     hub.ReasonFilter,
		`{"status":"incomplete","output":[]}`:                                                                      hub.ReasonLength,
		`{"status":"cancelled"}`:                                                                                   hub.ReasonLength,
	} {
		streamed, read := played(t, &hub.Request{}, named("response.completed", `,"response":`+response)), whole(t, response)
		if streamed.Reason != want || read.Reason != want {
			t.Errorf("%s: streamed %d, whole %d", response, streamed.Reason, read.Reason)
		}
	}
}

// TestEvent_NeverClosesACutCallAsAWholeOne has the call end within its arguments,
// or before them.
func TestEvent_NeverClosesACutCallAsAWholeOne(t *testing.T) {
	end := named("response.incomplete", `,"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`)
	for _, partial := range []string{`{\"a\"`, ``} {
		cut := `"id":"fc_1","type":"function_call","status":"incomplete","call_id":"call_1","name":"f","arguments":"` + partial + `"`
		got := played(t, &hub.Request{}, item("0", cut, "")+end)
		if len(got.Items) != 1 || !got.Items[0].Cut || string(got.Items[0].Arguments) != partial || got.Reason != hub.ReasonLength {
			t.Errorf("%q: items %+v, reason %d", partial, got.Items, got.Reason)
		}
	}
}

// TestEvent_TellsACustomCallAsCut, whose text does not show it.
func TestEvent_TellsACustomCallAsCut(t *testing.T) {
	cut := strings.Replace(patched, "completed", "incomplete", 1)
	got := played(t, &hub.Request{}, item("0", cut, "")+named("response.incomplete", `,"response":{"status":"incomplete"}`))
	if len(got.Items) != 1 || !got.Items[0].Cut || got.Reason != hub.ReasonLength {
		t.Errorf("items %+v, reason %d", got.Items, got.Reason)
	}
}

func TestEvent_IgnoresWhatSaysNothing(t *testing.T) {
	stream := named("response.created", begun) + named("response.queued", "") + named("keepalive", "") + named("response.web_search_call.searching", `,"output_index":0`) +
		named("response.function_call_arguments.delta", `,"output_index":7,"delta":"x"`) + named("response.output_text.delta", `,"output_index":1`) + "data: \n\ndata: [DONE]\n\n: comment\n\n"
	if got := played(t, &hub.Request{}, stream); len(got.Items) != 0 {
		t.Errorf("items are %+v", got.Items)
	}
	d := responses.Hub{}.Decoder(nil, "")
	if err := d.Event(&wire.Event{HasData: true, Data: []byte("{")}, &hub.Answer{}); err == nil {
		t.Error("half an event passes")
	}
}

func TestEvent_BoundsTheItemsOfAnAnswer(t *testing.T) {
	d, s := responses.Hub{}.Decoder(nil, ""), hub.NewSequence(&hub.Answer{}, "ID")
	for i := range 5_000 {
		data := wire.AppendNumber(nil, `{"type":"response.output_item.added","item":{"type":"message"},"output_index":`, int64(i))
		if err := d.Event(&wire.Event{HasData: true, Data: append(data, '}')}, s); err != nil {
			if i != 4_096 {
				t.Errorf("item %d: %v", i, err)
			}
			return
		}
	}
	t.Error("5,000 items pass")
}

func TestAnswer_BoundsTheItemsThatAreToldAtItsEnd(t *testing.T) {
	const item = `{"type":"message","id":"m","content":[]}`
	for n, passes := range map[int]bool{4_096: true, 4_097: false} {
		body := `{"status":"completed","output":[` + strings.Repeat(item+",", n-1) + item + `]}`
		err := responses.Hub{}.Decoder(nil, "").Answer([]byte(body), hub.NewSequence(&hub.Answer{}, "ID"))
		if (err == nil) != passes {
			t.Errorf("%d items: %v", n, err)
		}
	}
}
