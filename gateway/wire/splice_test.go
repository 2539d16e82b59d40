package wire_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"relay/gateway/wire"
)

func TestSplice_ReplacesRangesAndKeepsEveryOtherByte(t *testing.T) {
	body := []byte(`{ "b":1e2, "model" : "old","a":9007199254740993 }`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	end := wire.Range{Start: m.Close, End: m.Close}
	late, early := wire.Edit{At: end, Text: `,"z":0`}, wire.Edit{At: m.Model, Text: wire.Quote(`n"w`)}
	want := `x{ "b":1e2, "model" : "n\"w","a":9007199254740993 ,"z":0}`
	for _, edits := range [][]wire.Edit{{late, early}, {early, late}} {
		if got := string(wire.Splice([]byte("x"), body, edits...)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := string(wire.Splice(nil, body)); got != string(body) {
		t.Errorf("without edits the body became %s", got)
	}
}

func TestSplice_OfAScannedBodyChangesOneMemberOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		body := mutate(r, []byte(seeds[r.IntN(len(seeds))]))
		var m wire.Members
		if wire.Scan(body, &m) != nil || !m.Model.Present() {
			continue
		}
		before, after := decoded(t, body), decoded(t, wire.Splice(nil, body, wire.Edit{At: m.Model, Text: `"new"`}))
		if string(after["model"]) != `"new"` || len(before) != len(after) {
			t.Fatalf("%q: model is %s", body, after["model"])
		}
		for name, value := range before {
			if name != "model" && string(after[name]) != string(value) {
				t.Fatalf("%q: %s became %s", body, name, after[name])
			}
		}
	}
}

func decoded(t *testing.T, body []byte) (members map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	return members
}

func TestSplice_DoesNotAllocateWithRoom(t *testing.T) {
	body, dst := []byte(plainBody), make([]byte, 0, 1024)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		dst = wire.Splice(dst[:0], body, wire.Edit{At: m.Stream, Text: "false"}, wire.Edit{At: m.Model, Text: `"x"`})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMember_FindsTheLastOfThatNameInOneObject(t *testing.T) {
	for object, want := range map[string]string{
		`{}`: "", `{ }`: "", `{"x":{"k":1}}`: "", `{"k":1}`: "1", `{"a":[{"k":0}] , "\u006b" : {"k":2} }`: `{"k":2}`, `{"k":1,"k":2}`: "2",
	} {
		body := []byte(`{"o":0,"stream_options":` + object + `,"k":9}`)
		var m wire.Members
		if err := wire.Scan(body, &m); err != nil {
			t.Fatal(err)
		}
		value, empty := wire.Member(body, m.StreamOptions, "k")
		if got := string(value.Of(body)); got != want || empty != (len(object) < 4) {
			t.Errorf("%s: got %q, empty %v", object, got, empty)
		}
	}
}
