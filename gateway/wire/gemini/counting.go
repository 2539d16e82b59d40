package gemini

import "relay/gateway/wire"

// Counting is the codec of countTokens (https://ai.google.dev/api/tokens). Its
// errors are those of Codec; its answers are never streamed. What they count has
// not been used, so that no usage is read from them.
type Counting struct{ Codec }

var _ wire.Codec = Counting{}

// Framing returns FramingNone: counts are never streamed.
func (Counting) Framing(string) wire.Framing { return wire.FramingNone }

// ReadAnswer reads a whole answer. One without totalTokens is still content:
// JSON of Google's leaves out what is 0.
func (Counting) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	w := wire.Walk(body)
	first, counted := w.First(), false
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "totalTokens" {
			counted = w.First() >= '0' && w.First() <= '9'
		}
	}
	switch {
	case !w.End():
		return wire.Invalid
	case !counted && t.Fails(body):
		return wire.Failed
	case first != '{':
		return wire.Invalid
	}
	t.NoChoices, t.Done = !counted, true
	return wire.Content
}
