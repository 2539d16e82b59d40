package chat

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// EmbeddingsHub is embeddings on the hub
// (https://platform.openai.com/docs/api-reference/embeddings). Hosts are always
// asked for numbers; callers that want base64 get it. It implements
// hub.EmbedCodec.
type EmbeddingsHub struct{}

var _ hub.EmbedCodec = EmbeddingsHub{}

// Shape returns openai.
func (EmbeddingsHub) Shape() string { return shape }

// DecodeEmbeds reads a caller's body.
func (EmbeddingsHub) DecodeEmbeds(body []byte, e *hub.Embeds) error {
	var input []byte
	for name, value := range hub.Members(body) {
		if hub.IsNull(value) {
			continue
		}
		switch string(name) {
		case "model":
		case "input":
			input = value
		case "dimensions":
			if !isCount(value) {
				return hub.Bad("dimensions", "must be a whole number of 1 or more")
			}
			e.Dimensions = value
		case "encoding_format":
			format, _ := hub.TextOf(value)
			if e.Base64 = format.Is("base64"); !e.Base64 && !format.Is("float") {
				return hub.Bad("encoding_format", "must be float or base64")
			}
		default:
			e.Drop(string(name))
		}
	}
	return readInput(e, input).refusal()
}

// readInput reads one text or an array of them.
func readInput(e *hub.Embeds, input []byte) *fault {
	if t, ok := hub.TextOf(input); ok {
		e.Inputs = []hub.Text{t}
		return nil
	}
	for value := range hub.Elements(input) {
		t, ok := hub.TextOf(value)
		if !ok {
			return bad("input", "must be a string or an array of strings: tokens cannot be translated")
		}
		e.Inputs = append(e.Inputs, t)
	}
	if len(e.Inputs) == 0 {
		return bad("input", "must be a string or an array of strings")
	}
	return nil
}

// EncodeEmbeds writes the body that goes up.
func (EmbeddingsHub) EncodeEmbeds(dst []byte, e *hub.Embeds, to hub.Target) (body []byte, dropped []string, err error) {
	dst = wire.AppendText(dst, `{"model":`, to.Model)
	before := `,"input":[`
	for _, input := range e.Inputs {
		dst = input.AppendAfter(dst, before)
		before = ","
	}
	dst = append(dst, `],"encoding_format":"float"`...)
	if e.Dimensions != nil {
		dst = append(append(dst, `,"dimensions":`...), e.Dimensions...)
	}
	return append(dst, '}'), e.Untold(), nil
}

var errVectors = errors.New("does not hold an array of numbers for each input")

// ReadVectors reads an answer. Where an embedding does not tell the input that it
// is of, they are in order.
func (EmbeddingsHub) ReadVectors(body []byte) (hub.Vectors, error) {
	data := hub.MemberOf(body, "data")
	n := 0
	for range hub.Elements(data) {
		n++
	}
	if n == 0 {
		return nil, errVectors
	}
	vectors := make(hub.Vectors, n)
	at := 0
	for value := range hub.Elements(data) {
		index := at
		if said := hub.MemberOf(value, "index"); !hub.IsNull(said) {
			index, _ = strconv.Atoi(string(said))
		}
		vector := hub.MemberOf(value, "embedding")
		if index < 0 || index >= n || vectors[index] != nil || !isVector(vector) {
			return nil, errVectors
		}
		vectors[index] = vector
		at++
	}
	return vectors, nil
}

func isVector(value []byte) bool {
	if len(value) == 0 || value[0] != '[' {
		return false
	}
	for n := range hub.Elements(value) {
		if !number.fits(n) {
			return false
		}
	}
	return true
}

// AppendVectors writes the answer for the caller.
func (EmbeddingsHub) AppendVectors(dst []byte, v hub.Vectors, e *hub.Embeds, model string, prompt int64) []byte {
	dst = append(dst, `{"object":"list","data":[`...)
	for i, vector := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendNumber(dst, `{"object":"embedding","index":`, int64(i))
		dst = append(dst, `,"embedding":`...)
		if e.Base64 {
			dst = appendBase64(dst, vector)
		} else {
			dst = append(dst, vector...)
		}
		dst = append(dst, '}')
	}
	dst = wire.AppendText(dst, `],"model":`, model)
	dst = wire.AppendNumber(dst, `,"usage":{"prompt_tokens":`, prompt)
	dst = wire.AppendNumber(dst, `,"total_tokens":`, prompt)
	return append(dst, "}}"...)
}

// appendBase64 writes a vector as base64 (RFC 4648) of little-endian float32, as
// callers of this shape read it.
func appendBase64(dst, vector []byte) []byte {
	var floats []byte
	for n := range hub.Elements(vector) {
		f, _ := strconv.ParseFloat(string(n), 32)
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(f)))
	}
	dst = append(dst, '"')
	return append(base64.StdEncoding.AppendEncode(dst, floats), '"')
}
