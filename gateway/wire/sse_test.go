package wire_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// seen is one event as a test compares it. Raw bytes are compared as a whole.
type seen struct {
	Type, Data string
	HasData    bool
}

// split plays a stream in the given pieces and returns its events that carry
// data, all bytes that went on, and what was missing at the end.
func split(t *testing.T, pieces ...string) (events []seen, raw, missing string) {
	t.Helper()
	var s wire.Splitter
	take := func() {
		var e wire.Event
		for s.Next(&e) {
			raw += string(s.Bytes(e.At))
			missing += e.Missing
			if e.HasData {
				events = append(events, seen{string(e.Type), string(e.Data), true})
			}
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
		t.Fatal(err)
	}
	return events, raw, missing
}

var streams = map[string]struct {
	stream  string
	want    []seen
	missing string
}{
	"plain":              {"data: a\n\ndata: b\n\n", []seen{{"", "a", true}, {"", "b", true}}, ""},
	"types":              {"event: x\ndata: a\n\nevent:y\nid: 7\nretry: 3\ndata:b\n\n", []seen{{"x", "a", true}, {"y", "b", true}}, ""},
	"CRLF":               {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []seen{{"x", "a", true}, {"", "b", true}}, ""},
	"CR":                 {"event: x\rdata: a\r\rdata: b\r\r", []seen{{"x", "a", true}, {"", "b", true}}, ""},
	"mixed line ends":    {"data: a\r\ndata: b\n\r\ndata: c\r\n\n", []seen{{"", "a\nb", true}, {"", "c", true}}, ""},
	"comments":           {": PROCESSING\n\n:\n\n: x\ndata: a\n: y\ndata: b\n\n", []seen{{"", "a\nb", true}}, ""},
	"several lines":      {"data: a\ndata:\ndata:  b\ndata\n\n", []seen{{"", "a\n\n b\n", true}}, ""},
	"empty data":         {"data\n\ndata:\n\ndata: \n\n", []seen{{"", "", true}, {"", "", true}, {"", "", true}}, ""},
	"no data":            {"event: x\n\n\n\n\ndata: a\n\n", []seen{{"", "a", true}}, ""},
	"other fields":       {"datax: a\ndata : b\nxdata: c\n\ndata: d\n\n", []seen{{"", "d", true}}, ""},
	"byte order mark":    {"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []seen{{"", "a", true}}, ""},
	"runes":              {"data: {\"c\":\"雨🙂ñ\"}\n\n", []seen{{"", `{"c":"雨🙂ñ"}`, true}}, ""},
	"not UTF-8":          {"data: \xff\xfe\n\n", []seen{{"", "\xff\xfe", true}}, ""},
	"no last blank line": {"data: a\n\ndata: [DONE]\n", []seen{{"", "a", true}, {"", "[DONE]", true}}, "\n"},
	"no last line end":   {"data: a\n\nevent: x\ndata: [DONE]", []seen{{"", "a", true}, {"x", "[DONE]", true}}, "\n\n"},
	"ends in one CR":     {"data: a\r", []seen{{"", "a", true}}, "\n\n"},
	"ends in one CRLF":   {"data: a\r\n", []seen{{"", "a", true}}, "\n"},
	"empty":              {"", nil, ""},
}

func TestSplitter_FindsTheSameEventsHoweverTheStreamIsCut(t *testing.T) {
	for name, c := range streams {
		check := func(how string, pieces ...string) {
			t.Helper()
			events, raw, missing := split(t, pieces...)
			if fmt.Sprint(events) != fmt.Sprint(c.want) || missing != c.missing {
				t.Errorf("%s, %s: got %v missing %q, want %v missing %q", name, how, events, missing, c.want, c.missing)
			}
			if raw != c.stream {
				t.Errorf("%s, %s: the bytes became %q", name, how, raw)
			}
		}
		check("whole", c.stream)
		each := make([]string, len(c.stream))
		for i := range each {
			each[i] = c.stream[i : i+1]
			check(fmt.Sprint("cut at ", i), c.stream[:i], c.stream[i:])
		}
		check("byte by byte", each...)
	}
}

func TestSplitter_YieldsAnEventWithTheByteThatEndsIt(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\n\r", "data: a\r\r", ": comment\n", "\n"} {
		var s wire.Splitter
		var e wire.Event
		for i := range len(stream) {
			if s.Next(&e) {
				t.Errorf("%q: an event after %d bytes", stream, i)
			}
			s.Space()[0] = stream[i]
			s.Filled(1)
		}
		if !s.Next(&e) {
			t.Errorf("%q: no event", stream)
		}
	}
}

func TestSplitter_LaysTheEventsOfOneReadSideBySide(t *testing.T) {
	var s wire.Splitter
	s.Filled(copy(s.Space(), "data: a\n\ndata: drop\n\n: c\n\ndata: b\n\ndata: unfinished"))
	var runs []string
	run := wire.Range{}
	for e := (wire.Event{}); s.Next(&e); {
		if string(e.Data) != "drop" {
			run.End = e.At.End
			continue
		}
		runs = append(runs, string(s.Bytes(run)))
		run = wire.Range{Start: e.At.End, End: e.At.End}
	}
	runs = append(runs, string(s.Bytes(run)))
	if want := []string{"data: a\n\n", ": c\n\ndata: b\n\n"}; fmt.Sprint(runs) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", runs, want)
	}
}

func TestSplitter_LosesTheUnfinishedEventOfABrokenStream(t *testing.T) {
	var s wire.Splitter
	s.Filled(copy(s.Space(), "data: a\n\ndata: b\n"))
	var e wire.Event
	if !s.Next(&e) || string(e.Data) != "a" || s.Next(&e) || s.MidEvent() {
		t.Errorf("got %q, mid event %v", e.Data, s.MidEvent())
	}
}

func TestSplitter_PassesALongEventInPieces(t *testing.T) {
	for _, size := range []int{wire.MaxWhole - 30, wire.MaxWhole + 1, 1<<20 + 1, 5 << 20, 16 << 20} {
		stream := "event: big\ndata: HEAD" + strings.Repeat("a", size-8) + "TAIL\n\ndata: [DONE]\n\n"
		pieces, raw := readAll(t, stream, 1500)
		if !bytes.Equal(raw, []byte(stream)) {
			t.Fatalf("%d: bytes were changed", size)
		}
		if last := pieces[len(pieces)-1]; string(last.Data) != "[DONE]" || last.Part != wire.PartWhole {
			t.Errorf("%d: ended in %q", size, last.Data)
		}
		pieces = pieces[:len(pieces)-1]
		if size < wire.MaxWhole {
			if len(pieces) != 1 || pieces[0].Part != wire.PartWhole || len(pieces[0].Data) != size {
				t.Errorf("%d: came in %d pieces", size, len(pieces))
			}
			continue
		}
		first, last := pieces[0], pieces[len(pieces)-1]
		if first.Part != wire.PartFirst || string(first.Type) != "big" || !bytes.HasPrefix(first.Data, []byte("HEADa")) {
			t.Errorf("%d: first piece %v of type %q", size, first.Part, first.Type)
		}
		if last.Part != wire.PartLast || len(last.Data) < wire.TailWindow-2 || !bytes.HasSuffix(last.Data, []byte("aTAIL")) {
			t.Errorf("%d: last piece %v with %d bytes", size, last.Part, len(last.Data))
		}
		for _, middle := range pieces[1 : len(pieces)-1] {
			if middle.Part != wire.PartNext || middle.HasData {
				t.Errorf("%d: piece %v in the middle", size, middle.Part)
			}
		}
	}
}

// readAll plays a stream in reads of at most n bytes and copies what comes.
func readAll(t *testing.T, stream string, n int) (events []wire.Event, raw []byte) {
	t.Helper()
	var s wire.Splitter
	for ended := false; !ended; {
		if ended = len(stream) == 0; ended {
			s.End()
		}
		space := s.Space()
		if len(space) > wire.MaxWhole {
			t.Fatalf("holds %d bytes", len(space))
		}
		got := copy(space[:min(n, len(space))], stream)
		stream = stream[got:]
		s.Filled(got)
		for e := (wire.Event{}); s.Next(&e); {
			raw = append(raw, s.Bytes(e.At)...)
			e.Data, e.Type = bytes.Clone(e.Data), bytes.Clone(e.Type)
			events = append(events, e)
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
	}
	return events, raw
}

func TestSplitter_CutsLongEventsWithOddLineEnds(t *testing.T) {
	long := strings.Repeat("x", 3*wire.MaxWhole)
	for _, stream := range []string{
		"data: " + long + "\r\n\r\ndata: b\r\n\r\n", "data: " + long + "\r\rdata: b\r\r", "data: " + long + "\ndata: " + long + "\n\ndata: b",
		strings.Repeat("data: "+long[:100]+"\n", 5000) + "\ndata: b\n\n", ": " + long + "\n\ndata: b\n\n",
	} {
		for _, n := range []int{1, 777, 1 << 20} {
			events, raw := readAll(t, stream, n)
			if !bytes.Equal(raw, []byte(stream)) {
				t.Errorf("%.10q…, reads of %d: bytes were changed", stream, n)
			}
			events = slices.DeleteFunc(events, func(e wire.Event) bool { return !e.HasData })
			if last := events[len(events)-1]; string(last.Data) != "b" {
				t.Errorf("%.10q…, reads of %d: ended in %.20q", stream, n, last.Data)
			}
		}
	}
}

func TestSplitter_EndsAStreamWhoseEventIsTooLong(t *testing.T) {
	var s wire.Splitter
	var e wire.Event
	s.Filled(copy(s.Space(), "data: "))
	passed, went := 0, 0
	for s.Err() == nil && went < 2*wire.MaxEvent {
		space := s.Space()
		for i := range space {
			space[i] = 'a'
		}
		s.Filled(len(space))
		went += len(space)
		for s.Next(&e) {
			passed += e.At.End - e.At.Start
		}
	}
	if s.Err() != wire.ErrEventTooLong || !s.MidEvent() || passed > wire.MaxEvent || went < 16<<20 {
		t.Errorf("error %v after %d bytes, %d passed", s.Err(), went, passed)
	}
}

func TestSplitter_DoesNotAllocateInASteadyState(t *testing.T) {
	stream := []byte(strings.Repeat("event: x\ndata: {\"a\":1}\ndata: {\"b\":2}\n\n: c\n\n", 40))
	var s wire.Splitter
	var e wire.Event
	play := func() {
		for rest := stream; len(rest) > 0; {
			n := copy(s.Space(), rest[:min(len(rest), 333)])
			rest = rest[n:]
			s.Filled(n)
			for s.Next(&e) {
			}
		}
	}
	play()
	if n := testing.AllocsPerRun(20, play); n != 0 {
		t.Errorf("%v allocations", n)
	}
	s.Reset()
	if len(s.Space()) < 4096 {
		t.Error("Reset gave the memory away")
	}
}
