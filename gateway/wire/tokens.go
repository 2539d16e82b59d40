package wire

import (
	"math"
	"strconv"
)

// tokens holds the numbers of a usage object as they are reported.
type tokens struct {
	input, output, total         int64
	cacheRead, cacheCreation     int64
	reasoning, audioIn, audioOut int64
	seconds                      int64
}

// Tokens reads a usage object in the words that OpenAI uses for everything
// younger than chat completions: responses, images and audio. Cached tokens are
// counted within the input and reasoning within the output. Chat completions'
// words for the two totals are taken too, since servers mix them.
func (w *Walker) Tokens() Usage {
	var u Usage
	var n tokens
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "input_tokens", "prompt_tokens":
			n.input = w.Count(&u)
		case "output_tokens", "completion_tokens":
			n.output = w.Count(&u)
		case "total_tokens":
			n.total = w.Count(&u)
		case "seconds":
			n.seconds = w.Seconds(&u)
		case "input_tokens_details", "input_token_details", "prompt_tokens_details":
			n.readInput(&u, w)
		case "output_tokens_details", "output_token_details", "completion_tokens_details":
			n.readOutput(&u, w)
		}
	}
	n.fill(&u)
	return u
}

func (n *tokens) readInput(u *Usage, w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "cached_tokens":
			n.cacheRead = w.Count(u)
		case "cache_write_tokens":
			n.cacheCreation = w.Count(u)
		case "audio_tokens":
			n.audioIn = w.Count(u)
		}
	}
}

func (n *tokens) readOutput(u *Usage, w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "reasoning_tokens":
			n.reasoning = w.Count(u)
		case "audio_tokens":
			n.audioOut = w.Count(u)
		}
	}
}

func (n *tokens) fill(u *Usage) {
	u.CacheRead = u.Part(n.cacheRead, n.input)
	u.CacheCreation = u.Part(n.cacheCreation, n.input-u.CacheRead)
	u.Input = n.input - u.CacheRead - u.CacheCreation
	u.AudioInput = u.Part(n.audioIn, n.input)
	u.Output = n.output
	if n.reasoning > 0 && n.total == n.input+n.output+n.reasoning {
		// Some count reasoning beside the output; their total tells.
		u.Output = u.Part(n.output+n.reasoning, MaxCount)
	}
	u.Reasoning = u.Part(n.reasoning, u.Output)
	u.AudioOutput = u.Part(n.audioOut, u.Output)
	u.Seconds = n.seconds
}

// Seconds reads a length of audio in seconds and rounds it up to whole ones. A
// fraction is nothing odd in it, and some servers write it as text; for the rest
// it is like Count.
func (w *Walker) Seconds(u *Usage) int64 {
	reported := w.Value().Of(w.doc)
	if inner, ok := Text(reported, Range{0, len(reported)}, nil); ok {
		reported = inner
	}
	n, err := strconv.ParseFloat(string(reported), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > MaxCount {
		return u.Count(reported)
	}
	u.Present = true
	return int64(math.Ceil(n))
}
