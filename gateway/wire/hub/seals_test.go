package hub_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire/hub"
)

func unsealed(t hub.Text) (parts []hub.Opaque) {
	hub.UnsealAll(t, hub.Opaque{Shape: "gemini"}, func(o hub.Opaque) { parts = append(parts, o) })
	return parts
}

func TestSealAll_GivesAllPartsBackInOrder(t *testing.T) {
	all := []hub.Opaque{
		{Shape: "anthropic", Provider: "p", Data: hub.Text("SIG==")},
		{Shape: "anthropic", Provider: "p", Kind: hub.OpaqueRedacted, Data: hub.Text("RED")},
		{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("ENC")},
	}
	for n := range all {
		want := all[:n+1]
		got := unsealed(hub.SealAll(want))
		for i := range got {
			got[i].ID = append(hub.Text(nil), got[i].ID...)
			if len(got[i].ID) == 0 {
				got[i].ID = nil
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d parts:\n%s", n+1, diff)
		}
		if !hub.HoldsSeal(hub.SealAll(want)) {
			t.Errorf("%d parts are not known for a seal", n+1)
		}
	}
}

func TestUnsealAll_TakesAPartOfTheShapesOwnAsItIs(t *testing.T) {
	if got := unsealed(hub.Text("c2ln")); len(got) != 1 || got[0].Shape != "gemini" || string(got[0].Data) != "c2ln" {
		t.Errorf("got %+v", got)
	}
}

func TestUnsealAll_AListThatIsNotWholeIsNone(t *testing.T) {
	whole := hub.SealAll([]hub.Opaque{{Shape: "anthropic", Data: hub.Text("a")}, {Shape: "anthropic", Data: hub.Text("b")}})
	for n := len("cmVsYXkx"); n < len(whole); n++ {
		for _, o := range unsealed(whole[:n]) {
			if o.Present() {
				t.Fatalf("the first %d bytes hold %+v", n, o)
			}
		}
	}
}
