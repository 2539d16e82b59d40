package generate_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
)

var signature = hub.Opaque{Shape: "anthropic", Provider: "acme", Data: hub.Text("SIG==")}

// answer is an answer that holds everything, as a decoder may tell it.
var answer = []hub.Event{
	{Kind: hub.EventDelta, Of: hub.PartReasoning, Text: hub.Text("h")},
	{Kind: hub.EventDelta, Of: hub.PartReasoning, Text: hub.Text(`m\n`)},
	{Kind: hub.EventOpaque, Of: hub.PartReasoning, Opaque: signature},
	{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text("a")},
	{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text(`\u00e9`)},
	{Kind: hub.EventPart, Of: hub.PartImage, Media: hub.Part{Data: hub.Text("QQ=="), MediaType: hub.Text("image/png")}},
	{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{Name: hub.Text("f"), Namespace: hub.Text("n")}},
	{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text(`{\"b\":`)},
	{Kind: hub.EventOpaque, Of: hub.PartCall, Opaque: signature},
	{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text(`1}`)},
	{Kind: hub.EventPart, Of: hub.PartCall, Part: 1, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("patch"), Custom: true}},
	{Kind: hub.EventDelta, Of: hub.PartCall, Part: 1, Text: hub.Text(`*** x`)},
	{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: 1},
	{Kind: hub.EventFinish, Reason: hub.ReasonStop},
}

var used = wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993, Output: 20, Reasoning: 5}

type sink struct {
	encoder hub.Encoder
	out     []byte
}

func (s *sink) Event(e hub.Event) { s.out = s.encoder.Append(s.out, e) }

func reply() *hub.Reply { return &hub.Reply{ID: "a1", Model: `m"1`, Created: 12} }

func play(to hub.Sink, events []hub.Event, u *wire.Usage) {
	sequence := hub.NewSequence(to, "a1")
	for _, e := range events {
		sequence.Event(e)
	}
	sequence.Finish(u)
}

func streamed(events []hub.Event, u *wire.Usage) string {
	s := &sink{encoder: generate.Hub{}.Encoder(reply())}
	play(s, events, u)
	return string(s.out)
}

func whole(events []hub.Event, u *wire.Usage) string {
	a := &hub.Answer{}
	play(a, events, u)
	return string(generate.Hub{}.Encoder(reply()).AppendAnswer(nil, a))
}

const usage = `"usage":{"input":7,"cache_read":9000,"cache_creation":993,"output":20,"reasoning":5,"total":10020},"error":null`

// sealOf is the seal of the signature, of a call with the id of the call.
func sealOf(id string) string {
	o := signature
	o.ID = hub.Text(id)
	return string(o.Seal())
}

func TestAppendAnswer_WritesEverything(t *testing.T) {
	saysSame(t, whole(answer, &used), `{"id":"gen_a1","object":"generation","created_at":12,"model":"m\"1","status":"completed","finish_reason":"tool_calls","output":[
		{"type":"reasoning","summary":[],"content":"hm\n","status":"completed","opaque":"`+sealOf("")+`"},
		{"type":"message","role":"assistant","content":[{"type":"text","text":"aé"}],"status":"completed"},
		{"type":"message","role":"assistant","content":[{"type":"image","data":"QQ==","media_type":"image/png"}],"status":"completed"},
		{"type":"function_call","call_id":"call_a1_1","name":"n__f","arguments":"{\"b\":1}","status":"completed","opaque":"`+sealOf("call_a1_1")+`"},
		{"type":"function_call","call_id":"c2","name":"patch","custom":true,"arguments":"*** x","status":"completed"}],`+usage+`}`)
}

// events cuts a stream into the data of its events, whose types must agree.
func events(tb testing.TB, stream string) []string {
	tb.Helper()
	var all []string
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, found := strings.Cut(strings.TrimPrefix(block, "event: "), "\ndata: ")
		if !found || strings.Contains(data, "\n") || !strings.HasPrefix(data, `{"type":"`+name+`"`) {
			tb.Errorf("%q is no event", block)
		}
		all = append(all, data)
	}
	return all
}

func TestAppend_TellsEachItemFromItsBeginToItsEnd(t *testing.T) {
	const head = `"id":"gen_a1","object":"generation","created_at":12,"model":"m\"1"`
	want := []string{
		`{"type":"generation.created","sequence_number":0,"generation":{` + head + `,"status":"in_progress"}}`,
		`{"type":"item.started","sequence_number":1,"item_index":0,"item":{"type":"reasoning","summary":[],"content":""}}`,
		`{"type":"item.delta","sequence_number":2,"item_index":0,"kind":"reasoning","delta":"h"}`,
		`{"type":"item.delta","sequence_number":3,"item_index":0,"kind":"reasoning","delta":"m\n"}`,
		`{"type":"item.completed","sequence_number":4,"item_index":0,"item":{"type":"reasoning","status":"completed","opaque":"` + sealOf("") + `"}}`,
		`{"type":"item.started","sequence_number":5,"item_index":1,"item":{"type":"message","role":"assistant","content":[{"type":"text","text":""}]}}`,
		`{"type":"item.delta","sequence_number":6,"item_index":1,"kind":"text","delta":"a"}`,
		`{"type":"item.delta","sequence_number":7,"item_index":1,"kind":"text","delta":"é"}`,
		`{"type":"item.completed","sequence_number":8,"item_index":1,"item":{"type":"message","role":"assistant","status":"completed"}}`,
		`{"type":"item.started","sequence_number":9,"item_index":2,"item":{"type":"message","role":"assistant","content":[{"type":"image","data":"QQ==","media_type":"image/png"}]}}`,
		`{"type":"item.completed","sequence_number":10,"item_index":2,"item":{"type":"message","role":"assistant","status":"completed"}}`,
		`{"type":"item.started","sequence_number":11,"item_index":3,"item":{"type":"function_call","call_id":"call_a1_1","name":"n__f","arguments":""}}`,
		`{"type":"item.delta","sequence_number":12,"item_index":3,"kind":"arguments","delta":"{\"b\":"}`,
		`{"type":"item.delta","sequence_number":13,"item_index":3,"kind":"arguments","delta":"1}"}`,
		`{"type":"item.completed","sequence_number":14,"item_index":3,"item":{"type":"function_call","call_id":"call_a1_1","name":"n__f","status":"completed","opaque":"` + sealOf("call_a1_1") + `"}}`,
		`{"type":"item.started","sequence_number":15,"item_index":4,"item":{"type":"function_call","call_id":"c2","name":"patch","custom":true,"arguments":""}}`,
		`{"type":"item.delta","sequence_number":16,"item_index":4,"kind":"arguments","delta":"*** x"}`,
		`{"type":"item.completed","sequence_number":17,"item_index":4,"item":{"type":"function_call","call_id":"c2","name":"patch","custom":true,"status":"completed"}}`,
		`{"type":"generation.completed","sequence_number":18,"generation":{` + head + `,"status":"completed","finish_reason":"tool_calls",` + usage + `}}`,
	}
	got := events(t, streamed(answer, &used))
	if len(got) != len(want) {
		t.Fatalf("%d events\n%s", len(got), strings.Join(got, "\n"))
	}
	for i := range want {
		saysSame(t, got[i], want[i])
	}
}

func TestAnswers_GoBackAsTheyCame(t *testing.T) {
	_, rest, _ := strings.Cut(whole(answer, &used), `"output":`)
	output, _, _ := strings.Cut(rest, `,"usage"`)
	r := decoded(t, `{"model":"m","input":`+output+`}`)
	if len(r.Items) != 5 || !r.Items[4].Call.Custom || !r.Items[3].Call.ID.Is("call_a1_1") {
		t.Fatalf("%+v", r.Items)
	}
	same(t, r.Items[0].Opaque, signature)
	call := signature
	call.ID = hub.Text("call_a1_1")
	same(t, r.Items[3].Opaque, call)
}

func TestAnswers_SayWhyTheyEnd(t *testing.T) {
	for reason, want := range map[hub.Reason]string{
		hub.ReasonStop:         `"status":"completed","finish_reason":"stop"`,
		hub.ReasonStopSequence: `"status":"completed","finish_reason":"stop"`,
		hub.ReasonLength:       `"status":"incomplete","finish_reason":"length"`,
		hub.ReasonCalls:        `"status":"completed","finish_reason":"tool_calls"`,
		hub.ReasonFilter:       `"status":"incomplete","finish_reason":"content_filter"`,
		hub.ReasonRefusal:      `"status":"completed","finish_reason":"refusal"`,
		hub.ReasonPause:        `"status":"incomplete","finish_reason":"stop"`,
	} {
		ended := []hub.Event{{Kind: hub.EventDelta, Text: hub.Text("x")}, {Kind: hub.EventFinish, Reason: reason}}
		for _, got := range []string{whole(ended, &used), streamed(ended, &used)} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: %s", reason, got)
			}
		}
	}
}

func TestAnswers_ACallThatBreaksOffIsIncomplete(t *testing.T) {
	cut := []hub.Event{
		{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}},
		{Kind: hub.EventDelta, Of: hub.PartCall, Text: hub.Text(`{\"a\":`)},
	}
	for _, got := range []string{whole(cut, &used), streamed(cut, &used)} {
		if !strings.Contains(got, `"status":"incomplete","finish_reason":"length"`) || strings.Count(got, `"status":"incomplete"`) != 2 {
			t.Error(got)
		}
	}
}

func TestAnswers_ARefusalIsAPartOfItsOwn(t *testing.T) {
	refused := []hub.Event{{Kind: hub.EventDelta, Of: hub.PartRefusal, Text: hub.Text("no")}}
	if got := whole(refused, &used); !strings.Contains(got, `"content":[{"type":"refusal","text":"no"}]`) {
		t.Error(got)
	}
	if got := streamed(refused, &used); !strings.Contains(got, `"content":[{"type":"refusal","text":""}]`) {
		t.Error(got)
	}
}

func TestAnswers_TellDetailsToThoseWhoAsk(t *testing.T) {
	r := reply()
	e := generate.Hub{}.Encoder(r)
	s := &sink{encoder: e}
	sequence := hub.NewSequence(s, "a1")
	sequence.Event(hub.Event{Kind: hub.EventDelta, Text: hub.Text("x")})
	r.Details = []byte(`{"request_id":"q"}`) // known only at the end
	sequence.Finish(&used)
	for _, got := range []string{string(s.out), string(e.AppendAnswer(nil, &hub.Answer{}))} {
		if !strings.Contains(got, `"error":null,"relay_usage":{"request_id":"q"}}`) {
			t.Error(got)
		}
	}
}

func TestAnswers_WithoutAReportSayNothingOfUsage(t *testing.T) {
	if got := streamed(nil, nil); !strings.Contains(got, `"usage":null`) {
		t.Error(got)
	}
	saysSame(t, whole(nil, &wire.Usage{}), `{"id":"gen_a1","object":"generation","created_at":12,"model":"m\"1","status":"completed","finish_reason":"stop","output":[],
		"usage":{"input":0,"cache_read":0,"cache_creation":0,"output":0,"reasoning":0,"total":0},"error":null}`)
}

func TestCodec_WritesErrorsAsChatCompletionsDo(t *testing.T) {
	var c wire.Codec = generate.Codec{}
	e := wire.NewError(wire.CodeOverloaded, "full")
	const said = `"error":{"message":"full","type":"server_error","code":"overloaded","param":null}}`
	if got := string(c.AppendError(nil, e)); got != "{"+said {
		t.Error(got)
	}
	if got, want := string(c.AppendErrorEvent([]byte("x"), e)), "xevent: error\ndata: {\"type\":\"error\","+said+"\n\n"; got != want {
		t.Error(got)
	}
	if c.Shape() != "generate" || c.Terminal() != "" || c.KeepAlive() == "" || c.StreamType() != wire.ContentTypeEvent {
		t.Error("another shape")
	}
	if _, edit := c.AskUsage(nil, nil); edit || !c.WantsUsage(nil, nil) {
		t.Error("usage is asked for")
	}
}
