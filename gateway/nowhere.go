package gateway

import (
	"net/http"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/store"
)

// notFound answers what no route takes.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	e := unrouted(r)
	e.serve = (*exchange).nothingHere
	s.serve(w, r, e)
}

// wrongMethod answers calls to the routes outside of the endpoints, which all
// take GET.
func (s *Server) wrongMethod(w http.ResponseWriter, r *http.Request) {
	e := unrouted(r)
	e.method = http.MethodGet
	s.serve(w, r, e)
}

// unrouted has the shape that the path or the headers of a caller speak of.
func unrouted(r *http.Request) *endpoint {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/anthropic/"), strings.Contains(path, "/messages"), r.Header.Get("Anthropic-Version") != "":
		return &endpoint{shape: store.ShapeAnthropic, codec: messages.Codec{}}
	case strings.HasPrefix(path, "/gemini/"), strings.Contains(path, "/v1beta"):
		return &endpoint{shape: store.ShapeGemini, codec: gemini.Codec{}}
	case strings.HasPrefix(path, "/api/"):
		return &endpoint{shape: store.ShapeOllama, codec: ollama.Codec{}}
	}
	return &endpoint{shape: store.ShapeOpenAI, codec: chat.Codec{}}
}

// nothingHere names the nearest endpoint and the base URL to use.
func (x *exchange) nothingHere() error {
	base := x.s.opt.BaseURL
	if x.call.shape == store.ShapeOpenAI {
		base += "/v1"
	}
	return wire.NewError(wire.CodeNotFound, "Nothing is served at "+x.r.Method+" "+quoted(x.r.URL.EscapedPath())+". The nearest endpoint is "+x.s.nearest(x.r.URL.Path)+"; as base URL give the SDK "+base+".")
}

// nearest is the endpoint that the path resembles most; of a long one the
// beginning tells.
func (s *Server) nearest(path string) string {
	path = short(path)
	best, said, far := "", "", 1<<30
	for known, e := range s.endpoints {
		if !isDocumented(known) {
			continue
		}
		if d := store.EditDistance(path, known); d < far || d == far && known < best {
			best, said, far = known, e.method+" "+known, d
		}
	}
	return said
}

// isDocumented tells an endpoint's documented path from its other spellings.
func isDocumented(path string) bool {
	return strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/v1/v1/") || strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1beta/")
}
