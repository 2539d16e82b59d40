package gemini

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

var errNoVectors = errors.New("holds no embeddings")

// ReadVectors reads an answer of either call.
func (EmbeddingsHub) ReadVectors(body []byte) (hub.Vectors, error) {
	if !wire.Valid(body) {
		return nil, errNoJSON
	}
	var all hub.Vectors
	for name, value := range hub.Members(body) {
		if key := string(name); key != "embedding" && key != "embeddings" {
			continue
		}
		for embedding := range elements(value) {
			values := hub.MemberOf(embedding, "values")
			if len(values) == 0 || values[0] != '[' {
				return nil, errNoVectors
			}
			all = append(all, values)
		}
	}
	if len(all) == 0 {
		return nil, errNoVectors
	}
	return all, nil
}

// AppendVectors writes the answer to the call that the caller has made.
func (EmbeddingsHub) AppendVectors(dst []byte, v hub.Vectors, e *hub.Embeds, _ string, prompt int64) []byte {
	if e.Single && len(v) > 0 {
		dst = append(append(append(dst, `{"embedding":{"values":`...), v[0]...), '}')
	} else {
		dst = append(dst, `{"embeddings":[`...)
		for _, values := range v {
			dst = append(append(append(between(dst), `{"values":`...), values...), '}')
		}
		dst = append(dst, ']')
	}
	dst = wire.AppendNumber(dst, `,"usageMetadata":{"promptTokenCount":`, prompt)
	return append(dst, "}}"...)
}
