package gateway

import (
	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/responses"
	"relay/store"
)

// tongue is a shape that translated calls are spoken in to upstreams.
type tongue struct {
	hub     hub.Upstream
	whole   *endpoint // what is called for a whole answer
	stream  *endpoint // what is called for a stream
	embeds  hub.EmbedCodec
	vectors *endpoint // what is called for embeddings; nil: the shape has none
}

// tongues are the shapes into which calls can be translated.
func tongues() map[store.Shape]*tongue {
	return map[store.Shape]*tongue{
		store.ShapeOpenAI:    sameEither(chat.Hub{}, generating("", store.ShapeOpenAI, chat.Codec{}, pathChat)).embedding(chat.EmbeddingsHub{}, generating("", store.ShapeOpenAI, chat.Embeddings{}, pathEmbeddings)),
		store.ShapeResponses: sameEither(responses.Hub{}, generating("", store.ShapeResponses, responses.Codec{}, pathResponses)),
		store.ShapeAnthropic: sameEither(messages.Hub{}, generating("", store.ShapeAnthropic, messages.Codec{}, pathMessages)),
		store.ShapeOllama:    sameEither(ollama.Hub{}, generating("", store.ShapeOllama, ollama.Codec{}, pathOllamaChat)).embedding(ollama.EmbeddingsHub{}, generating("", store.ShapeOllama, ollama.Embeddings{}, pathOllamaEmbed)),
		store.ShapeGemini: (&tongue{
			hub:    gemini.Hub{},
			whole:  geminiCall("", gemini.Codec{}, "generateContent", streamsNever),
			stream: sse(geminiCall("", gemini.Codec{}, "streamGenerateContent", streamsAlways)),
		}).embedding(gemini.EmbeddingsHub{}, geminiCall("", gemini.Embeddings{}, "batchEmbedContents", streamsNever)),
	}
}

// sameEither is a tongue that has one endpoint for whole answers and streams.
func sameEither(h hub.Upstream, e *endpoint) *tongue { return &tongue{hub: h, whole: e, stream: e} }

func (t *tongue) embedding(h hub.EmbedCodec, e *endpoint) *tongue {
	t.embeds, t.vectors = h, e
	return t
}

// endpoint is what is called at an upstream.
func (t *tongue) endpoint(streamed bool) *endpoint {
	if streamed {
		return t.stream
	}
	return t.whole
}
