package chat

import "relay/gateway/wire"

// report holds the numbers of a usage object as they are reported.
type report struct{ wire.Reported }

// readUsage reads a usage object.
func readUsage(w *wire.Walker) wire.Usage {
	var u wire.Usage
	r := readReport(&u, w)
	r.Fill(&u)
	return u
}

// readReport reads every number in one pass. Cached tokens are told in one of
// several places: OpenAI's, DeepSeek's, Moonshot's, and Anthropic's words, which
// other gateways use.
func readReport(u *wire.Usage, w *wire.Walker) (r report) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "prompt_tokens":
			r.Input = w.Count(u)
		case "completion_tokens":
			r.Output = w.Count(u)
		case "total_tokens":
			r.Total = w.Count(u)
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			r.CacheRead = max(r.CacheRead, w.Count(u))
		case "cache_creation_input_tokens":
			r.CacheCreation = max(r.CacheCreation, w.Count(u))
		case "prompt_tokens_details":
			r.readPrompt(u, w)
		case "completion_tokens_details":
			r.ReadOutput(u, w)
		}
	}
	return r
}

func (r *report) readPrompt(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "cached_tokens":
			r.CacheRead = max(r.CacheRead, w.Count(u))
		case "cache_write_tokens":
			r.CacheCreation = max(r.CacheCreation, w.Count(u))
		case "audio_tokens":
			r.AudioInput = w.Count(u)
		}
	}
}
