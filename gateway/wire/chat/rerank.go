package chat

import "relay/gateway/wire"

// Rerank is the codec of reranking (https://docs.cohere.com/reference/rerank,
// https://api.jina.ai/redoc#tag/rerank), as many servers speak it. Its errors and
// model lists are those of chat completions; its answers are never streamed.
type Rerank struct{ Embeddings }

var _ wire.Codec = Rerank{}

// ReadAnswer reads a whole answer. One without results is still content. Some
// servers answer with the results alone, in an array.
func (Rerank) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var r ranking
	switch {
	case !r.parse(body):
		return wire.Invalid
	case (!r.hasResults || r.first == '[') && t.Fails(body):
		return wire.Failed
	case r.first != '{' && r.first != '[':
		return wire.Invalid
	}
	t.Usage.Merge(r.usage)
	t.NoChoices, t.Done = !r.hasResults, true
	return wire.Content
}

// ranking is what an answer says. Usage stands in one of two places: Jina's and
// most servers', and Cohere's.
type ranking struct {
	first      byte
	hasResults bool
	usage      wire.Usage
}

func (r *ranking) parse(body []byte) bool {
	w := wire.Walk(body)
	if r.first = w.First(); r.first == '[' {
		r.hasResults = w.HasElements()
		return w.End()
	}
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "results", "data":
			r.hasResults = w.HasElements() || r.hasResults
		case "usage":
			r.usage.Replace(readPromptUsage(&w))
		case "meta":
			r.readMeta(&w)
		}
	}
	return w.End()
}

// readMeta reads Cohere's meta. Its tokens are what the model has read; where
// they are not told, those that are billed count. Search units are no tokens,
// but an answer that tells them has told its usage.
func (r *ranking) readMeta(w *wire.Walker) {
	var used, billed wire.Usage
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "tokens":
			used = readUnits(w)
		case "billed_units":
			billed = readUnits(w)
		}
	}
	if used.Input == 0 {
		used.Input = billed.Input
	}
	used.Present = used.Present || billed.Present
	used.Flagged = used.Flagged || billed.Flagged
	if used != (wire.Usage{}) {
		r.usage.Replace(used)
	}
}

func readUnits(w *wire.Walker) (u wire.Usage) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "input_tokens":
			u.Input = w.Count(&u)
		case "search_units":
			_ = w.Count(&u)
		}
	}
	return u
}
