package hub_test

import (
	"slices"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/responses"
)

// shape is a wire shape with all of its codecs.
type shape struct {
	hub.Caller
	up       hub.Upstream // nil: no host speaks it
	wire     wire.Codec
	provider string // of the host that speaks it in the corpus
	streams  string // content type of its streams
}

// shapes are all of them, in the order in which files tell them.
func shapes() []shape {
	return []shape{
		{chat.Hub{}, chat.Hub{}, chat.Codec{}, "openai", wire.ContentTypeEvent},
		{responses.Hub{}, responses.Hub{}, responses.Codec{}, "openai", wire.ContentTypeEvent},
		{messages.Hub{}, messages.Hub{}, messages.Codec{}, "anthropic", wire.ContentTypeEvent},
		{gemini.Hub{}, gemini.Hub{}, gemini.Codec{}, "google", wire.ContentTypeEvent},
		{ollama.Hub{}, ollama.Hub{}, ollama.Codec{}, "ollama", wire.ContentTypeLines},
		{generate.Hub{}, nil, generate.Codec{}, "", wire.ContentTypeEvent},
	}
}

// hosts are the shapes that hosts speak.
func hosts() []shape {
	return slices.DeleteFunc(shapes(), func(s shape) bool { return s.up == nil })
}

// rank is where a shape stands in the order of files; below 0: there is none of
// the name.
func rank(name string) int {
	return slices.IndexFunc(shapes(), func(s shape) bool { return s.Shape() == name })
}

// pairs calls f with every caller and every host that speaks another shape.
func pairs(f func(caller, host shape)) {
	for _, caller := range shapes() {
		for _, host := range hosts() {
			if caller.Shape() != host.Shape() {
				f(caller, host)
			}
		}
	}
}

func TestShapes_AllCodecsOfAShapeHaveOneName(t *testing.T) {
	for _, s := range shapes() {
		if s.wire.Shape() != s.Shape() || s.up != nil && s.up.Shape() != s.Shape() {
			t.Errorf("%s has another name in another codec", s.Shape())
		}
	}
}
