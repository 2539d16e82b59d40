package wire_test

import (
	"testing"

	"relay/gateway/wire"
)

func TestLineEnds_AreThoseOfTheStream(t *testing.T) {
	for _, c := range []struct {
		framing      wire.Framing
		stream, want string
	}{
		{wire.FramingEvents, "", "a\n\n"},
		{wire.FramingEvents, "data: {}\n\n", "a\n\n"},
		{wire.FramingEvents, "data: {}\r\n\r\n", "a\r\n\r\n"},
		{wire.FramingLines, "{}\r\n", "a\n\n"},
		{wire.FramingArray, "[{}\r\n", "a\n\n"},
	} {
		var s wire.Splitter
		s.Frame(c.framing)
		s.Filled(copy(s.Space(), c.stream))
		if got := s.LineEnds("a\n\n"); got != c.want {
			t.Errorf("%q in a stream of %q: %q", "a\n\n", c.stream, got)
		}
	}
}
