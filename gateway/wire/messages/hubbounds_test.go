package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

func TestDecode_GivesCallsTheSealsThatNameThem(t *testing.T) {
	seal := func(call, data string) string {
		o := hub.Opaque{Shape: "gemini", Provider: "google", ID: hub.Text(call), Data: hub.Text(data)}
		return `{"type":"redacted_thinking","data":"` + o.Seal().String() + `"}`
	}
	use := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{}}` }
	for _, test := range []struct{ blocks, want string }{
		{seal("a", "A") + "," + use("a"), "call a A"},
		{use("a") + "," + seal("a", "A"), "call a A"},
		{seal("b", "B") + "," + seal("a", "A") + "," + use("a") + `,{"type":"text","text":"x"},` + use("b"), "call a A, said, call b B"},
		{seal("a", "A") + "," + seal("a", "Z") + "," + use("a"), "thought Z, call a A"},
		{seal("c", "C") + "," + use("a"), "thought C, call a "},
		{`{"type":"thinking","thinking":"t","signature":"s"},` + use("a"), "thought s, call a "},
	} {
		var got []string
		for _, i := range asked(t, `[{"role":"assistant","content":[`+test.blocks+`]}]`).Items {
			switch i.Kind {
			case hub.ItemCall:
				got = append(got, fmt.Sprintf("call %s %s", i.Call.ID, i.Opaque.Data))
			case hub.ItemReasoning:
				got = append(got, "thought "+string(i.Opaque.Data))
			default:
				got = append(got, "said")
			}
		}
		if told := strings.Join(got, ", "); told != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.blocks, told, test.want)
		}
	}
}

func TestDecode_LooksForCallsOfASealInItsOwnMessageAlone(t *testing.T) {
	o := hub.Opaque{Shape: "gemini", ID: hub.Text("a"), Data: hub.Text("A")}
	r := asked(t, `[{"role":"assistant","content":[{"type":"redacted_thinking","data":"`+o.Seal().String()+`"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}]`)
	if len(r.Items) != 2 || r.Items[1].Opaque.Present() {
		t.Errorf("got %+v", r.Items)
	}
}

func TestDecoder_BoundsTheBlocksThatAreOpen(t *testing.T) {
	d, s := messages.Hub{}.Decoder(&hub.Request{}, ""), hub.NewSequence(&hub.Answer{}, "ID")
	for i := range 5_000 {
		data := wire.AppendNumber(nil, `{"type":"content_block_start","content_block":{"type":"text","text":""},"index":`, int64(i))
		if err := d.Event(&wire.Event{HasData: true, Data: append(data, '}')}, s); err != nil {
			if i != 4_096 {
				t.Errorf("block %d: %v", i, err)
			}
			return
		}
	}
	t.Error("5,000 blocks are open")
}

func TestEncoder_HoldsWhiteSpaceUntilABlockHasSomethingToSay(t *testing.T) {
	e := messages.Hub{}.Encoder(&hub.Reply{Request: &hub.Request{}, ID: "a", Model: "m"})
	out := e.Append(nil, hub.Event{Kind: hub.EventStart})
	out = e.Append(out, hub.Event{Kind: hub.EventPart, Of: hub.PartText})
	begun := len(out)
	for range 100 {
		out = e.Append(out, hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text(`\n `)})
	}
	if len(out) > begun {
		t.Fatalf("white space has begun a block: %s", out[begun:])
	}
	out = e.Append(out, hub.Event{Kind: hub.EventDelta, Of: hub.PartText, Text: hub.Text("x")})
	if want := `"text":"` + strings.Repeat(`\n `, 100) + `x"`; !strings.Contains(string(out), want) {
		t.Errorf("got %s", out)
	}
}

func TestEncode_AddsMembersForTheShapeThatHaveNotBeenWritten(t *testing.T) {
	r := asked(t, hi, `"temperature":0.5`)
	r.Extensions = []hub.Extension{{Shape: "anthropic", Object: []byte(`{"temperature":1,"speed":"fast","max_tokens":1,"container":"c"}`)}}
	up := sent(t, r, to)
	if up["temperature"] != 0.5 || up["max_tokens"] != 9000.0 || up["speed"] != "fast" || up["container"] != "c" {
		t.Errorf("got %v", up)
	}
}
