package wire_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
)

// splitLines plays a stream of lines in the given pieces and returns its lines
// that are not empty, all bytes that went on, and what was missing at the end.
func splitLines(t *testing.T, pieces ...string) (lines []string, raw, missing string) {
	t.Helper()
	var s wire.Splitter
	s.Frame(wire.FramingLines)
	take := func() {
		for e := (wire.Event{}); s.Next(&e); {
			raw += string(s.Bytes(e.At))
			missing += e.Missing
			if e.HasData {
				lines = append(lines, string(e.Data))
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
	if take(); s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines, raw, missing
}

// slowLines are the lines of a stream without their ends; missing is what the
// last one lacks.
func slowLines(stream string) (lines []string, missing string) {
	for line := range strings.SplitAfterSeq(strings.TrimPrefix(stream, "\xef\xbb\xbf"), "\n") {
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if text != "" {
			lines = append(lines, text)
		}
	}
	if stream != "" && !strings.HasSuffix(stream, "\n") {
		missing = "\n"
	}
	return lines, missing
}

func compareLines(t *testing.T, stream string, cut int) {
	t.Helper()
	want, lacks := slowLines(stream)
	cut = min(max(cut, 0), len(stream))
	for how, pieces := range map[string][]string{
		"whole": {stream}, "byte by byte": wiretest.Bytewise(stream), "in two": {stream[:cut], stream[cut:]},
	} {
		lines, raw, missing := splitLines(t, pieces...)
		if !slices.Equal(lines, want) || raw != stream || missing != lacks {
			t.Fatalf("%q, %s, cut at %d:\ngot  %q missing %q\nwant %q missing %q\nbytes %q", stream, how, cut, lines, missing, want, lacks, raw)
		}
	}
}

// lineCrumbs are what random streams of lines are made of.
var lineCrumbs = [...]string{"{}", `{"a":1}`, "\n", "\r\n", "\r", "\n\n", " ", "\t", "data: x", ": c", "event: e", "\xef\xbb\xbf", "\x00", "é", "[", "]", ","}

func TestSplitter_CutsLinesWhateverTheyHold(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 30_000 {
		var stream strings.Builder
		for range r.IntN(14) {
			stream.WriteString(lineCrumbs[r.IntN(len(lineCrumbs))])
		}
		compareLines(t, stream.String(), r.IntN(20))
	}
}

func FuzzSplitter_Lines(f *testing.F) {
	for name, stream := range wiretest.LineSpellings("{\"a\":1}\n{\"b\":[2]}\n") {
		f.Add(stream, len(name))
	}
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		if len(stream) < wire.MaxWhole/2 {
			compareLines(t, stream, cut)
		}
	})
}

func TestSplitter_YieldsALineWithTheByteThatEndsIt(t *testing.T) {
	for _, stream := range []string{"{}\n", "{}\r\n", "\n", "\r\n", ": no comment\n"} {
		var s wire.Splitter
		s.Frame(wire.FramingLines)
		var e wire.Event
		for i := range len(stream) {
			if s.Next(&e) {
				t.Errorf("%q: a line after %d bytes", stream, i)
			}
			s.Space()[0] = stream[i]
			s.Filled(1)
		}
		if !s.Next(&e) || string(e.Raw) != stream {
			t.Errorf("%q: no line, or %q", stream, e.Raw)
		}
	}
}

// pieces plays a stream of lines in reads of a size and returns its events.
func pieces(t *testing.T, stream string, size int) (parts []wire.Part, raw, first, last string) {
	t.Helper()
	var s wire.Splitter
	s.Frame(wire.FramingLines)
	for over := false; !over; {
		n := copy(s.Space(), stream[:min(size, len(stream))])
		stream = stream[n:]
		s.Filled(n)
		if over = n == 0; over {
			s.End()
		}
		for e := (wire.Event{}); s.Next(&e); {
			raw += string(e.Raw) + e.Missing
			switch parts = append(parts, e.Part); e.Part {
			case wire.PartFirst:
				first = string(e.Data)
			case wire.PartLast:
				last = string(e.Data)
			}
			if mid := e.Part == wire.PartFirst || e.Part == wire.PartNext; s.MidEvent() != mid {
				t.Fatalf("in the middle of a line: %v, at part %d", s.MidEvent(), e.Part)
			}
		}
	}
	return parts, raw, first, last
}

func TestSplitter_YieldsLongLinesInPieces(t *testing.T) {
	for _, size := range []int{1, 777, wire.MaxWhole, 1 << 20} {
		for _, length := range []int{wire.MaxWhole - 1, wire.MaxWhole, wire.MaxWhole + 1, 100_000, 1 << 20} {
			if size == 1 && length > 100_000 {
				continue
			}
			for _, end := range []string{"\n", "\r\n", ""} {
				line := `{"a":"` + strings.Repeat("x", length-len(`{"a":"","end":1}`)) + `","end":1}`
				stream := "{}\n" + line + end
				if end != "" {
					stream += "{}\n"
				}
				how := fmt.Sprintf("%d bytes and %q in reads of %d", length, end, size)
				parts, raw, first, last := pieces(t, stream, size)
				if raw != stream && raw != stream+"\n" {
					t.Fatalf("%s: %d bytes became %d", how, len(stream), len(raw))
				}
				if slices.Contains(parts, wire.PartFirst) != slices.Contains(parts, wire.PartLast) {
					t.Fatalf("%s: parts %v", how, parts)
				}
				if slices.Contains(parts, wire.PartFirst) {
					if !strings.HasPrefix(line, first) || first == "" || strings.TrimRight(last, "\r\n") == "" || !strings.HasSuffix(line, strings.TrimRight(last, "\r\n")) || len(last) < wire.TailWindow-2 {
						t.Fatalf("%s: begins with %d bytes, ends with %d", how, len(first), len(last))
					}
				} else if length > wire.MaxWhole {
					t.Fatalf("%s: held as a whole", how)
				}
			}
		}
	}
}

func TestSplitter_BreaksWhatItHasBegun(t *testing.T) {
	for framing, want := range map[wire.Framing]string{wire.FramingLines: "\n", wire.FramingEvents: "\n\n"} {
		var s wire.Splitter
		s.Frame(framing)
		if end, ok := s.Break(); !ok || end != want || s.Close() != "" {
			t.Errorf("framing %d: %q, %v, %q", framing, end, ok, s.Close())
		}
		s.Reset()
		if end, _ := s.Break(); end != "\n\n" {
			t.Errorf("after Reset a stream breaks with %q", end)
		}
	}
}

func TestSplitter_TakesLinesOfUpTo16MiB(t *testing.T) {
	for size, want := range map[int]error{wire.MaxEvent: nil, wire.MaxEvent + 1: wire.ErrEventTooLong} {
		var s wire.Splitter
		s.Frame(wire.FramingLines)
		var e wire.Event
		for rest := strings.Repeat("a", size-1) + "\n"; rest != "" && s.Err() == nil; {
			n := copy(s.Space(), rest)
			rest = rest[n:]
			s.Filled(n)
			for s.Next(&e) {
			}
		}
		if s.Err() != want {
			t.Errorf("a line of %d bytes: %v", size, s.Err())
		}
	}
}
