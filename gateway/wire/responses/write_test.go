package responses_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

// told is an answer as its caller gets it, streamed and whole.
type told struct {
	encoder hub.Encoder
	stream  []byte
	answer  hub.Answer
}

func (s *told) Event(e hub.Event) {
	s.stream = s.encoder.Append(s.stream, e)
	s.answer.Event(e)
}

// tell plays a decoder's events to a caller who has sent a body.
func tell(t *testing.T, body string, events ...hub.Event) (stream, whole string) {
	t.Helper()
	reply := &hub.Reply{Request: decoded(t, body), ID: "ID", Model: "m", Created: 12}
	to := &told{encoder: responses.Hub{}.Encoder(reply)}
	s := hub.NewSequence(to, "ID")
	for _, e := range events {
		s.Event(e)
	}
	s.Finish(&wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993, Output: 20, Reasoning: 5, Present: true})
	return string(to.stream), string(responses.Hub{}.Encoder(reply).AppendAnswer(nil, &to.answer))
}

func delta(of hub.PartKind, part int, s string) hub.Event {
	return hub.Event{Kind: hub.EventDelta, Of: of, Part: part, Text: hub.Text(s)}
}

func opaque(of hub.PartKind, part int, o hub.Opaque) hub.Event {
	return hub.Event{Kind: hub.EventOpaque, Of: of, Part: part, Opaque: o}
}

func begins(part int, c hub.Call) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: part, Call: c}
}

func ends(part int) hub.Event {
	return hub.Event{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: part}
}

func finish(r hub.Reason) hub.Event { return hub.Event{Kind: hub.EventFinish, Reason: r} }

const head = `"id":"resp_ID","object":"response","created_at":12,"model":"m"`

const defaults = `"previous_response_id":null,"store":false,"instructions":null,"max_output_tokens":null,"metadata":{},"parallel_tool_calls":true,` +
	`"reasoning":{"effort":null,"summary":null},"temperature":null,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":null,"truncation":"disabled"`

const used = `"usage":{"input_tokens":10000,"input_tokens_details":{"cached_tokens":9000,"cache_write_tokens":993},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":10020}`

// response is a whole response to a request that says nothing but its input.
func response(status, details, output, usage string) string {
	r := `{` + head + `,"status":"` + status + `","background":false,"error":null,"incomplete_details":` + details + `,"output":[` + output + `],` + defaults
	if usage != "" {
		r += "," + usage
	}
	return r + "}"
}

// compareStream holds the events of a stream against what they must say, in order:
// their types, and members beside type and sequence_number.
func compareStream(t *testing.T, stream string, want [][2]string) {
	t.Helper()
	events := eventsOf(stream)
	for i, e := range events {
		if i >= len(want) {
			t.Errorf("one too many: %s", e.Data)
			continue
		}
		members := want[i][1]
		if members != "" {
			members += ","
		}
		if string(e.Type) != want[i][0] {
			t.Errorf("event %d is %s, not %s", i, e.Type, want[i][0])
		}
		same(t, string(e.Data), `{`+members+`"type":"`+want[i][0]+`","sequence_number":`+strconv.Itoa(i)+`}`)
	}
	if len(events) < len(want) {
		t.Errorf("lacks %v", want[len(events):])
	}
}

func TestAppend_WritesEveryEventOfTheDocumentation(t *testing.T) {
	stream, all := tell(t, `{"model":"m","input":"hi","stream":true}`,
		delta(hub.PartReasoning, 0, "th"), delta(hub.PartReasoning, 0, "ink"),
		delta(hub.PartText, 0, `h\u0069`), delta(hub.PartText, 0, " 雨"),
		begins(0, hub.Call{ID: hub.Text("c1"), Name: hub.Text("f"), Namespace: hub.Text("ns")}), delta(hub.PartCall, 0, `{\"a\":`), delta(hub.PartCall, 0, `1}`), ends(0),
		begins(1, hub.Call{Name: hub.Text("p"), Custom: true}), delta(hub.PartCall, 1, "***"), ends(1),
		delta(hub.PartRefusal, 1, "no"), finish(hub.ReasonStop))
	thought := `{"id":"rs_ID_0","type":"reasoning","summary":[{"type":"summary_text","text":"think"}],"encrypted_content":"cmVsYXkxAAAAMAAA"}`
	part := `{"type":"output_text","annotations":[],"logprobs":[],"text":"hi 雨"}`
	said := `{"id":"msg_ID_1","type":"message","status":"completed","role":"assistant","content":[` + part + `]}`
	called := `{"id":"fc_ID_2","type":"function_call","status":"completed","call_id":"c1","namespace":"ns","name":"f","arguments":"{\"a\":1}"}`
	patched := `{"id":"ctc_ID_3","type":"custom_tool_call","status":"completed","call_id":"call_ID_2","name":"p","input":"***"}`
	refusing := `{"id":"msg_ID_4","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`
	want := response("completed", "null", thought+","+said+","+called+","+patched+","+refusing, used)
	compareStream(t, stream, [][2]string{
		{"response.created", `"response":` + response("in_progress", "null", "", "")},
		{"response.in_progress", `"response":` + response("in_progress", "null", "", "")},
		{"response.output_item.added", `"output_index":0,"item":{"id":"rs_ID_0","type":"reasoning","summary":[]}`},
		{"response.reasoning_summary_part.added", `"item_id":"rs_ID_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`},
		{"response.reasoning_summary_text.delta", `"item_id":"rs_ID_0","output_index":0,"summary_index":0,"delta":"th"`},
		{"response.reasoning_summary_text.delta", `"item_id":"rs_ID_0","output_index":0,"summary_index":0,"delta":"ink"`},
		{"response.reasoning_summary_text.done", `"item_id":"rs_ID_0","output_index":0,"summary_index":0,"text":"think"`},
		{"response.reasoning_summary_part.done", `"item_id":"rs_ID_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"think"}`},
		{"response.output_item.done", `"output_index":0,"item":` + thought},
		{"response.output_item.added", `"output_index":1,"item":{"id":"msg_ID_1","type":"message","status":"in_progress","role":"assistant","content":[]}`},
		{"response.content_part.added", `"item_id":"msg_ID_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}`},
		{"response.output_text.delta", `"item_id":"msg_ID_1","output_index":1,"content_index":0,"delta":"hi","logprobs":[]`},
		{"response.output_text.delta", `"item_id":"msg_ID_1","output_index":1,"content_index":0,"delta":" 雨","logprobs":[]`},
		{"response.output_text.done", `"item_id":"msg_ID_1","output_index":1,"content_index":0,"text":"hi 雨","logprobs":[]`},
		{"response.content_part.done", `"item_id":"msg_ID_1","output_index":1,"content_index":0,"part":` + part},
		{"response.output_item.done", `"output_index":1,"item":` + said},
		{"response.output_item.added", `"output_index":2,"item":{"id":"fc_ID_2","type":"function_call","status":"in_progress","call_id":"c1","namespace":"ns","name":"f","arguments":""}`},
		{"response.function_call_arguments.delta", `"item_id":"fc_ID_2","output_index":2,"delta":"{\"a\":"`},
		{"response.function_call_arguments.delta", `"item_id":"fc_ID_2","output_index":2,"delta":"1}"`},
		{"response.function_call_arguments.done", `"item_id":"fc_ID_2","output_index":2,"name":"f","arguments":"{\"a\":1}"`},
		{"response.output_item.done", `"output_index":2,"item":` + called},
		{"response.output_item.added", `"output_index":3,"item":{"id":"ctc_ID_3","type":"custom_tool_call","status":"in_progress","call_id":"call_ID_2","name":"p","input":""}`},
		{"response.custom_tool_call_input.delta", `"item_id":"ctc_ID_3","output_index":3,"delta":"***"`},
		{"response.custom_tool_call_input.done", `"item_id":"ctc_ID_3","output_index":3,"input":"***"`},
		{"response.output_item.done", `"output_index":3,"item":` + patched},
		{"response.output_item.added", `"output_index":4,"item":{"id":"msg_ID_4","type":"message","status":"in_progress","role":"assistant","content":[]}`},
		{"response.content_part.added", `"item_id":"msg_ID_4","output_index":4,"content_index":0,"part":{"type":"refusal","refusal":""}`},
		{"response.refusal.delta", `"item_id":"msg_ID_4","output_index":4,"content_index":0,"delta":"no"`},
		{"response.refusal.done", `"item_id":"msg_ID_4","output_index":4,"content_index":0,"refusal":"no"`},
		{"response.content_part.done", `"item_id":"msg_ID_4","output_index":4,"content_index":0,"part":{"type":"refusal","refusal":"no"}`},
		{"response.output_item.done", `"output_index":4,"item":` + refusing},
		{"response.completed", `"response":` + want},
	})
	same(t, all, want)
}

func TestAppend_TellsHowTheAnswerEnded(t *testing.T) {
	item := func(status string) string {
		return `{"id":"msg_ID_0","type":"message","status":"` + status + `","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"hi"}]}`
	}
	for reason, want := range map[hub.Reason][3]string{
		hub.ReasonStop: {"completed", "null", item("completed")}, hub.ReasonStopSequence: {"completed", "null", item("completed")},
		hub.ReasonLength: {"incomplete", `{"reason":"max_output_tokens"}`, item("incomplete")},
		hub.ReasonFilter: {"incomplete", `{"reason":"content_filter"}`, item("incomplete")}, hub.ReasonRefusal: {"incomplete", `{"reason":"content_filter"}`, item("incomplete")},
		hub.ReasonPause: {"incomplete", "null", item("incomplete")},
	} {
		stream, all := tell(t, `{"input":"a"}`, delta(hub.PartText, 0, "hi"), finish(reason))
		events := eventsOf(stream)
		last, before := events[len(events)-1], events[len(events)-2]
		end := response(want[0], want[1], want[2], used)
		if string(last.Type) != "response."+want[0] {
			t.Errorf("it ends with %s", last.Type)
		}
		same(t, string(last.Data), `{"type":"response.`+want[0]+`","sequence_number":8,"response":`+end+`}`)
		same(t, string(before.Data), `{"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":`+want[2]+`}`)
		same(t, all, end)
	}
}

func TestAppend_TellsACutCallAsIncomplete(t *testing.T) {
	stream, all := tell(t, `{"input":"a"}`, begins(0, hub.Call{ID: hub.Text("c"), Name: hub.Text("f")}), delta(hub.PartCall, 0, `{\"a`), finish(hub.ReasonLength))
	item := `{"id":"fc_ID_0","type":"function_call","status":"incomplete","call_id":"c","name":"f","arguments":"{\"a"}`
	if !strings.Contains(stream, item) {
		t.Error(stream)
	}
	same(t, all, response("incomplete", `{"reason":"max_output_tokens"}`, item, used))
}

// TestAppend_CarriesOpaqueParts seals them, and nothing where there is none. That of
// a call stands in an item of its own: before the call, where it comes before its
// arguments.
func TestAppend_CarriesOpaqueParts(t *testing.T) {
	signature := hub.Opaque{Shape: "anthropic", Provider: "a", Data: hub.Text("SIG==")}
	own := hub.Opaque{Shape: "openai_responses", Provider: "o", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_9"), Data: hub.Text("ENC")}
	ofCall := hub.Opaque{Shape: "gemini", Provider: "g", Data: hub.Text("GS")}
	named := ofCall
	named.ID = hub.Text("c1")
	c := hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}
	seal := func(index, summary string, o hub.Opaque) string {
		return `{"id":"rs_ID_` + index + `","type":"reasoning","summary":[` + summary + `],"encrypted_content":"` + string(o.Seal()) + `"}`
	}
	fc := func(index string) string {
		return `{"id":"fc_ID_` + index + `","type":"function_call","status":"completed","call_id":"c1","name":"f","arguments":"{}"}`
	}
	for name, x := range map[string]struct {
		events       []hub.Event
		output, late string
	}{
		"thoughts":      {[]hub.Event{delta(hub.PartReasoning, 0, "t"), opaque(hub.PartReasoning, 0, signature)}, seal("0", `{"type":"summary_text","text":"t"}`, signature), ""},
		"without words": {[]hub.Event{opaque(hub.PartReasoning, 0, signature)}, seal("0", "", signature), ""},
		"of the shape":  {[]hub.Event{opaque(hub.PartReasoning, 0, own)}, seal("0", "", own), ""},
		"unsigned":      {[]hub.Event{delta(hub.PartReasoning, 0, "t")}, seal("0", `{"type":"summary_text","text":"t"}`, hub.Opaque{}), ""},
		"of a call":     {[]hub.Event{begins(0, c), opaque(hub.PartCall, 0, ofCall), delta(hub.PartCall, 0, "{}"), ends(0)}, seal("0", "", named) + "," + fc("1"), ""},
		"late":          {[]hub.Event{begins(0, c), delta(hub.PartCall, 0, "{}"), opaque(hub.PartCall, 0, ofCall), ends(0)}, seal("0", "", named) + "," + fc("1"), fc("0") + "," + seal("1", "", named)},
	} {
		stream, all := tell(t, `{"input":"a"}`, append(x.events, finish(hub.ReasonStop))...)
		t.Run(name, func(t *testing.T) {
			same(t, all, response("completed", "null", x.output, used))
			streamed := x.output
			if x.late != "" {
				streamed = x.late
			}
			events := eventsOf(stream)
			last := events[len(events)-1]
			same(t, string(last.Data), `{"type":"response.completed","sequence_number":`+strconv.Itoa(len(events)-1)+`,"response":`+response("completed", "null", streamed, used)+`}`)
		})
	}
}

// TestAppend_LeavesOutWhatItHasNoPlaceFor, which is audio; an image is that of the
// tool that makes some.
func TestAppend_LeavesOutWhatItHasNoPlaceFor(t *testing.T) {
	media := func(of hub.PartKind, data string) hub.Event {
		return hub.Event{Kind: hub.EventPart, Of: of, Part: len(data), Media: hub.Part{Data: hub.Text(data), MediaType: hub.Text("image/png")}}
	}
	stream, all := tell(t, `{"input":"a"}`, media(hub.PartAudio, "UklGR"), media(hub.PartImage, "iVBO"), finish(hub.ReasonStop))
	made := `{"id":"ig_ID_0","type":"image_generation_call","status":"completed","result":"iVBO"}`
	want := response("completed", "null", made, used)
	same(t, all, want)
	compareStream(t, stream, [][2]string{
		{"response.created", `"response":` + response("in_progress", "null", "", "")},
		{"response.in_progress", `"response":` + response("in_progress", "null", "", "")},
		{"response.output_item.added", `"output_index":0,"item":{"id":"ig_ID_0","type":"image_generation_call","status":"in_progress","result":null}`},
		{"response.output_item.done", `"output_index":0,"item":` + made},
		{"response.completed", `"response":` + want},
	})
}

func TestAppend_RepeatsWhatWasAsked(t *testing.T) {
	asked := `"instructions":"be","max_output_tokens":20,"max_tool_calls":3,"metadata":{"b":"1"},"parallel_tool_calls":false,"prompt_cache_key":"k",
		"reasoning":{"effort":"low"},"safety_identifier":"s","temperature":0.5,"text":{"verbosity":"low"},"tool_choice":{"type":"function","name":"f"},"top_p":1,"truncation":"auto","user":"u"`
	_, all := tell(t, `{"model":"m","input":"hi","tools":[{"type":"function","name":"f"},{"type":"web_search"},{"type":"function","name":"g","parameters":{},"strict":true}],`+asked+`}`, finish(hub.ReasonStop))
	same(t, all, `{`+head+`,"status":"completed","background":false,"error":null,"incomplete_details":null,"output":[],"previous_response_id":null,"store":false,`+asked+`,
		"tools":[{"type":"function","name":"f","strict":null,"parameters":null},{"type":"web_search"},{"type":"function","name":"g","parameters":{},"strict":true}],`+used+`}`)
}

// TestAppend_WritesWhatEventReads is every answer of the tables above, there and
// back.
func TestAppend_WritesWhatEventReads(t *testing.T) {
	stream := item("0", reasoned, thoughts) + item("1", message, words) + item("2", called, arguments) + item("3", patched, patch) + completed
	first := played(t, &hub.Request{}, stream)
	to := &told{encoder: responses.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "ID"})}
	s := hub.NewSequence(to, "ID")
	d := responses.Hub{}.Decoder(nil, "openai")
	for _, e := range eventsOf(stream) {
		if err := d.Event(&e, s); err != nil {
			t.Fatal(err)
		}
	}
	s.Finish(&wire.Usage{})
	second := played(t, &hub.Request{}, string(to.stream))
	for i := range second.Items {
		if o := &second.Items[i].Opaque; o.Present() {
			*o = hub.Unseal(o.Data, hub.Opaque{})
		}
	}
	if diff := cmp.Diff(first, second, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
