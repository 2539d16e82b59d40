package wiretest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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

// CheckFailure fails the test where a failure has no status or says more than
// it may.
func CheckFailure(tb testing.TB, f wire.Failure) {
	tb.Helper()
	if f.Status < 400 || f.Status > 599 || f.RetryAfter < 0 {
		tb.Errorf("%+v", f)
	}
	for _, text := range []string{f.Code, f.Type, f.Param, f.Message} {
		if len(text) > 512 || !utf8.ValidString(text) {
			tb.Errorf("a failure says %q", text)
		}
	}
}

// Mutations compares 40,000 mutated documents, and fails when they come to
// fewer than 1,000 of any of the kinds that a whole answer can be.
func Mutations(t *testing.T, seed uint64, documents, spices []string, compare func(t *testing.T, document []byte) wire.Kind) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, seed+1))
	kinds := map[wire.Kind]int{}
	for range 40_000 {
		kinds[compare(t, Mutate(r, documents[r.IntN(len(documents))], spices))]++
	}
	if kinds[wire.Content] < 1_000 || kinds[wire.Failed] < 1_000 || kinds[wire.Invalid] < 1_000 {
		t.Errorf("the mutations are all of one kind: %v", kinds)
	}
}

// Mutate returns a document with a few pieces cut out of it or put into it.
func Mutate(r *rand.Rand, document string, spices []string) []byte {
	for range 1 + r.IntN(3) {
		i := r.IntN(len(document) + 1)
		j := min(i+r.IntN(4), len(document))
		spice := ""
		if r.IntN(3) > 0 {
			spice = spices[r.IntN(len(spices))]
		}
		document = document[:i] + spice + document[j:]
	}
	return []byte(document)
}
