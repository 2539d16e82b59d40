package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

// FuzzEstimateTokens: an estimate is something for whatever is there, and no more than
// what the smallest member that stands for something large can come to.
func FuzzEstimateTokens(f *testing.F) {
	for _, bodies := range sayings() {
		for _, body := range bodies {
			f.Add([]byte(body))
		}
	}
	for _, body := range images() {
		f.Add([]byte(body))
	}
	for _, body := range defining() {
		f.Add([]byte(body))
	}
	f.Add([]byte(`{"input":"\ud83d\ude00\u0000\"` + "\x7f龘" + `"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		const mostPerByte = 8_000 // a list of names of files
		switch got := wire.EstimateTokens(body); {
		case got < 0, got == 0 && len(body) > 0, got > 10+mostPerByte*int64(len(body)):
			t.Errorf("%q: %d tokens", body, got)
		case !wire.Valid(body) && got != int64(len(body)):
			t.Errorf("%q is no JSON and counts %d tokens", body, got)
		}
	})
}

// FuzzEstimateTokens_OfATextGrowsWithIt: what is added to a text never makes it
// cheaper, and a byte counts less than one and a half tokens.
func FuzzEstimateTokens_OfATextGrowsWithIt(f *testing.F) {
	f.Add("The quick", " brown fox")
	f.Add("a\n b\n c", "\t1 2 3")
	f.Add("春が来た。", "𝓗🙂\x00\\\"")
	f.Fuzz(func(t *testing.T, text, more string) {
		text, more = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(more, "?")
		short, long := wire.EstimateTokens([]byte(asMessage(text))), wire.EstimateTokens([]byte(asMessage(text+more)))
		if most := aroundMessage + 2 + int64(len(text+more))*3/2; long < short || long > most {
			t.Errorf("%q: %d tokens, with %q %d; at most %d", text, short, more, long, most)
		}
	})
}
