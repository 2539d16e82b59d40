package chat

import (
	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// usageIn returns the usage object of an answer or chunk: its own, or the one
// that a vendor keeps in a member of its own.
func usageIn(answer gjson.Result) gjson.Result {
	if usage := answer.Get("usage"); usage.IsObject() {
		return usage
	}
	return answer.Get("x_groq.usage")
}

// report holds the numbers of a usage object as they are reported.
type report struct {
	prompt, completion, total    int64
	cacheRead, cacheCreation     int64
	reasoning, audioIn, audioOut int64
}

// readUsage reads a usage object. OpenAI counts cached tokens within the prompt
// and reasoning within the completion.
func readUsage(usage gjson.Result) wire.Usage {
	var u wire.Usage
	r := readReported(&u, usage)
	u.CacheRead = u.Part(r.cacheRead, r.prompt)
	u.CacheCreation = u.Part(r.cacheCreation, r.prompt-u.CacheRead)
	u.Input = r.prompt - u.CacheRead - u.CacheCreation
	u.AudioInput = u.Part(r.audioIn, r.prompt)
	u.Output = r.completion
	if r.reasoning > 0 && r.total == r.prompt+r.completion+r.reasoning {
		u.Output += r.reasoning // xAI counts reasoning beside the completion; its total tells
	}
	u.Reasoning = u.Part(r.reasoning, u.Output)
	u.AudioOutput = u.Part(r.audioOut, u.Output)
	return u
}

// readReported reads every number in one pass. Cached tokens are told in one of
// several places: OpenAI's, DeepSeek's, Moonshot's, and Anthropic's words, which
// other gateways use.
func readReported(u *wire.Usage, usage gjson.Result) (r report) {
	usage.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "prompt_tokens":
			r.prompt = u.Count(value)
		case "completion_tokens":
			r.completion = u.Count(value)
		case "total_tokens":
			r.total = u.Count(value)
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			r.cacheRead = max(r.cacheRead, u.Count(value))
		case "cache_creation_input_tokens":
			r.cacheCreation = max(r.cacheCreation, u.Count(value))
		case "prompt_tokens_details":
			r.readPrompt(u, value)
		case "completion_tokens_details":
			r.readCompletion(u, value)
		}
		return true
	})
	return r
}

func (r *report) readPrompt(u *wire.Usage, details gjson.Result) {
	details.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "cached_tokens":
			r.cacheRead = max(r.cacheRead, u.Count(value))
		case "cache_write_tokens":
			r.cacheCreation = max(r.cacheCreation, u.Count(value))
		case "audio_tokens":
			r.audioIn = u.Count(value)
		}
		return true
	})
}

func (r *report) readCompletion(u *wire.Usage, details gjson.Result) {
	details.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "reasoning_tokens":
			r.reasoning = u.Count(value)
		case "audio_tokens":
			r.audioOut = u.Count(value)
		}
		return true
	})
}
