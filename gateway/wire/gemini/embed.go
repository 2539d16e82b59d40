package gemini

import (
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// EmbeddingsHub is embedContent and batchEmbedContents on the hub
// (https://ai.google.dev/api/embeddings). Callers speak both; what goes up is
// always a body of batchEmbedContents.
type EmbeddingsHub struct{}

var _ hub.EmbedCodec = EmbeddingsHub{}

// Shape returns gemini.
func (EmbeddingsHub) Shape() string { return shape }

// DecodeEmbeds reads the body of either call, told apart by its requests.
func (EmbeddingsHub) DecodeEmbeds(body []byte, e *hub.Embeds) error {
	b := embedding{Embeds: e}
	return b.read(body)
}

// embedding reads a request for embeddings.
type embedding struct {
	*hub.Embeds
	at string // before the names of members, in refusals
}

func (b *embedding) read(body []byte) error {
	requests := memberOf(body, "requests")
	if requests == nil {
		b.Single = true
		return b.request(body)
	}
	for request := range elements(requests) {
		b.at = "requests[" + strconv.Itoa(len(b.Inputs)) + "]."
		if err := b.request(request); err != nil {
			return err
		}
	}
	if len(b.Inputs) == 0 {
		return hub.Bad("requests", "must be an array of at least one request")
	}
	return nil
}

// request reads one text to be embedded. What is asked for beside it must be the
// same for all, save a title, which is then left out.
func (b *embedding) request(request []byte) error {
	var said hub.Embeds
	for name, value := range hub.Members(request) {
		if err := b.member(&said, name, value); err != nil {
			return err
		}
	}
	if len(b.Inputs) == 0 {
		b.Task, b.Title, b.Dimensions = said.Task, said.Title, said.Dimensions
	}
	switch {
	case len(said.Inputs) == 0:
		return hub.Bad(b.at+"content", "must be a content with a part that holds text")
	case string(said.Task) != string(b.Task):
		return hub.Bad(b.at+"taskType", "must be the same in all requests")
	case string(said.Dimensions) != string(b.Dimensions):
		return hub.Bad(b.at+"outputDimensionality", "must be the same in all requests")
	case string(said.Title) != string(b.Title):
		b.Title = nil
		b.Drop("requests[].title")
	}
	b.Inputs = append(b.Inputs, said.Inputs...)
	return nil
}

func (b *embedding) member(said *hub.Embeds, name, value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	var room nameRoom
	switch text, _ := hub.TextOf(value); string(camel(name, &room)) {
	case "model": // of the path
	case "content":
		return b.content(said, value)
	case "taskType":
		if string(text) != "TASK_TYPE_UNSPECIFIED" {
			said.Task = text
		}
	case "title":
		said.Title = text
	case "outputDimensionality":
		if !isNumber(value) {
			return hub.Bad(b.at+"outputDimensionality", "must be a number")
		}
		said.Dimensions = value
	case "embedContentConfig":
		return b.config(said, value)
	default:
		b.Drop(string(name))
	}
	return nil
}

// config reads embedContentConfig, where newer clients put what stands beside the
// content.
func (b *embedding) config(said *hub.Embeds, config []byte) error {
	for name, value := range hub.Members(config) {
		if err := b.member(said, name, value); err != nil {
			return err
		}
	}
	return nil
}

// content reads a content, whose texts are one.
func (b *embedding) content(said *hub.Embeds, content []byte) error {
	var parts []hub.Part
	for raw := range elements(memberOf(content, "parts")) {
		p := partOf(raw)
		text, ok := hub.TextOf(p.text)
		if !ok {
			return hub.Bad(b.at+"content.parts", "must be an array of parts that hold text")
		}
		parts = append(parts, hub.Part{Text: text})
	}
	if len(parts) > 0 {
		said.Inputs = []hub.Text{textIn(parts)}
	}
	return nil
}

// EncodeEmbeds writes a body of batchEmbedContents.
func (EmbeddingsHub) EncodeEmbeds(dst []byte, e *hub.Embeds, to hub.Target) ([]byte, []string, error) {
	model := wire.Quote(resource(to.Model))
	dst = append(dst, `{"requests":[`...)
	for _, input := range e.Inputs {
		dst = append(append(between(dst), `{"model":`...), model...)
		dst = append(input.AppendAfter(dst, `,"content":{"parts":[{"text":`), "}]}"...)
		if len(e.Task) > 0 {
			dst = e.Task.AppendAfter(dst, `,"taskType":`)
		}
		if len(e.Title) > 0 {
			dst = e.Title.AppendAfter(dst, `,"title":`)
		}
		if e.Dimensions != nil {
			dst = append(append(dst, `,"outputDimensionality":`...), e.Dimensions...)
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}"...), e.Dropped, nil
}
