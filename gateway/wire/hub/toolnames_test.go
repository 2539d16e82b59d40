package hub_test

import (
	"strconv"
	"testing"

	"relay/gateway/wire/hub"
)

// toolsNumbered is a request with n tools, every second of a namespace and every
// third custom, and one that the provider runs.
func toolsNumbered(n int) *hub.Request {
	r := &hub.Request{Tools: []hub.Tool{{Kind: hub.ToolServer, Name: hub.Text("t0")}}}
	for i := range n {
		t := hub.Tool{Name: hub.Text("t" + strconv.Itoa(i)), Description: hub.Text("first")}
		if i%2 == 1 {
			t.Namespace = hub.Text("n")
		}
		if i%3 == 2 {
			t.Kind = hub.ToolCustom
		}
		r.Tools = append(r.Tools, t, hub.Tool{Name: t.Name, Namespace: t.Namespace, Description: hub.Text("second")})
	}
	return r
}

func TestToolNames_FindsWhatUnflatFinds(t *testing.T) {
	r := toolsNumbered(50)
	names := r.ToolNames(hub.Call.NameOfFlat)
	for i := range 60 { // more than are looked for one by one
		for _, name := range []string{"t" + strconv.Itoa(i), "n__t" + strconv.Itoa(i), `\u0074` + strconv.Itoa(i), ""} {
			got, want := names.Call(hub.Text("c"), hub.Text(name)), r.Unflat(hub.Text("c"), hub.Text(name))
			if string(got.ID) != "c" || got.NameOfFlat().String() != want.NameOfFlat().String() || string(got.Namespace) != string(want.Namespace) || got.Custom != want.Custom {
				t.Errorf("%s is the call %+v, want %+v", name, got, want)
			}
			if tool := names.Tool(hub.Text(name)); tool != nil && string(tool.Description) != "first" {
				t.Errorf("%s is the second tool of its name", name)
			}
		}
	}
}

func TestToolNames_LooksAtNoToolAgainAndAgain(t *testing.T) {
	const n = 2000
	r, made := toolsNumbered(n), 0
	names := r.ToolNames(func(c hub.Call) hub.Text {
		made++
		return c.NameOfFlat()
	})
	for i := range n {
		if names.Tool(hub.Text("t"+strconv.Itoa(n-1-i))) == nil && i%2 == 1 {
			t.Fatalf("there is no tool %d", n-1-i)
		}
	}
	if made > 20*len(r.Tools) {
		t.Errorf("%d names of %d tools have been made for %d calls", made, len(r.Tools), n)
	}
}
