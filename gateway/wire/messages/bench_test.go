package messages_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
)

// events returns the event that each stream is, as a splitter yields it.
func events(b testing.TB, streams map[string]string) map[string]wire.Event {
	b.Helper()
	read := map[string]wire.Event{}
	for name, stream := range streams {
		var s wire.Splitter
		s.Filled(copy(s.Space(), stream))
		var e wire.Event
		if !s.Next(&e) {
			b.Fatalf("%q is no event", stream)
		}
		read[name] = e
	}
	return read
}

var benched = map[string]string{
	"text": textDelta("hello"), "start": start(startUsage), "finish": tail, "stop": stop, "ping": ping,
	"unnamed text": strings.TrimPrefix(textDelta("hello"), "event: content_block_delta\n"),
}

func TestReadEvent_DoesNotAllocate(t *testing.T) {
	for name, e := range events(t, benched) {
		var tap wire.Tap
		if n := testing.AllocsPerRun(100, func() { messages.Codec{}.ReadEvent(&tap, &e) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	for name, e := range events(b, benched) {
		b.Run(name, func(b *testing.B) {
			var tap wire.Tap
			b.ReportAllocs()
			for b.Loop() {
				messages.Codec{}.ReadEvent(&tap, &e)
			}
		})
	}
}

func BenchmarkReadAnswer(b *testing.B) {
	body := []byte(answer(strings.Repeat("word ", 180), startUsage))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tap wire.Tap
		messages.Codec{}.ReadAnswer(&tap, body)
	}
}
