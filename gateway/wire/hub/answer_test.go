package hub_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func TestAnswer_IsTheFoldOfItsEvents(t *testing.T) {
	var a hub.Answer
	s := hub.NewSequence(&a, "A")
	for _, e := range []hub.Event{
		thought("hm"), opaque(hub.PartReasoning, 0, "sig"), text("one "), text("two"),
		{Kind: hub.EventDelta, Of: hub.PartRefusal, Text: hub.Text("no")}, image(0, "pixels"),
		begin(0, "i", "f"), arguments(0, `{\"a\":1}`), opaque(hub.PartCall, 0, "mark"), end(0), opaque(hub.PartText, 5, "late"),
		{Kind: hub.EventFinish, Reason: hub.ReasonStop, StopSeq: hub.Text("x")},
	} {
		s.Event(e)
	}
	s.Finish(&wire.Usage{Input: 3, Output: 4})
	said := func(parts ...hub.Part) hub.Item { return hub.Item{Role: hub.RoleAssistant, Parts: parts} }
	want := hub.Answer{
		Items: []hub.Item{
			{Kind: hub.ItemReasoning, Text: hub.Text("hm"), Opaque: hub.Opaque{Shape: "s", Data: hub.Text("sig")}},
			said(hub.Part{Text: hub.Text("one two")}),
			said(hub.Part{Kind: hub.PartRefusal, Text: hub.Text("no")}),
			said(hub.Part{Kind: hub.PartImage, Data: hub.Text("pixels")}),
			{
				Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("i"), Name: hub.Text("f")}, Arguments: hub.Text(`{\"a\":1}`),
				Opaque: hub.Opaque{Shape: "s", Data: hub.Text("mark")},
			},
			said(hub.Part{Opaque: hub.Opaque{Shape: "s", Data: hub.Text("late")}}),
		},
		Reason: hub.ReasonCalls, StopSeq: hub.Text("x"), Usage: wire.Usage{Input: 3, Output: 4},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
}

func TestAnswer_SaysWhichCallWasCutOff(t *testing.T) {
	var a hub.Answer
	s := hub.NewSequence(&a, "A")
	s.Event(begin(0, "i", "f"))
	s.Event(arguments(0, "{"))
	s.Finish(nil)
	if len(a.Items) != 1 || !a.Items[0].Cut || a.Reason != hub.ReasonLength || a.Usage != (wire.Usage{}) {
		t.Errorf("%+v", a)
	}
}

func TestAnswer_KeepsCopies(t *testing.T) {
	var a hub.Answer
	buffer := []byte("abc")
	a.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Call: hub.Call{ID: buffer[:1], Name: buffer[1:2], Namespace: buffer[2:]}})
	a.Event(hub.Event{Kind: hub.EventOpaque, Of: hub.PartCall, Opaque: hub.Opaque{ID: buffer[:1], Data: buffer[1:]}})
	a.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Text: buffer})
	copy(buffer, "---")
	i := a.Items[0]
	if got := string(i.Call.ID) + string(i.Call.Name) + string(i.Call.Namespace) + string(i.Opaque.ID) + string(i.Opaque.Data) + string(i.Arguments); got != "abcabcabc" {
		t.Errorf("kept %q", got)
	}
}
