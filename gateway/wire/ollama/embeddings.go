package ollama

import "relay/gateway/wire"

// Embeddings is the codec of /api/embed and of the older /api/embeddings, which
// reports no usage. Its errors are those of chats; its answers are never
// streamed. Vectors pass on as they are.
type Embeddings struct{ Codec }

var _ wire.Codec = Embeddings{}

// Framing returns FramingNone: embeddings are never streamed.
func (Embeddings) Framing(string) wire.Framing { return wire.FramingNone }

// ReadAnswer reads a whole answer in one pass: the vectors may be megabytes. An
// answer without vectors is still content.
func (Embeddings) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	w := wire.Walk(body)
	first, hasVectors := w.First(), false
	var usage wire.Usage
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "embeddings", "embedding":
			hasVectors = w.HasElements()
		case "prompt_eval_count":
			usage.Input = w.Count(&usage)
		}
	}
	switch {
	case !w.End():
		return wire.Invalid
	case !hasVectors && t.Fails(body):
		return wire.Failed
	case first != '{':
		return wire.Invalid
	}
	t.Usage.Merge(usage)
	t.NoChoices, t.Done = !hasVectors, true
	return wire.Content
}
