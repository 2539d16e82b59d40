package wire_test

import (
	"math"
	"testing"

	"relay/gateway/wire"
)

func TestSpeechTokens_AreTwoACharacter(t *testing.T) {
	for chars, want := range map[int64]int64{0: 0, -5: 0, 1: 2, 10: 20, 4096: 8192, math.MaxInt64: 1 << 53, math.MinInt64: 0} {
		if got := wire.SpeechTokens(chars); got != want {
			t.Errorf("%d characters: %d tokens, want %d", chars, got, want)
		}
	}
}

func TestSpokenChars_CountsSyllablesAndDigitsAsTheyAreSpoken(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "Guten Tag": 9, "é": 1, "Привет": 6, "2026": 20, "春が来た": 12, "안녕": 6, "a1春": 9, "🙂": 1, "\xff": 1, "𠮷": 3,
	} {
		if got := wire.SpokenChars([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestAudioTokens_GoByTheLengthOrByTheSize(t *testing.T) {
	for _, c := range []struct {
		size    int64
		seconds float64
		known   bool
		want    int64
	}{
		{0, 0, false, 0}, {1_000, 0, false, 15}, {1, 0, false, 1}, {25 << 20, 0, false, 393_216}, {-1, 0, false, 0},
		{25 << 20, 60, true, 900}, {0, 0.1, true, 2}, {1_000, 0, true, 0}, {2_000, math.NaN(), true, 30}, {2_000, -1, true, 30},
		{2_000, math.Inf(1), true, 1 << 53}, {math.MaxInt64, 0, false, 1 << 53}, {0, 1e300, true, 1 << 53},
	} {
		if got := wire.AudioTokens(c.size, c.seconds, c.known); got != c.want {
			t.Errorf("%d bytes, %v seconds, %v: %d tokens, want %d", c.size, c.seconds, c.known, got, c.want)
		}
	}
}
