package gateway

import (
	"net/http"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/messages"
	"relay/store"
)

// endpoint answers one request in a shape. An error that serve returns has not
// been written yet.
type endpoint struct {
	name   string // as policies name it; empty: not metered
	method string // empty: any
	shape  store.Shape
	codec  wire.Codec
	path   path // upstream
	serve  func(*exchange) error
}

// endpoints are the exact paths, in every spelling that clients send.
func endpoints() map[string]endpoint {
	table := map[string]endpoint{
		"/v1/usage": {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).showUsage},
	}
	for canonical, e := range map[string]endpoint{
		"/chat/completions": {store.EndpointChat, http.MethodPost, store.ShapeOpenAI, chat.Codec{}, pathChat, (*exchange).complete},
		"/embeddings":       {store.EndpointEmbeddings, http.MethodPost, store.ShapeOpenAI, chat.Embeddings{}, pathEmbeddings, (*exchange).complete},
		"/messages":         {store.EndpointMessages, http.MethodPost, store.ShapeAnthropic, messages.Codec{}, pathMessages, (*exchange).complete},
		"/models":           {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).listModels},
	} {
		for _, prefix := range spellings() {
			table[prefix+canonical] = e
		}
	}
	return table
}

// spellings are the beginnings under which people send an endpoint's path,
// the documented one first: SDKs differ in what they take for the base URL.
func spellings() []string {
	var all []string
	for _, vendor := range [...]string{"", "/openai", "/anthropic", "/gemini"} {
		for _, version := range [...]string{"/v1", "", "/v1/v1"} {
			all = append(all, vendor+version)
		}
	}
	return all
}

func (s *Server) handle(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, e) }
}

func (s *Server) live(w http.ResponseWriter, _ *http.Request) { plainText(w, http.StatusOK, "ok\n") }

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.opt.Draining != nil && s.opt.Draining() {
		plainText(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	plainText(w, http.StatusOK, "ok\n")
}

// root answers the probes that agents and clients send before anything else.
func (s *Server) root(w http.ResponseWriter, _ *http.Request) {
	plainText(w, http.StatusOK, "Relay is running. The API begins at /v1.\n")
}

func plainText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// notFound answers what no route takes, in the shape that the path speaks of.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	e := endpoint{shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).nothingHere}
	if strings.HasPrefix(r.URL.Path, "/anthropic/") || strings.Contains(r.URL.Path, "/messages") {
		e.shape, e.codec = store.ShapeAnthropic, messages.Codec{}
	}
	s.serve(w, r, e)
}

// nothingHere names the nearest endpoint and the base URL to use.
func (x *exchange) nothingHere() error {
	path := strings.ToValidUTF8(x.r.URL.Path, "?")
	base := x.s.opt.BaseURL
	if x.shape == store.ShapeOpenAI {
		base += "/v1"
	}
	return wire.NewError(wire.CodeNotFound, "Nothing is served at "+x.r.Method+" "+quoted(path)+". The nearest endpoint is "+x.s.nearest(path)+"; as base URL give the SDK "+base+".")
}

func (s *Server) nearest(path string) string {
	best, said, far := "", "", 1<<30
	for known, e := range s.endpoints {
		if !strings.HasPrefix(known, "/v1/") || strings.HasPrefix(known, "/v1/v1/") {
			continue
		}
		if d := store.EditDistance(path, known); d < far || d == far && known < best {
			best, said, far = known, e.method+" "+known, d
		}
	}
	return said
}
