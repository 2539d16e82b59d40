package chat

import "relay/gateway/wire"

// Moderations is the codec of moderations
// (https://platform.openai.com/docs/api-reference/moderations). Their errors and
// model lists are those of chat completions; their answers are never streamed.
type Moderations struct{ Embeddings }

var _ wire.Codec = Moderations{}

// ReadAnswer reads a whole answer. Moderations cost no tokens and report none,
// so that none are missing; some servers tell them all the same.
func (Moderations) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	w := wire.Walk(body)
	first, hasResults := w.First(), false
	var usage wire.Usage
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "results":
			hasResults = w.HasElements()
		case "usage":
			usage.Replace(readPromptUsage(&w))
		}
	}
	switch {
	case !w.End():
		return wire.Invalid
	case !hasResults && t.Fails(body):
		return wire.Failed
	case first != '{':
		return wire.Invalid
	}
	usage.Present = true
	t.Usage.Merge(usage)
	t.NoChoices, t.Done = !hasResults, true
	return wire.Content
}
