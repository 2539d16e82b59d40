package wire_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
)

func keptNames(within, name []byte) bool {
	return string(name) == "keep" || string(within) == "keep" || len(within) == 0 && string(name) == "inside"
}

// gather cuts an event into pieces and returns its outline.
func gather(t *testing.T, event string, cuts ...int) []byte {
	t.Helper()
	var tap wire.Tap
	last := 0
	for i, cut := range append(cuts, len(event)) {
		e := wire.Event{Part: wire.PartNext, Raw: []byte(event[last:cut])}
		switch {
		case i == 0:
			e.Part, e.Type = wire.PartFirst, []byte("name")
		case i == len(cuts):
			e.Part = wire.PartLast
		}
		last = cut
		data, whole := tap.Gather(&e, keptNames)
		if whole != (e.Part == wire.PartLast) || whole && string(e.Type) != "name" {
			t.Fatalf("piece %d: whole %v, type %q", i, whole, e.Type)
		}
		if whole {
			return data
		}
	}
	return nil
}

func TestGather_KeepsWhatIsNamedAndDropsTheRest(t *testing.T) {
	long := strings.Repeat("é", 2_000)
	for document, want := range map[string]string{
		`{"keep":1,"other":2}`: `{"keep":1,"other":null}`,
		`{"other":{"keep":[1,{"a":"}"}]},"inside":{"keep":{"other":[true]},"x":"\"}","keep":"\u00e9\\"},"z":[]}`: `{"other":null,"inside":{"keep":{"other":[true]},"x":null,"keep":"\u00e9\\"},"z":null}`,
		`{"inside":[{"keep":1}],"a":"keep"}`:               `{"inside":[{"keep":1}],"a":null}`,
		`{"keep":"` + long + `","x":"` + long + `"}`:       `{"keep":"` + long[:513] + `","x":null}`,
		`{"keep":"` + strings.Repeat(`\u00e9`, 400) + `"}`: `{"keep":"` + strings.Repeat(`\u00e9`, 86) + `"}`,
		`{}`: `{}`,
		`{"a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `,"keep":null}`: `{"a":null,"keep":null}`,
	} {
		for _, event := range []string{
			"data: " + document + "\n\n", "event: x\r\ndata: " + document + "\r\n\r\n", "data: " + document + "\ndata: [DONE]\n\n",
			"data: " + strings.ReplaceAll(document, `,"`, ",\ndata:\"") + "\n\n",
		} {
			for cut := range min(len(event), 300) {
				if got := string(gather(t, event, cut, cut+(len(event)-cut)/2)); got != want {
					t.Fatalf("%.200q, cut at %d: got %.300q, want %.300q", event, cut, got, want)
				}
			}
		}
	}
}

func TestGather_GivesNothingOfABrokenEvent(t *testing.T) {
	for _, event := range []string{
		`data: {"keep":1`, `data: {"keep":1}}`, `data: {"keep":"a`, `data: {"keep":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{"keep":"\`,
		`data: {"keep":[` + strings.Repeat(`"`+strings.Repeat("a", 400)+`",`, 50) + `1]}`,
	} {
		if got := gather(t, event, 3); got != nil {
			t.Errorf("%.100q: got %.100q", event, got)
		}
	}
	var tap wire.Tap
	for _, part := range []wire.Part{wire.PartNext, wire.PartLast} {
		e := wire.Event{Part: part, Raw: []byte(`{"keep":1}`)}
		if data, whole := tap.Gather(&e, keptNames); data != nil || whole != (part == wire.PartLast) {
			t.Errorf("piece %d without a first: got %q, %v", part, data, whole)
		}
	}
}

func TestGather_LeavesWholeEventsAlone(t *testing.T) {
	var tap wire.Tap
	e := wire.Event{Data: []byte("as it is")}
	if data, whole := tap.Gather(&e, keptNames); !whole || string(data) != "as it is" || tap != (wire.Tap{}) {
		t.Errorf("got %q, %v", data, whole)
	}
}

// TestGather_ReadsWhatEncodingJSONReads holds the outlines of documents, whole
// and mutated, against encoding/json: those of valid documents keep every named
// member as it is.
func TestGather_ReadsWhatEncodingJSONReads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seeds := []string{
		`{"a":{"keep":"x"},"keep":{"b":[1,"2",{"keep":null}]},"inside":{"keep":1,"c":"\\\"","d":[[]]},"e":-1.5e3}`,
		`{"inside":{"inside":{"keep":1},"keep":"}"},"keep":[{"a":","},":"],"x":{"y":"{"}}`, "{ \"keep\" : 1 ,\t\"b\" : [ 2 ] }",
	}
	spices := []string{`"keep":2,`, `"inside":{},`, `"x":[`, "{", "}", "[", "]", ",", ":", `"`, `\`, `\u0041`, "1", "null", " "}
	compared := 0
	for range 40_000 {
		document := wiretest.Mutate(r, seeds[r.IntN(len(seeds))], spices)
		v, ok := wiretest.Parse(document)
		if !ok || v.Kind != '{' || bytes.Contains(document, []byte(`\u`)) {
			continue
		}
		compared++
		got, ok := wiretest.Parse(gather(t, "data: "+string(document)+"\n\n", r.IntN(len(document))))
		if want := pruned(v, ""); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q:\ngot  %v\nwant %v", document, got, want)
		}
	}
	if compared < 2_000 {
		t.Errorf("only %d documents were valid", compared)
	}
}

// pruned is an object without what is not kept.
func pruned(v wiretest.Value, within string) wiretest.Value {
	var members []wiretest.Member
	for _, m := range v.Members {
		switch {
		case !keptNames([]byte(within), []byte(m.Name)):
			m.Value = wiretest.Value{Kind: 'n'}
		case within == "" && m.Name != "" && m.Value.Kind == '{':
			m.Value = pruned(m.Value, m.Name)
		}
		members = append(members, m)
	}
	v.Members = members
	return v
}

func BenchmarkGather(b *testing.B) {
	for name, text := range map[string]string{"base64": strings.Repeat("aBc+/123", 1<<17), "escapes": strings.Repeat(`\n`, 1<<19)} {
		event := []byte(`data: {"type":"x","text":"` + text + `","keep":1}` + "\n\n")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				var tap wire.Tap
				for at := 0; at < len(event); at += 60 << 10 {
					e := wire.Event{Raw: event[at:min(at+60<<10, len(event))], Part: wire.PartNext}
					if at == 0 {
						e.Part = wire.PartFirst
					}
					tap.Gather(&e, keptNames)
				}
			}
		})
	}
}

func FuzzGather(f *testing.F) {
	f.Add(`data: {"keep":"a\"}","x":[{"keep":1}],"inside":{"keep":{},"y":"\u00e9"}}`+"\n\n", 7, 30)
	f.Add("data: {\"keep\":1,\r\ndata: \"x\":2}[DONE]", 3, 9)
	f.Fuzz(func(t *testing.T, event string, a, b int) {
		if a = min(max(a, 0), len(event)); b < a || b > len(event) {
			b = a
		}
		if whole, cut := gather(t, event, 0), gather(t, event, a, b); !bytes.Equal(whole, cut) {
			t.Errorf("%q: got %q, cut at %d and %d %q", event, whole, a, b, cut)
		}
	})
}
