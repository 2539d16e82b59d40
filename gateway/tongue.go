package gateway

import (
	"relay/gateway/wire/hub"
	"relay/store"
)

// tongue is a shape that translated calls are spoken in to upstreams.
type tongue struct {
	hub     hub.Codec
	whole   *endpoint // what is called for a whole answer
	stream  *endpoint // what is called for a stream
	embeds  hub.EmbedCodec
	vectors *endpoint // what is called for embeddings; nil: the shape has none
}

// tongues are the shapes into which calls can be translated.
func tongues() map[store.Shape]*tongue { return map[store.Shape]*tongue{} }

// sameEither is a tongue that has one endpoint for whole answers and streams.
func sameEither(h hub.Codec, e *endpoint) *tongue { return &tongue{hub: h, whole: e, stream: e} }

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
