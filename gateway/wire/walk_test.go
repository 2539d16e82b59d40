package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// documents are answers and events from which mutations start.
var documents = [...]string{
	`{"id":"c","choices":[{"index":0,"delta":{"content":"雨🙂ñ \u96e8\ud83d\"\\"},"finish_reason":null}],"usage":null}`,
	`{"usage":{"prompt_tokens":12,"a":[1,-2.5e3,1e999,true,false,null,{},[]]},"\u0075sage":7}`,
	` [ {"error" : {"message":"m"} } , "x" ] `, `"text"`, `-0.5E+7`, `{"a":"long enough to be looked at in blocks of thirty-two bytes, and then some"}`,
	"{\"a\":\"broken \xff\xfe UTF-8, \xed\xa0\x80 too\"}",
}

func TestWalk_TakesWhatEncodingJSONTakes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	valid := 0
	for range 60_000 {
		if compareWalk(t, mutate(r, []byte(documents[r.IntN(len(documents))]))) {
			valid++
		}
	}
	if valid < 2_000 {
		t.Errorf("only %d mutations were JSON", valid)
	}
}

func FuzzWalk(f *testing.F) {
	for _, seed := range documents {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareWalk(t, document) })
}

// compareWalk holds a walk through every value of a document against
// encoding/json, and reports whether it is JSON.
func compareWalk(t *testing.T, document []byte) bool {
	t.Helper()
	valid := json.Valid(document) && depth(document) <= wire.MaxAnswerDepth
	if wire.Valid(document) != valid {
		t.Fatalf("%q: encoding/json says %v", document, valid)
	}
	w := wire.Walk(document)
	var walked strings.Builder
	describe(&walked, &w)
	if w.End() != valid {
		t.Fatalf("%q: a walk says %v", document, !valid)
	}
	if !valid {
		return false
	}
	if want := described(document); walked.String() != want {
		t.Fatalf("%q:\nwalked %s\nwant   %s", document, walked.String(), want)
	}
	return true
}

// describe writes all that a walker reads of a value.
func describe(to *strings.Builder, w *wire.Walker) {
	switch first := w.First(); first {
	case '{':
		to.WriteByte('{')
		for more := w.Object(); more; more = w.Member() {
			fmt.Fprintf(to, "%q:", clean(w.Name()))
			describe(to, w)
		}
		to.WriteByte('}')
	case '[':
		to.WriteByte('[')
		for more := w.Array(); more; more = w.Element() {
			describe(to, w)
		}
		to.WriteByte(']')
	case '"':
		text, _ := w.Text(nil)
		fmt.Fprintf(to, "%q ", clean(text))
	case 0:
	default:
		w.Skip()
		fmt.Fprintf(to, "%c ", first)
	}
}

// clean puts U+FFFD where encoding/json does: for every byte that is none of a
// rune.
func clean(text []byte) string { return string([]rune(string(text))) }

// described is what describe would write, by the standard library alone.
func described(document []byte) string {
	var to strings.Builder
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	describeNext(&to, d)
	return to.String()
}

func describeNext(to *strings.Builder, d *json.Decoder) {
	switch token, _ := d.Token(); value := token.(type) {
	case json.Delim:
		to.WriteString(value.String())
		for d.More() {
			if value == '{' {
				name, _ := d.Token()
				fmt.Fprintf(to, "%q:", name)
			}
			describeNext(to, d)
		}
		closer, _ := d.Token()
		fmt.Fprint(to, closer)
	case string:
		fmt.Fprintf(to, "%q ", value)
	case nil:
		to.WriteString("n ")
	default:
		fmt.Fprintf(to, "%c ", fmt.Sprint(value)[0])
	}
}

func TestWalker_StepsOverWhatIsNotRead(t *testing.T) {
	w := wire.Walk([]byte(` {"a":{"b":[1,{"c":2}]},"d":[3],"e":"x","\u0066":4,"g":{},"h":[]} `))
	var read []string
	for more := w.Object(); more; more = w.Member() {
		switch name := string(w.Name()); name {
		case "a":
			for more := w.Object(); more; more = w.Member() {
				read = append(read, "b")
			}
		case "f", "e":
			read = append(read, fmt.Sprint(name, w.Index()))
		case "d":
			if text, ok := w.Text(nil); ok {
				t.Errorf("an array is the text %q", text)
			}
		case "g":
			if w.Array() || w.Object() {
				t.Error("an empty object holds something")
			}
		case "h":
			if w.Object() || w.Array() {
				t.Error("an empty array holds something")
			}
		}
	}
	if got, want := fmt.Sprint(read), "[b e0 f4]"; got != want || !w.End() {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestWalker_AnswersNothingAfterAFault(t *testing.T) {
	w := wire.Walk([]byte(`{"a":[1,x],"b":{"c":1}}`))
	for more := w.Object(); more; more = w.Member() {
		for more := w.Array(); more; more = w.Element() {
			w.Skip()
		}
	}
	if w.OK() || w.Object() || w.Array() || w.Member() || w.Element() || w.First() != 0 || w.Value().Present() || w.End() {
		t.Error("a walker goes on after a fault")
	}
}

func TestWalker_ReadsNamesOfAnyLength(t *testing.T) {
	long := strings.Repeat(`\u0061`, 300)
	w := wire.Walk([]byte(`{"` + strings.Repeat(`\u0061`, 30) + `":1,"` + long + `":2}`))
	if w.Name() != nil {
		t.Error("there is a name before the first member")
	}
	var names []string
	for more := w.Object(); more; more = w.Member() {
		names = append(names, string(w.Name()))
	}
	if want := []string{strings.Repeat("a", 30), long}; fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestWalker_GoesNoDeeperThanAnswersMay(t *testing.T) {
	deep := strings.Repeat("[", wire.MaxAnswerDepth+1)
	w := wire.Walk([]byte(deep + strings.Repeat("]", len(deep))))
	levels := 0
	for w.Array() {
		levels++
	}
	if levels != wire.MaxAnswerDepth || w.OK() {
		t.Errorf("went %d levels deep", levels)
	}
}

func TestWalkWithin_GoesOnWhereTheBeginningIsGone(t *testing.T) {
	tail := []byte(`long","finish":"stop","index":1},{"index":2}],"usage":{"n":7}}`)
	w := wire.WalkWithin(tail, bytes.Index(tail, []byte(`"finish"`)))
	var read []string
	note := func(more bool) {
		for ; more; more = w.Member() {
			read = append(read, fmt.Sprintf("%s=%s", w.Name(), w.Value().Of(tail)))
		}
	}
	note(w.Resume())
	for more := w.Element(); more; more = w.Element() {
		note(w.Object())
	}
	note(w.Member())
	if got, want := fmt.Sprint(read), `[finish="stop" index=1 index=2 usage={"n":7}]`; got != want || !w.End() {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestWalker_DoesNotAllocate(t *testing.T) {
	document := []byte(`{"\u0075sage":{"prompt_tokens":12,"x":1.5},"choices":[{"finish_reason":"tool_calls","a":"\n"}],"type":"err\u006fr"}`)
	if n := testing.AllocsPerRun(100, func() {
		var u wire.Usage
		var room [8]byte
		w := wire.Walk(document)
		for more := w.Object(); more; more = w.Member() {
			switch string(w.Name()) {
			case "usage":
				for more := w.Object(); more; more = w.Member() {
					w.Count(&u)
				}
			case "type":
				if !w.Is("error") {
					t.Error("the type was not read")
				}
			case "choices":
				for more := w.Array(); more; more = w.Element() {
					for more := w.Object(); more; more = w.Member() {
						if string(w.Name()) == "a" {
							_, _ = w.Text(room[:0])
						} else if w.Reason() != "tool_calls" {
							t.Error("the reason was not read")
						}
					}
				}
			}
		}
		if !w.End() {
			t.Error("the document is no JSON")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
