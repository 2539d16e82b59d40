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

// standard returns the events of a stream as the standard reads them, and what
// its unfinished block would be if it were finished: a splitter yields that.
func standard(stream string) (events []seen) {
	blocks, rest := wiretest.ReadStream(stream)
	for _, b := range append(blocks, rest) {
		if b.HasData {
			events = append(events, seen{b.Type, b.Data, true})
		}
	}
	return events
}

// compareSplit holds the splitter against the standard, whole, byte by byte and
// in two pieces.
func compareSplit(t *testing.T, stream string, cut int) {
	t.Helper()
	want := standard(stream)
	cut = min(max(cut, 0), len(stream))
	for how, pieces := range map[string][]string{
		"whole": {stream}, "byte by byte": wiretest.Bytewise(stream), "in two": {stream[:cut], stream[cut:]},
	} {
		events, raw, _ := split(t, pieces...)
		if !slices.Equal(events, want) || raw != stream {
			t.Fatalf("%q, %s, cut at %d:\ngot  %v\nwant %v\nbytes %q", stream, how, cut, events, want, raw)
		}
	}
}

// crumbs are what random streams are made of.
var crumbs = [...]string{
	"data", "event", "id", "retry", ":", ": ", " ", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", "x", "[DONE]", "\xef\xbb\xbf", "\x00", "é", "data: a", "event: b",
}

func TestSplitter_ReadsAsTheStandardSays(t *testing.T) {
	for _, c := range streams {
		compareSplit(t, c.stream, 5)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 30_000 {
		var stream strings.Builder
		for range r.IntN(14) {
			stream.WriteString(crumbs[r.IntN(len(crumbs))])
		}
		compareSplit(t, stream.String(), r.IntN(20))
	}
}

func FuzzSplitter(f *testing.F) {
	for _, c := range streams {
		f.Add(c.stream, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		if len(stream) < wire.MaxWhole/2 {
			compareSplit(t, stream, cut)
		}
	})
}

func TestSplitter_YieldsALineEndThatComesLateByItself(t *testing.T) {
	var s wire.Splitter
	var e wire.Event
	var raw []string
	for _, read := range []string{"data: a\r\n\r", "\ndata: b\r", "\n\r\n", ": c\r", "\n"} {
		s.Filled(copy(s.Space(), read))
		for s.Next(&e) {
			raw = append(raw, string(e.Raw))
		}
	}
	if want := []string{"data: a\r\n\r", "\n", "data: b\r\n\r\n", ": c\r", "\n"}; fmt.Sprintf("%q", raw) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", raw, want)
	}
}

func TestSplitter_GivesBackTheMemoryOfALongEvent(t *testing.T) {
	var s wire.Splitter
	var e wire.Event
	feed := func(stream string) (most int) {
		for len(stream) > 0 {
			space := s.Space()
			most = max(most, len(space))
			n := copy(space, stream[:min(len(stream), 1500)])
			stream = stream[n:]
			s.Filled(n)
			for s.Next(&e) {
			}
		}
		return most
	}
	small := strings.Repeat("data: {\"a\":1}\n\n", 5_000)
	feed(small)
	for _, long := range []string{
		"data: " + strings.Repeat("a", 1<<20) + "\n\n", strings.Repeat("data: "+strings.Repeat("a", 500)+"\n", 100) + "\n",
	} {
		if feed(long) < 16<<10 {
			t.Fatal("a long event fitted into little memory")
		}
		feed(small)
		if got := len(s.Space()); got > 4<<10 {
			t.Errorf("holds %d bytes after %d of small events", got, len(small))
		}
	}
	feed(strings.Repeat("data: long\n", 6_000))
	s.Reset()
	if got := len(s.Space()); got != 4<<10 {
		t.Errorf("holds %d bytes after Reset", got)
	}
}

func TestSplitter_TakesEventsOfUpTo16MiB(t *testing.T) {
	for size, want := range map[int]error{wire.MaxEvent: nil, wire.MaxEvent + 1: wire.ErrEventTooLong, wire.MaxEvent + 8<<10: wire.ErrEventTooLong} {
		event := "data: " + strings.Repeat("a", size-len("data: \n\n")) + "\n\n"
		var s wire.Splitter
		var e wire.Event
		passed := 0
		for rest := event; rest != "" && s.Err() == nil; {
			n := copy(s.Space(), rest)
			rest = rest[n:]
			s.Filled(n)
			for s.Next(&e) {
				passed += len(e.Raw)
			}
		}
		if s.Err() != want || (passed == size) != (want == nil) {
			t.Errorf("an event of %d bytes: %v, %d passed", size, s.Err(), passed)
		}
		if s.Next(&e) != false {
			t.Error("an event follows the end")
		}
	}
}
