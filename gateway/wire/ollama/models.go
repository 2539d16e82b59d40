package ollama

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"relay/gateway/wire"
)

const (
	details = `{"parent_model":"","format":"gguf","family":"","families":null,"parameter_size":"","quantization_level":""}`
	latest  = ":latest"
)

// AppendModels writes the answer of /api/tags.
func (c Codec) AppendModels(dst []byte, models []wire.Model) []byte {
	return appendList(dst, models, c.AppendModel)
}

// AppendModel writes one model of that list. The name is what clients send, and
// some look for theirs letter by letter: see Name. Relay knows neither size nor
// digest; the digest is made of the name, since clients show its beginning.
func (Codec) AppendModel(dst []byte, model wire.Model) []byte {
	dst = appendNames(dst, model)
	dst = appendTime(dst, `,"modified_at":"`, model.Created)
	dst = appendDigest(dst, model)
	return append(dst, `,"details":`+details+`}`...)
}

// AppendRunning writes the answer of /api/ps, with models that stay loaded.
func AppendRunning(dst []byte, models []wire.Model) []byte {
	return appendList(dst, models, appendRunning)
}

func appendRunning(dst []byte, model wire.Model) []byte {
	dst = appendDigest(appendNames(dst, model), model)
	return append(dst, `,"details":`+details+`,"expires_at":"9999-12-31T23:59:59Z","size_vram":0,"context_length":0}`...)
}

// AppendShow writes the answer of /api/show for a model that no Ollama host
// serves: enough that clients take it for one that chats and calls tools.
func AppendShow(dst []byte, model wire.Model) []byte {
	dst = append(dst, `{"modelfile":"","parameters":"","template":"","details":`+details...)
	dst = append(dst, `,"model_info":{"general.architecture":"relay"},"capabilities":["completion","tools"]`...)
	dst = appendTime(dst, `,"modified_at":"`, model.Created)
	return append(dst, '}')
}

// Name returns the name of a model as Ollama's clients write it. Ollama reads a
// name without a tag as NAME:latest and lists it so.
func Name(model wire.Model) string {
	if model.Tagged && !hasTag(model.ID) {
		return model.ID + latest
	}
	return model.ID
}

// hasTag reports whether a name has a tag: a colon before a slash stands in an
// address.
func hasTag(name string) bool {
	return strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":")
}

func appendList(dst []byte, models []wire.Model, one func([]byte, wire.Model) []byte) []byte {
	dst = append(dst, `{"models":[`...)
	for i, model := range models {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, model)
	}
	return append(dst, "]}"...)
}

func appendNames(dst []byte, model wire.Model) []byte {
	dst = wire.AppendText(dst, `{"name":`, Name(model))
	return wire.AppendText(dst, `,"model":`, Name(model))
}

func appendDigest(dst []byte, model wire.Model) []byte {
	digest := sha256.Sum256([]byte(Name(model)))
	dst = append(dst, `,"size":0,"digest":"`...)
	dst = hex.AppendEncode(dst, digest[:])
	return append(dst, '"')
}

// appendTime writes when a model was made; the zero time, which clients show as
// never, where that is not known.
func appendTime(dst []byte, before string, created int64) []byte {
	var at time.Time
	if created != 0 {
		at = time.Unix(created, 0).UTC()
	}
	dst = at.AppendFormat(append(dst, before...), time.RFC3339)
	return append(dst, '"')
}
