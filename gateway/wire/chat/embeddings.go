package chat

import "relay/gateway/wire"

// Embeddings is the codec of embeddings
// (https://platform.openai.com/docs/api-reference/embeddings). Its errors and
// model lists are those of chat completions; its answers are never streamed.
// Vectors pass on as they are, whatever their encoding_format.
type Embeddings struct{ Codec }

var _ wire.Codec = Embeddings{}

// Framing returns FramingNone: embeddings are never streamed.
func (Embeddings) Framing(string) wire.Framing { return wire.FramingNone }

// WantsUsage returns true: every answer reports its usage.
func (Embeddings) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Embeddings) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// ReadAnswer reads a whole answer in one pass: the vectors may be megabytes. An
// answer without data is still content.
func (Embeddings) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	w := wire.Walk(body)
	first, hasData := w.First(), false
	var usage wire.Usage
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "data":
			hasData = w.HasElements()
		case "usage":
			usage.Replace(readPromptUsage(&w))
		}
	}
	switch {
	case !w.End():
		return wire.Invalid
	case !hasData && t.Fails(body):
		return wire.Failed
	case first != '{':
		return wire.Invalid
	}
	t.Usage.Merge(usage)
	t.NoChoices, t.Done = !hasData, true
	return wire.Content
}

// readPromptUsage reads the usage of an answer that generates no tokens. Some
// servers tell the total alone, which is the prompt then.
func readPromptUsage(w *wire.Walker) wire.Usage {
	var u wire.Usage
	r := readReport(&u, w)
	if r.Input == 0 {
		r.Input = r.Total
	}
	r.Fill(&u)
	return u
}
