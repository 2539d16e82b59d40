package hub_test

import (
	"slices"
	"strconv"
	"testing"

	"relay/gateway/wire/hub"
)

func TestLeft_NamesEachOnceInOrderAndByTheCallersName(t *testing.T) {
	r := &hub.Request{}
	r.Set(hub.TopP, "generationConfig.topP", []byte("0.5"))
	var left hub.Left
	left.Add("b")
	left.AddParam(r, hub.TopP)
	left.AddParam(r, hub.TopK)
	left.Add("b")
	left.AddExtension("gemini", "sp ace,")
	want := []string{"a", "b", "generationConfig.topP", "top_k", "extensions.gemini.sp?ace?"}
	if got := left.After([]string{"a", "b"}); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLeft_NamesABoundedNumberOfACallersOwn(t *testing.T) {
	var left hub.Left
	for i := range 1000 {
		left.AddExtension("openai", strconv.Itoa(i))
	}
	if n := len(left.After(nil)); n != 32 {
		t.Errorf("%d names", n)
	}
}

func TestLeft_OfNobodyTakesNothing(t *testing.T) {
	var left *hub.Left
	left.Add("a")
	left.AddParam(&hub.Request{}, hub.TopP)
	left.AddReasoning(&hub.Request{}, "reasoning")
	left.AddExtension("openai", "a")
	left.AddStrict([]hub.Tool{{Strict: []byte("true")}})
	left.AddFailed([]hub.Item{{Kind: hub.ItemResult, Failed: true}})
	left.AddParts([]hub.Item{{Parts: []hub.Part{{}}}}, func(*hub.Part) string { return "part" })
	if got := left.After([]string{"b"}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q", got)
	}
}
