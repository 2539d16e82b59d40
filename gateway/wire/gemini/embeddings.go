package gemini

import "relay/gateway/wire"

// Embeddings is the codec of embedContent and batchEmbedContents
// (https://ai.google.dev/api/embeddings). Its errors and model lists are those
// of Codec; its answers are never streamed, and not all of them report usage.
type Embeddings struct{ Codec }

var _ wire.Codec = Embeddings{}

// Framing returns FramingNone: embeddings are never streamed.
func (Embeddings) Framing(string) wire.Framing { return wire.FramingNone }

// ReadAnswer reads a whole answer in one pass: the vectors may be megabytes. An
// answer without vectors is still content.
func (Embeddings) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var c chunk
	w := wire.Walk(body)
	first, hasVectors := w.First(), false
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "embedding":
			hasVectors = w.Filled()
		case "embeddings":
			hasVectors = w.HasElements()
		case "usageMetadata":
			c.readUsage(&w)
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
	c.tell(t)
	t.NoChoices, t.Done = !hasVectors, true
	return wire.Content
}
