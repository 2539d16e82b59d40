package plan

import "relay/store"

// Call is what a candidate must be able to take.
type Call struct {
	Shape    store.Shape // that the caller speaks
	Endpoint string      // from which it may be translated, one of store's; empty: it must go as it is
}

// Takes reports whether the binding's host takes the call: as it is, or in a shape
// into which it can be translated.
func (b *Binding) Takes(call Call) bool {
	return b.Speaks(call.Shape) || b.translated(call) != ""
}

// translated is the first shape that the call is tried in where the host does not take
// it as it is; empty where it does, or takes it in none.
func (b *Binding) translated(call Call) store.Shape {
	if b.Speaks(call.Shape) {
		return ""
	}
	for _, shape := range b.Shapes {
		if Translates(call.Endpoint, shape) {
			return shape
		}
	}
	return ""
}

// Translates reports whether calls of an endpoint can be put into a shape.
func Translates(endpoint string, into store.Shape) bool {
	switch endpoint {
	case store.EndpointChat, store.EndpointResponses, store.EndpointMessages, store.EndpointGemini,
		store.EndpointGenerate, store.EndpointOllama:
		return true
	case store.EndpointEmbeddings:
		return into == store.ShapeOpenAI || into == store.ShapeGemini || into == store.ShapeOllama
	}
	return false
}
