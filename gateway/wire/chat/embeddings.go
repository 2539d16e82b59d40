package chat

import (
	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// Embeddings is the codec of embeddings
// (https://platform.openai.com/docs/api-reference/embeddings). Its errors and
// model lists are those of chat completions; its answers are never streamed.
// Vectors pass on as they are, whatever their encoding_format.
type Embeddings struct{ Codec }

var _ wire.Codec = Embeddings{}

// WantsUsage returns true: every answer reports its usage.
func (Embeddings) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Embeddings) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// ReadAnswer reads a whole answer in one pass: the vectors may be megabytes. An
// answer without data is still content.
func (Embeddings) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	if !gjson.ValidBytes(body) {
		return wire.Invalid
	}
	answer := wire.View(body)
	hasData := false
	answer.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "data":
			hasData = value.IsArray() && !isEmpty(value)
		case "usage":
			readPromptUsage(t, value)
		}
		return true
	})
	if !hasData {
		if f, ok := wire.FailureIn(answer); ok {
			t.Failure = f
			return wire.Failed
		}
	}
	if !answer.IsObject() {
		return wire.Invalid
	}
	t.NoChoices, t.Done = !hasData, true
	return wire.Content
}

// readPromptUsage reads the usage of an answer that generates no tokens. Some
// servers tell the total alone, which is the prompt then.
func readPromptUsage(t *wire.Tap, usage gjson.Result) {
	if !usage.IsObject() {
		return
	}
	u := readUsage(usage)
	if u.Prompt() == 0 {
		u.Input = u.Count(usage.Get("total_tokens"))
	}
	t.Usage.Merge(u)
}
