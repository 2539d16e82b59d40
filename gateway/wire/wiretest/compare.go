package wiretest

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// longest is the size over which streams are not compared: where long events
// are cut into pieces depends on how they are read.
const longest = 16 << 10

// Compare plays any bytes as a stream, whole and byte by byte, and fails the
// test where the two differ or where a number goes beyond what is believed.
func Compare(tb testing.TB, codec wire.Codec, stream string) {
	tb.Helper()
	if len(stream) > longest {
		return
	}
	var whole, bytewise wire.Tap
	a := Play(tb, codec, &whole, stream)
	b := Play(tb, codec, &bytewise, Bytewise(stream)...)
	if !slices.Equal(a.Kinds, b.Kinds) || whole != bytewise || a.Broken != b.Broken {
		tb.Errorf("%q\nwhole    %v %+v\nbytewise %v %+v", stream, a.Kinds, whole, b.Kinds, bytewise)
	}
	if !strings.Contains(stream, "\r") && a.Sent() != b.Sent() {
		tb.Errorf("%q\nwhole sends    %q\nbytewise sends %q", stream, a.Sent(), b.Sent())
	}
	CheckUsage(tb, whole.Usage)
}

// CheckUsage fails the test where a meter is out of bounds or a part is larger
// than its whole.
func CheckUsage(tb testing.TB, u wire.Usage) {
	tb.Helper()
	for _, n := range []int64{u.Input, u.CacheRead, u.CacheCreation, u.Output, u.ServerToolUseInput, u.ServerToolUseOutput} {
		if n < 0 || n > wire.MaxCount {
			tb.Errorf("a meter is out of bounds: %+v", u)
		}
	}
	for _, pair := range [][2]int64{{u.CacheCreation1h, u.CacheCreation}, {u.Reasoning, u.Output}, {u.AudioOutput, u.Output}, {u.AudioInput, u.Prompt()}} {
		if pair[0] < 0 || pair[0] > pair[1] {
			tb.Errorf("a part is larger than its whole: %+v", u)
		}
	}
}
