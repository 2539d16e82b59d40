package ollama

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// EmbeddingsHub is embeddings on the hub: /api/embed for callers and hosts, and
// for callers also /api/embeddings, which takes one prompt and gives one vector.
// Which of the two a body is for is told by its members.
type EmbeddingsHub struct{}

var _ hub.EmbedCodec = EmbeddingsHub{}

// Shape returns ollama.
func (EmbeddingsHub) Shape() string { return "ollama" }

// DecodeEmbeds reads a body of either endpoint. What only a local runner knows is
// dropped.
func (EmbeddingsHub) DecodeEmbeds(body []byte, e *hub.Embeds) error {
	var input, prompt []byte
	for name, value := range hub.Members(body) {
		switch string(name) {
		case "model":
		case "input":
			input = value
		case "prompt":
			prompt = value
		case "dimensions":
			e.Dimensions = dimensionsOf(value)
		default:
			if !hub.IsNull(value) {
				e.Drop(string(name))
			}
		}
	}
	if hub.IsNull(input) && !hub.IsNull(prompt) {
		e.Single = true
		return addInput(e, "prompt", prompt)
	}
	return decodeInput(e, input)
}

// dimensionsOf returns how long vectors are to be; 0 says nothing.
func dimensionsOf(value []byte) []byte {
	if hub.IsNull(value) || string(value) == "0" {
		return nil
	}
	return value
}

// decodeInput reads a text, or a list of them.
func decodeInput(e *hub.Embeds, input []byte) error {
	if hub.IsNull(input) || input[0] != '[' {
		return addInput(e, "input", input)
	}
	i := 0
	for value := range hub.Elements(input) {
		if err := addInput(e, at("input", i, ""), value); err != nil {
			return err
		}
		i++
	}
	if i == 0 {
		return hub.Bad("input", "must hold at least one text")
	}
	return nil
}

func addInput(e *hub.Embeds, member string, value []byte) error {
	t, ok := hub.TextOf(value)
	if !ok || len(t) == 0 {
		return hub.Bad(member, "must be a text that is not empty")
	}
	e.Inputs = append(e.Inputs, t)
	return nil
}

// EncodeEmbeds writes a body of /api/embed.
func (EmbeddingsHub) EncodeEmbeds(dst []byte, e *hub.Embeds, to hub.Target) (body []byte, dropped []string, err error) {
	dst = append(wire.AppendText(dst, `{"model":`, to.Model), `,"input":[`...)
	for i, t := range e.Inputs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.Append(dst)
	}
	dst = append(dst, ']')
	if e.Dimensions != nil {
		dst = append(append(dst, `,"dimensions":`...), e.Dimensions...)
	}
	return append(dst, '}'), e.Untold(), nil
}

var errVectors = errors.New("holds no embeddings")

// ReadVectors reads an answer of /api/embed.
func (EmbeddingsHub) ReadVectors(body []byte) (hub.Vectors, error) {
	var vectors hub.Vectors
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) != "embeddings" {
			continue
		}
		vectors = vectors[:0]
		for more := w.Array(); more; more = w.Element() {
			isVector := w.First() == '['
			if vector := w.Raw(); isVector {
				vectors = append(vectors, vector)
			}
		}
	}
	if !w.End() || len(vectors) == 0 {
		return nil, errVectors
	}
	return vectors, nil
}

// AppendVectors writes the answer of the endpoint that was called.
func (EmbeddingsHub) AppendVectors(dst []byte, v hub.Vectors, e *hub.Embeds, model string, prompt int64) []byte {
	if e.Single {
		dst = append(dst, `{"embedding":`...)
		if len(v) == 0 {
			return append(dst, "[]}"...)
		}
		return append(append(dst, v[0]...), '}')
	}
	dst = append(wire.AppendText(dst, `{"model":`, model), `,"embeddings":[`...)
	for i, vector := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, vector...)
	}
	return append(wire.AppendNumber(dst, `],"total_duration":0,"load_duration":0,"prompt_eval_count":`, prompt), '}')
}
