package chat

import "relay/gateway/wire"

// report holds the numbers of a usage object as they are reported.
type report struct {
	prompt, completion, total    int64
	cacheRead, cacheCreation     int64
	reasoning, audioIn, audioOut int64
}

// readUsage reads a usage object.
func readUsage(w *wire.Walker) wire.Usage {
	var u wire.Usage
	r := readReport(&u, w)
	r.fill(&u)
	return u
}

// readReport reads every number in one pass. Cached tokens are told in one of
// several places: OpenAI's, DeepSeek's, Moonshot's, and Anthropic's words, which
// other gateways use.
func readReport(u *wire.Usage, w *wire.Walker) (r report) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "prompt_tokens":
			r.prompt = w.Count(u)
		case "completion_tokens":
			r.completion = w.Count(u)
		case "total_tokens":
			r.total = w.Count(u)
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			r.cacheRead = max(r.cacheRead, w.Count(u))
		case "cache_creation_input_tokens":
			r.cacheCreation = max(r.cacheCreation, w.Count(u))
		case "prompt_tokens_details":
			r.readPrompt(u, w)
		case "completion_tokens_details":
			r.readCompletion(u, w)
		}
	}
	return r
}

func (r *report) readPrompt(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "cached_tokens":
			r.cacheRead = max(r.cacheRead, w.Count(u))
		case "cache_write_tokens":
			r.cacheCreation = max(r.cacheCreation, w.Count(u))
		case "audio_tokens":
			r.audioIn = w.Count(u)
		}
	}
}

func (r *report) readCompletion(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "reasoning_tokens":
			r.reasoning = w.Count(u)
		case "audio_tokens":
			r.audioOut = w.Count(u)
		}
	}
}

// fill takes the classes apart: OpenAI counts cached tokens within the prompt
// and reasoning within the completion.
func (r *report) fill(u *wire.Usage) {
	u.CacheRead = u.Part(r.cacheRead, r.prompt)
	u.CacheCreation = u.Part(r.cacheCreation, r.prompt-u.CacheRead)
	u.Input = r.prompt - u.CacheRead - u.CacheCreation
	u.AudioInput = u.Part(r.audioIn, r.prompt)
	u.Output = r.completion
	if r.reasoning > 0 && r.total == r.prompt+r.completion+r.reasoning {
		// xAI counts reasoning beside the completion; its total tells.
		u.Output = u.Part(r.completion+r.reasoning, wire.MaxCount)
	}
	u.Reasoning = u.Part(r.reasoning, u.Output)
	u.AudioOutput = u.Part(r.audioOut, u.Output)
}
