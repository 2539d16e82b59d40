package wire

import (
	"math"
	"strconv"
)

// MaxCount is the largest number of one meter that is believed of one answer.
const MaxCount = 1_000_000_000

// Usage is what one answer used as its upstream reports it. Input, CacheRead,
// CacheCreation and Output are disjoint; the meters below them are parts of
// those four.
type Usage struct {
	Input         int64 // prompt tokens neither read from nor written to a cache
	CacheRead     int64
	CacheCreation int64 // all lifetimes together
	Output        int64 // generated tokens, reasoning included

	CacheCreation1h     int64 // part of CacheCreation
	Reasoning           int64 // part of Output
	AudioInput          int64 // part of Input, CacheRead and CacheCreation together
	AudioOutput         int64 // part of Output
	ServerToolUseInput  int64 // tokens of provider-side tools
	ServerToolUseOutput int64

	Seconds int64 // audio, whole seconds, rounded up
	Images  int64

	Present bool // the upstream reported something
	Flagged bool // a number was negative, fractional, absurd or no number, and was clamped
}

// Count reads one reported number, given as JSON. Absent and null are 0. What
// is negative, has a fraction, is above MaxCount or is no number is clamped to a
// whole number from 0 to MaxCount and flags the usage.
func (u *Usage) Count(reported []byte) int64 {
	switch {
	case len(reported) == 0 || reported[0] == 'n':
		return 0
	case reported[0] != '-' && !isDigit(reported[0]):
		u.Flagged = true
		return 0
	}
	u.Present = true
	if n, ok := small(reported); ok {
		return n
	}
	n, _ := strconv.ParseFloat(string(reported), 64) // beyond a float64 it is infinite
	whole := min(max(math.Floor(n), 0), MaxCount)
	u.Flagged = u.Flagged || whole != n
	return int64(whole)
}

// small reads a whole number of up to nine digits.
func small(digits []byte) (n int64, ok bool) {
	if len(digits) > 9 {
		return 0, false
	}
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// Part caps a meter at the whole that it is a part of, and flags the usage
// where the upstream reported more.
func (u *Usage) Part(part, whole int64) int64 {
	if part > whole {
		u.Flagged = true
		return whole
	}
	return part
}

// Replace takes a later report of the same document: the last counts, as it
// does for JSON libraries, and is flagged for not being the only one.
func (u *Usage) Replace(v Usage) {
	v.Flagged = v.Flagged || *u != (Usage{})
	*u = v
}

// Prompt returns all tokens that were read: new, from a cache, into a cache.
func (u *Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheCreation }

// Merge takes the larger number of each meter. It is for streams whose reports
// are cumulative and tell cached tokens apart from the input.
func (u *Usage) Merge(v Usage) {
	u.Input = max(u.Input, v.Input)
	u.mergeParts(&v)
}

// MergePrompt takes the larger number of each meter as it was reported. It is
// for streams whose reports count cached tokens within the prompt: the prompt
// is merged whole and the input is what the caches leave of it.
func (u *Usage) MergePrompt(v Usage) {
	prompt := max(u.Prompt(), v.Prompt())
	u.mergeParts(&v)
	u.Input = max(prompt-u.CacheRead-u.CacheCreation, 0)
}

func (u *Usage) mergeParts(v *Usage) {
	u.CacheRead = max(u.CacheRead, v.CacheRead)
	u.CacheCreation = max(u.CacheCreation, v.CacheCreation)
	u.Output = max(u.Output, v.Output)
	u.CacheCreation1h = max(u.CacheCreation1h, v.CacheCreation1h)
	u.Reasoning = max(u.Reasoning, v.Reasoning)
	u.AudioInput = max(u.AudioInput, v.AudioInput)
	u.AudioOutput = max(u.AudioOutput, v.AudioOutput)
	u.ServerToolUseInput = max(u.ServerToolUseInput, v.ServerToolUseInput)
	u.ServerToolUseOutput = max(u.ServerToolUseOutput, v.ServerToolUseOutput)
	u.Seconds = max(u.Seconds, v.Seconds)
	u.Images = max(u.Images, v.Images)
	u.Present = u.Present || v.Present
	u.Flagged = u.Flagged || v.Flagged
}
