package gemini

import "relay/gateway/wire"

const maxChoices = 64

// Choices returns how many candidates a request asks for, for wire.Tap.Choices:
// its generationConfig.candidateCount, or 1 where that is absent or no whole
// number from 1 to 64. Names may be written with underscores, as Google's
// servers read them. Of several the last counts. The body must have passed
// wire.Scan.
func Choices(body []byte) int {
	count := int64(1)
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "generationConfig", "generation_config":
			count = candidateCount(&w, count)
		}
	}
	if count < 1 || count > maxChoices {
		return 1
	}
	return int(count)
}

func candidateCount(w *wire.Walker, count int64) int64 {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "candidateCount", "candidate_count":
			count = w.Index()
		}
	}
	return count
}
