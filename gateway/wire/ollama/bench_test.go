package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
)

// lines returns the events that each stream of one line is, as a splitter yields
// them.
func lines(tb testing.TB, streams map[string]string) map[string]wire.Event {
	tb.Helper()
	read := map[string]wire.Event{}
	for name, stream := range streams {
		var s wire.Splitter
		s.Frame(wire.FramingLines)
		s.Filled(copy(s.Space(), stream))
		var e wire.Event
		if !s.Next(&e) {
			tb.Fatalf("%q is no line", stream)
		}
		read[name] = e
	}
	return read
}

var benched = map[string]string{
	"text": start + `"message":{"role":"assistant","content":" hello"},"done":false}` + "\n", "end": chatEnd + "\n", "generated end": genEnd + "\n",
	"escapes": start + `"response":"\"hi\" \n\u96e8","done":false}` + "\n",
}

func TestReadEvent_DoesNotAllocate(t *testing.T) {
	for name, e := range lines(t, benched) {
		var tap wire.Tap
		if n := testing.AllocsPerRun(100, func() { ollama.Codec{}.ReadEvent(&tap, &e) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestSplitter_DoesNotAllocateForLines(t *testing.T) {
	stream := []byte(strings.Repeat(benched["text"], 8))
	var s wire.Splitter
	s.Frame(wire.FramingLines)
	var e wire.Event
	if n := testing.AllocsPerRun(100, func() {
		for rest := stream; len(rest) > 0; {
			n := copy(s.Space(), rest)
			rest = rest[n:]
			s.Filled(n)
			for s.Next(&e) {
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadEvent(b *testing.B) {
	for name, e := range lines(b, benched) {
		b.Run(name, func(b *testing.B) {
			var tap wire.Tap
			b.ReportAllocs()
			for b.Loop() {
				ollama.Codec{}.ReadEvent(&tap, &e)
			}
		})
	}
}

func BenchmarkLongEnd(b *testing.B) {
	tail := []byte(tokens(1_200) + `],` + counts + `}`)
	e := wire.Event{Part: wire.PartLast, HasData: true, Data: tail, Raw: tail}
	b.ReportAllocs()
	for b.Loop() {
		var tap wire.Tap
		ollama.Codec{}.ReadEvent(&tap, &e)
	}
}
