package gemini

import "relay/gateway/wire"

// report holds the numbers of a usage object as they are reported
// (https://ai.google.dev/api/generate-content#UsageMetadata).
type report struct {
	prompt, cached, tool, total int64
	candidates, thoughts        int64
	audioIn, audioOut           int64
}

// readUsage reads a usage object in one pass.
func readUsage(w *wire.Walker) wire.Usage {
	var u wire.Usage
	var r report
	for more := w.Object(); more; more = w.Member() {
		r.read(&u, w)
	}
	r.fill(&u)
	return u
}

// read reads one member. The answers of embeddings spell one name in their own
// way.
func (r *report) read(u *wire.Usage, w *wire.Walker) {
	switch string(w.Name()) {
	case "promptTokenCount":
		r.prompt = w.Count(u)
	case "cachedContentTokenCount":
		r.cached = w.Count(u)
	case "toolUsePromptTokenCount":
		r.tool = w.Count(u)
	case "candidatesTokenCount":
		r.candidates = w.Count(u)
	case "thoughtsTokenCount":
		r.thoughts = w.Count(u)
	case "totalTokenCount":
		r.total = w.Count(u)
	case "promptTokensDetails", "promptTokenDetails":
		r.audioIn = readAudio(u, w)
	case "candidatesTokensDetails":
		r.audioOut = readAudio(u, w)
	}
}

// readAudio adds up the counts of audio in a list of counts by modality.
func readAudio(u *wire.Usage, w *wire.Walker) (audio int64) {
	for more := w.Array(); more; more = w.Element() {
		isAudio, count := false, int64(0)
		for more := w.Object(); more; more = w.Member() {
			switch string(w.Name()) {
			case "modality":
				isAudio = w.Is("AUDIO")
			case "tokenCount":
				count = w.Count(u)
			}
		}
		if isAudio {
			audio = u.Part(audio+count, wire.MaxCount)
		}
	}
	return audio
}

// fill takes the classes apart. Google counts cached tokens within the prompt,
// but thoughts beside the candidates, and what tools of its own have read beside
// the prompt.
func (r *report) fill(u *wire.Usage) {
	u.CacheRead = u.Part(r.cached, r.prompt)
	u.Input = r.prompt - u.CacheRead
	u.AudioInput = u.Part(r.audioIn, r.prompt)
	u.ServerToolUseInput = r.tool
	u.Output = r.candidates
	if !r.thoughtsWithin() {
		u.Output = u.Part(r.candidates+r.thoughts, wire.MaxCount)
	}
	u.Reasoning = u.Part(r.thoughts, u.Output)
	u.AudioOutput = u.Part(r.audioOut, u.Output)
}

// thoughtsWithin reports whether a server counts thoughts within the candidates:
// its total then leaves them no room beside.
func (r *report) thoughtsWithin() bool {
	return r.total > 0 && r.total == r.prompt+r.tool+r.candidates && r.thoughts <= r.candidates
}
