package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
)

// elements is what a Splitter makes of an array.
type elements struct {
	data   []string // of whole elements
	others []string // raw bytes of events without data
	raw    string   // all bytes that went on
	close  string   // what the array lacks at the end
	mid    bool     // it ended within an element of which pieces went on
}

// splitArray plays an array in the given pieces to a clean end.
func splitArray(tb testing.TB, pieces ...string) (got elements) {
	tb.Helper()
	var s wire.Splitter
	s.Frame(wire.FramingArray)
	take := func() {
		for e := (wire.Event{}); s.Next(&e); {
			got.take(tb, &s, &e)
		}
	}
	for _, piece := range pieces {
		for len(piece) > 0 {
			n := copy(s.Space(), piece)
			piece = piece[n:]
			s.Filled(n)
			take()
		}
	}
	s.End()
	take()
	if err := s.Err(); err != nil {
		tb.Fatal(err)
	}
	got.close, got.mid = s.Close(), s.MidEvent()
	return got
}

func (got *elements) take(tb testing.TB, s *wire.Splitter, e *wire.Event) {
	tb.Helper()
	if string(e.Raw) != string(s.Bytes(e.At)) || e.Missing != "" || len(e.Type) > 0 {
		tb.Errorf("an event holds %q, stands at %q, misses %q and is of type %q", e.Raw, s.Bytes(e.At), e.Missing, e.Type)
	}
	if got.raw += string(e.Raw); e.Part != wire.PartWhole {
		return
	}
	if e.HasData {
		got.data = append(got.data, string(e.Data))
	} else {
		got.others = append(got.others, string(e.Raw))
	}
}

var arrays = map[string]struct {
	body   string
	data   []string
	others []string
	close  string
	left   string // the rest that does not go on
}{
	"compact":         {`[{"a":1},{"b":2}]`, []string{`{"a":1}`, `{"b":2}`}, []string{"]"}, "", ""},
	"as Google's":     {"[{\n  \"a\": 1\n}\n,\n{\n  \"b\": 2\n}\n]\n", []string{"{\n  \"a\": 1\n}", "{\n  \"b\": 2\n}"}, []string{"\n]"}, "", "\n"},
	"blanks":          {" \t\r\n[ {} \r\n,\t{} ] ", []string{"{}", "{}"}, []string{" ]"}, "", " "},
	"empty":           {"[]", nil, []string{"[]"}, "", ""},
	"a mark":          {"\xef\xbb\xbf[{}]", []string{"{}"}, []string{"]"}, "", ""},
	"nested":          {`[{"a":[{},[1,[]]],"b":{}},[[{}],{}]]`, []string{`{"a":[{},[1,[]]],"b":{}}`, `[[{}],{}]`}, []string{"]"}, "", ""},
	"braces in text":  {`[{"a":"}]{["},{"b":"\"}\\"},{"\\":"\\\"]"}]`, []string{`{"a":"}]{["}`, `{"b":"\"}\\"}`, `{"\\":"\\\"]"}`}, []string{"]"}, "", ""},
	"runes in text":   {`[{"a":"雨🙂}ñ\u007d"}]`, []string{`{"a":"雨🙂}ñ\u007d"}`}, []string{"]"}, "", ""},
	"scalars between": {`[1,"x]",{"a":1},null]`, []string{`{"a":1}`}, []string{",null]"}, "", ""},
	"one object":      {`{"error":{"code":429}}`, []string{`{"error":{"code":429}}`}, nil, "", ""},
	"an array in it":  {`{"a":[{}]}`, []string{`{"a":[{}]}`}, nil, "", ""},
	"no bracket":      {`[{"a":1}`, []string{`{"a":1}`}, nil, "\n]", ""},
	"cut after comma": {"[{\"a\":1}\n,\n", []string{`{"a":1}`}, nil, "\n]", "\n,\n"},
	"cut element":     {`[{"a":1},{"b":"}]`, []string{`{"a":1}`}, nil, "\n]", `,{"b":"}]`},
	"cut at once":     {`[{"a":`, nil, nil, "\n]", `[{"a":`},
	"cut in one":      {`{"a":`, nil, nil, "", `{"a":`},
	"nothing":         {"", nil, nil, "", ""},
	"no JSON":         {"<html>ok</html>", nil, nil, "", "<html>ok</html>"},
}

func TestSplitter_YieldsTheElementsOfAnArray(t *testing.T) {
	for name, c := range arrays {
		for i := range len(c.body) + 1 {
			checkArray(t, fmt.Sprint(name, ", cut at ", i), c.body, splitArray(t, c.body[:i], c.body[i:]))
		}
		checkArray(t, name+", byte by byte", c.body, splitArray(t, wiretest.Bytewise(c.body)...))
		crlf := strings.ReplaceAll(c.body, "\n", "\r\n")
		if got := splitArray(t, wiretest.Bytewise(crlf)...); strings.ReplaceAll(got.raw, "\r", "")+strings.ReplaceAll(c.left, "\r", "") != strings.ReplaceAll(c.body, "\r", "") {
			t.Errorf("%s, CRLF: %q became %q", name, crlf, got.raw)
		}
	}
}

func checkArray(t *testing.T, how, body string, got elements) {
	t.Helper()
	name, _, _ := strings.Cut(how, ", ")
	want := arrays[name]
	if !slices.Equal(got.data, want.data) || !slices.Equal(got.others, want.others) {
		t.Errorf("%s: elements %q, others %q", how, got.data, got.others)
	}
	if got.raw+want.left != body || got.close != want.close || got.mid {
		t.Errorf("%s: %q became %q, to be closed with %q, mid-event %v", how, body, got.raw, got.close, got.mid)
	}
}

func TestSplitter_YieldsLongElementsInPieces(t *testing.T) {
	for _, size := range []int{2 * wire.MaxWhole, 1<<20 + 1, 5 << 20} {
		head, tail := `{"candidates":[{"x":"}`, `\"]"}],"usage":{"n":7}}`
		body := "[{\"a\":1},\n" + head + strings.Repeat(`QUJD\\`+strings.Repeat("QUJD", 23), size/98) + tail + ",{\"b\":2}\n]"
		for _, read := range []int{777, 4 << 10, wire.MaxWhole} {
			var s wire.Splitter
			s.Frame(wire.FramingArray)
			var raw bytes.Buffer
			var parts []wire.Part
			for rest := body; rest != ""; {
				n := copy(s.Space()[:min(read, len(s.Space()))], rest)
				rest = rest[n:]
				s.Filled(n)
				for e := (wire.Event{}); s.Next(&e); parts = append(parts, e.Part) {
					raw.Write(e.Raw)
					checkPiece(t, &e, head, tail)
				}
			}
			if raw.String() != body || !slices.Equal(slices.Compact(parts), longParts) || s.MidEvent() || s.Close() != "" {
				t.Errorf("%d bytes in reads of %d: parts %v, bytes kept %v", size, read, slices.Compact(parts), raw.String() == body)
			}
		}
	}
}

var longParts = []wire.Part{wire.PartWhole, wire.PartFirst, wire.PartNext, wire.PartLast, wire.PartWhole}

func checkPiece(t *testing.T, e *wire.Event, head, tail string) {
	t.Helper()
	switch data := string(e.Data); {
	case e.Part == wire.PartFirst && !strings.HasPrefix(data, head):
		t.Errorf("the first piece begins with %.40q", data)
	case e.Part == wire.PartLast && (!strings.HasSuffix(data, tail) || len(data) < wire.TailWindow):
		t.Errorf("the last piece has %d bytes and ends with %q", len(data), data[max(len(data)-40, 0):])
	case e.Part == wire.PartNext && e.HasData:
		t.Errorf("a piece between has data")
	case len(e.Raw) > wire.MaxWhole:
		t.Errorf("a piece has %d bytes", len(e.Raw))
	}
}

func TestSplitter_TellsThatALongElementIsNotWhole(t *testing.T) {
	got := splitArray(t, `[{},{"a":"`+strings.Repeat("long ", 40_000))
	if !got.mid || got.close != "" {
		t.Errorf("mid-event %v, to be closed with %q", got.mid, got.close)
	}
	var s wire.Splitter
	if s.Frame(wire.FramingArray); s.Close() != "" {
		t.Error("an array that has not begun is to be closed")
	}
	if end, ok := s.Break(); end != "" || ok {
		t.Errorf("an element that is not whole is ended with %q", end)
	}
}

func TestSplitter_RefusesElementsOfMoreThan16MiB(t *testing.T) {
	element := `{"a":"` + strings.Repeat("a", wire.MaxEvent) + `"}`
	for _, body := range []string{"[" + element + "]", "[{}," + element, strings.Repeat(" ", wire.MaxEvent+1) + "[{}]"} {
		var s wire.Splitter
		s.Frame(wire.FramingArray)
		for rest := body; rest != "" && s.Err() == nil; {
			n := copy(s.Space(), rest)
			rest = rest[n:]
			s.Filled(n)
			for e := (wire.Event{}); s.Next(&e); {
				continue
			}
		}
		if !errors.Is(s.Err(), wire.ErrEventTooLong) {
			t.Errorf("%.20q: error %v", body, s.Err())
		}
	}
}

func TestSplitter_ReadsAnArrayAfterReset(t *testing.T) {
	var s wire.Splitter
	for _, body := range []string{`[{"a":"`, `[{"b":1}`, `{"c":{`} {
		s.Reset()
		s.Frame(wire.FramingArray)
		s.Filled(copy(s.Space(), body))
		e := wire.Event{}
		if found := s.Next(&e); found != (body[2] == '"' && body[3] == 'b') {
			t.Errorf("%q: an element %v", body, found)
		}
	}
}

func TestSplitter_DoesNotAllocateForElements(t *testing.T) {
	var s wire.Splitter
	s.Frame(wire.FramingArray)
	s.Filled(copy(s.Space(), "["))
	e := wire.Event{}
	if n := testing.AllocsPerRun(1000, func() {
		s.Filled(copy(s.Space(), chunkElement))
		if !s.Next(&e) {
			t.Fatal("no element")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

const chunkElement = "{\n  \"candidates\": [\n    {\n      \"content\": {\n        \"parts\": [\n          {\n            \"text\": \"Nothing is as it was, \\\"she\\\" said.\"\n          }\n        ],\n        \"role\": \"model\"\n      }\n    }\n  ]\n}\n,\n"

// compareArray holds a Splitter against encoding/json: for any bytes what goes
// on is how they begin, however they are cut; of an array its elements.
func compareArray(t *testing.T, body string, cut int) {
	t.Helper()
	whole := splitArray(t, body)
	at := min(max(cut, 0), len(body))
	for _, other := range []elements{splitArray(t, body[:at], body[at:]), splitArray(t, wiretest.Bytewise(body)...)} {
		if !slices.Equal(whole.data, other.data) || !slices.Equal(whole.others, other.others) || whole.raw != other.raw || whole.close != other.close {
			t.Errorf("%q\nwhole %+v\ncut   %+v", body, whole, other)
		}
	}
	if !strings.HasPrefix(body, whole.raw) {
		t.Errorf("%q became %q", body, whole.raw)
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(body), &list) != nil || list == nil {
		return
	}
	if whole.close != "" || strings.TrimRight(body, " \t\r\n") != whole.raw {
		t.Errorf("%q became %q, to be closed with %q", body, whole.raw, whole.close)
	}
	list = slices.DeleteFunc(list, func(value json.RawMessage) bool { return value[0] != '{' && value[0] != '[' })
	if !slices.EqualFunc(list, whole.data, func(value json.RawMessage, data string) bool { return string(value) == data }) {
		t.Errorf("%q: elements %q, want %q", body, whole.data, list)
	}
}

func FuzzSplitter_Array(f *testing.F) {
	for _, c := range arrays {
		f.Add(c.body, 3)
	}
	f.Fuzz(func(t *testing.T, body string, cut int) {
		if len(body) < wire.MaxWhole/2 {
			compareArray(t, body, cut)
		}
	})
}

func BenchmarkSplitter_Array(b *testing.B) {
	for name, element := range map[string]string{"text": chunkElement, "image": `{"a":"` + strings.Repeat("QUJD", 1<<18) + `"},`, "runes": `{"a":"` + strings.Repeat("雨の日 ", 300) + `"},`} {
		b.Run(name, func(b *testing.B) {
			var s wire.Splitter
			s.Frame(wire.FramingArray)
			s.Filled(copy(s.Space(), "["))
			b.SetBytes(int64(len(element)))
			b.ReportAllocs()
			for b.Loop() {
				for rest := element; rest != ""; {
					n := copy(s.Space(), rest)
					rest = rest[n:]
					s.Filled(n)
					for e := (wire.Event{}); s.Next(&e); {
						continue
					}
				}
			}
		})
	}
}
