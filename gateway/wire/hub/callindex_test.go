package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestCallIndex_FindsTheCallBeforeAResult(t *testing.T) {
	call := func(id, name string) hub.Item {
		return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}}
	}
	result := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("a")}}
	items := []hub.Item{call("b", "0"), call("a", "1"), result, call("a", "3"), call(`\u0061`, "4"), result, call("ab", "6")}
	index := hub.IndexCalls(items)
	for _, test := range []struct {
		at   int
		id   string
		want *hub.Item
	}{
		{0, "a", nil}, {1, "a", nil}, {2, "a", &items[1]}, {3, "a", &items[1]}, {4, "a", &items[3]}, {5, "a", &items[4]},
		{7, "a", &items[4]}, {7, `\u0061`, &items[4]}, {7, "ab", &items[6]}, {7, "b", &items[0]}, {7, "c", nil}, {7, "", nil},
	} {
		if got := index.Before(test.at, hub.Text(test.id)); got != test.want {
			t.Errorf("before %d the call %q is %+v", test.at, test.id, got)
		}
	}
	for id, want := range map[string]*hub.Item{"a": &items[1], `\u0061`: &items[1], "b": &items[0], "ab": &items[6], "": nil, "c": nil} {
		if got := index.First(hub.Text(id)); got != want {
			t.Errorf("the first call %q is %+v", id, got)
		}
	}
	if got := hub.IndexCalls(nil).Before(0, nil); got != nil {
		t.Errorf("among none there is %+v", got)
	}
}
