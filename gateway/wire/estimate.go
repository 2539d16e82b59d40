package wire

import "unicode/utf8"

// Ratios of an estimate.
const (
	bytesPerToken   = 3    // of text in ASCII; tokenizers get 3 to 5 out of prose and code
	tokensPerObject = 4    // what stands around a message or a part of it
	tokensPerBlob   = 1500 // an image or another file
	leastBlob       = 1 << 10
)

// EstimateTokens estimates, rather high, how many tokens a request body holds.
// The body must have passed Scan. Texts count by their length, files in base64
// by their number.
func EstimateTokens(body []byte) int64 {
	w := walkRequest(body)
	return w.estimate()
}

// estimate steps over a value. Its depth is bounded by the Walker's.
func (w *Walker) estimate() (tokens int64) {
	switch w.First() {
	case '{':
		tokens = tokensPerObject
		for more := w.Object(); more; more = w.Member() {
			tokens += w.estimate()
		}
	case '[':
		for more := w.Array(); more; more = w.Element() {
			tokens += w.estimate()
		}
	case '"':
		tokens = estimateText(w.Value().Of(w.doc))
	default:
		w.Skip()
		tokens = 1
	}
	return tokens
}

func estimateText(text []byte) int64 {
	if len(text) >= leastBlob && isBlob(text) {
		return tokensPerBlob
	}
	narrow, wide := 0, 0
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			narrow++
		} else {
			wide++
		}
	}
	return int64((narrow+bytesPerToken-1)/bytesPerToken + wide)
}

// isBlob reports whether a text looks like base64: no blanks in its beginning.
func isBlob(text []byte) bool {
	for _, c := range text[:leastBlob] {
		if c == ' ' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
