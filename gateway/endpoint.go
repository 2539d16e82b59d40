package gateway

import (
	"net/http"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/store"
)

// endpoint answers one request in a shape. An error that serve returns has not
// been written yet. Endpoints are shared by all requests and never change.
type endpoint struct {
	name    string // as policies name it; empty: none of those that generate
	method  string // empty: any
	shape   store.Shape
	codec   wire.Codec
	path    path   // upstream
	verb    string // behind the model's name in the path
	query   string // that the upstream gets
	serve   func(*exchange) error
	listing bool // of models: clients of several shapes call it

	hub        hub.Caller     // of calls that can be translated; nil: it cannot
	embeds     hub.EmbedCodec // of those for embeddings
	streamType string         // content type of a translated stream; empty: the codec's

	naming    naming    // of those that read a body; nil: none
	streaming streaming // whether answers are streamed

	// unmetered calls take nothing of any limit, leave no usage and no trace in
	// breakers. instead answers one that no upstream can answer.
	unmetered bool
	instead   func(*exchange) error
}

// streaming says when an answer is a stream.
type streaming uint8

const (
	streamsAsked    streaming = iota // where the body's member stream is true
	streamsUnlessNo                  // where it is not false
	streamsNever
	streamsAlways
)

// streams reports whether the caller waits for a stream.
func (x *exchange) streams() bool {
	switch x.call.streaming {
	case streamsNever:
		return false
	case streamsAlways:
		return true
	case streamsUnlessNo:
		return !x.members.Whole
	}
	return x.members.Streamed
}

// translates reports whether the call may go up in another shape.
func (e *endpoint) translates() bool { return e.hub != nil || e.embeds != nil }

// metered reports whether the call counts: against limits, in usage, in breakers.
func (x *exchange) metered() bool { return x.call.name != "" && !x.call.unmetered }

// takes reports whether the endpoint answers the method. What answers GET
// answers HEAD (RFC 9110, section 9.1).
func (e *endpoint) takes(method string) bool {
	return e.method == "" || method == e.method || e.method == http.MethodGet && method == http.MethodHead
}

// allow is the Allow header of a 405.
func (e *endpoint) allow() string {
	if e.method == http.MethodGet {
		return "GET, HEAD"
	}
	return e.method
}
