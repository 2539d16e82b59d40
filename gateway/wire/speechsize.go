package wire

import (
	"math"
	"unicode/utf8"
)

// How speech and tokens go together. Sources: OpenAI's page on the costs of its
// realtime models, 1 token for 100 ms of audio that is heard and 1 for 50 ms that is
// spoken; slow speech has 10 characters a second, fast speech at most 5 tokens of text;
// 8 kbit/s is the least that codecs for speech take.
const (
	heardTokensPerSecond  = 10
	spokenTokensPerSecond = 20
	textTokensPerSecond   = 5
	charsPerSecond        = 10
	leastAudioRate        = 8_000 / 8 // bytes per second
)

// mostTokens bounds what is asked for and booked: up to it every whole number is one
// of a float64, too.
const mostTokens = 1 << 53

// SpeechTokens bounds the tokens of the audio in which so many characters are spoken,
// see SpokenChars: 2 a character. What the text itself counts comes on top, see
// EstimateTokens. It is at most 1<<53.
func SpeechTokens(chars int64) int64 {
	const perChar = spokenTokensPerSecond / charsPerSecond
	return min(max(chars, 0), mostTokens/perChar) * perChar
}

// What a character is worth that is spoken as a syllable or a word, in letters.
const (
	lettersPerSyllable = 3
	lettersPerDigit    = 5
)

// SpokenChars returns how long a text is for one who speaks it, in letters: digits
// count as words, and ideographs, kana and Hangul as syllables.
func SpokenChars(text []byte) (chars int64) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r >= '0' && r <= '9':
			chars += lettersPerDigit
		case isSyllable(r):
			chars += lettersPerSyllable
		default:
			chars++
		}
		i += n
	}
	return chars
}

func isSyllable(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0x20000 && r <= 0x3ffff
}

// AudioTokens bounds the tokens that a transcript of audio uses: what is heard and
// what is written down. seconds is how long it plays, where known; otherwise fileBytes, the
// size of the file, counts at 8 kbit/s. It is at most 1<<53.
func AudioTokens(fileBytes int64, seconds float64, known bool) int64 {
	if !known || math.IsNaN(seconds) || seconds < 0 {
		seconds = float64(max(fileBytes, 0)) / leastAudioRate
	}
	tokens := math.Ceil(seconds * (heardTokensPerSecond + textTokensPerSecond))
	return int64(min(tokens, mostTokens))
}
