package wire

import (
	"math"
	"strconv"
)

// Reported holds the numbers of a usage object as OpenAI and its followers report
// them: cached and audio tokens within the input, reasoning and audio within the
// output.
type Reported struct {
	Input, Output, Total               int64
	CacheRead, CacheCreation           int64
	Reasoning, AudioInput, AudioOutput int64
}

// Tokens reads a usage object in the words that OpenAI uses for everything
// younger than chat completions: responses, images and audio. Cached tokens are
// counted within the input and reasoning within the output. Chat completions'
// words for the two totals are taken too, since servers mix them.
func (w *Walker) Tokens() Usage {
	var u Usage
	var n Reported
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "input_tokens", "prompt_tokens":
			n.Input = w.Count(&u)
		case "output_tokens", "completion_tokens":
			n.Output = w.Count(&u)
		case "total_tokens":
			n.Total = w.Count(&u)
		case "seconds":
			u.Seconds = w.Seconds(&u)
		case "input_tokens_details", "input_token_details", "prompt_tokens_details":
			n.readInput(&u, w)
		case "output_tokens_details", "output_token_details", "completion_tokens_details":
			n.ReadOutput(&u, w)
		}
	}
	n.Fill(&u)
	return u
}

func (n *Reported) readInput(u *Usage, w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "cached_tokens":
			n.CacheRead = w.Count(u)
		case "cache_write_tokens":
			n.CacheCreation = w.Count(u)
		case "audio_tokens":
			n.AudioInput = w.Count(u)
		}
	}
}

// ReadOutput reads the details of the output.
func (n *Reported) ReadOutput(u *Usage, w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "reasoning_tokens":
			n.Reasoning = w.Count(u)
		case "audio_tokens":
			n.AudioOutput = w.Count(u)
		}
	}
}

// Fill takes the classes apart.
func (n *Reported) Fill(u *Usage) {
	u.CacheRead = u.Part(n.CacheRead, n.Input)
	u.CacheCreation = u.Part(n.CacheCreation, n.Input-u.CacheRead)
	u.Input = n.Input - u.CacheRead - u.CacheCreation
	u.AudioInput = u.Part(n.AudioInput, n.Input)
	u.Output = n.Output
	if n.Reasoning > 0 && n.Total == n.Input+n.Output+n.Reasoning {
		// Some, such as xAI, count reasoning beside the output; their total tells.
		u.Output = u.Part(n.Output+n.Reasoning, MaxCount)
	}
	u.Reasoning = u.Part(n.Reasoning, u.Output)
	u.AudioOutput = u.Part(n.AudioOutput, u.Output)
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
