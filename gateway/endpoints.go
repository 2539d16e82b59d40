package gateway

import (
	"net/http"
	"strings"
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/messages"
	"relay/store"
)

// endpoint answers one request in a shape. An error that serve returns has not
// been written yet.
type endpoint struct {
	name    string // as policies name it; empty: not metered
	method  string // empty: any
	shape   store.Shape
	codec   wire.Codec
	path    path // upstream
	serve   func(*exchange) error
	listing bool // of models: clients of several shapes call it
}

// takes reports whether the endpoint answers the method. What answers GET
// answers HEAD (RFC 9110, section 9.1).
func (e endpoint) takes(method string) bool {
	return e.method == "" || method == e.method || e.method == http.MethodGet && method == http.MethodHead
}

// allow is the Allow header of a 405.
func (e endpoint) allow() string {
	if e.method == http.MethodGet {
		return "GET, HEAD"
	}
	return e.method
}

// endpoints are the exact paths, in every spelling that clients send.
func endpoints() map[string]endpoint {
	table := map[string]endpoint{
		"/v1/usage": {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).showUsage},
	}
	for canonical, e := range map[string]endpoint{
		"/chat/completions": {store.EndpointChat, http.MethodPost, store.ShapeOpenAI, chat.Codec{}, pathChat, (*exchange).complete, false},
		"/embeddings":       {store.EndpointEmbeddings, http.MethodPost, store.ShapeOpenAI, chat.Embeddings{}, pathEmbeddings, (*exchange).complete, false},
		"/messages":         {store.EndpointMessages, http.MethodPost, store.ShapeAnthropic, messages.Codec{}, pathMessages, (*exchange).complete, false},
		"/models":           {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).listModels, listing: true},
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

// live and ready tell nothing but that they answer, and so do it to probes that
// call the gateway by any name.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	s.plainText(w, r, http.StatusOK, "ok\n")
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.opt.Draining != nil && s.opt.Draining() {
		s.plainText(w, r, http.StatusServiceUnavailable, "draining\n")
		return
	}
	s.plainText(w, r, http.StatusOK, "ok\n")
}

// root answers what agents and clients ask before anything else.
func (s *Server) root(w http.ResponseWriter, r *http.Request) {
	if s.door.refuse(r) != nil {
		s.notFound(w, r)
		return
	}
	s.plainText(w, r, http.StatusOK, "Relay is running. The API begins at /v1.\n")
}

// plainText answers outside of any exchange: it is neither counted nor logged.
func (s *Server) plainText(w http.ResponseWriter, r *http.Request, status int, text string) {
	if s.connections != nil && isSurplus(r.Context()) {
		w.Header()["Connection"] = []string{"close"}
	}
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opt.BodyIdleTimeout))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

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
func unrouted(r *http.Request) endpoint {
	path := r.URL.Path
	if strings.HasPrefix(path, "/anthropic/") || strings.Contains(path, "/messages") || r.Header.Get("Anthropic-Version") != "" {
		return endpoint{shape: store.ShapeAnthropic, codec: messages.Codec{}}
	}
	return endpoint{shape: store.ShapeOpenAI, codec: chat.Codec{}}
}

// nothingHere names the nearest endpoint and the base URL to use.
func (x *exchange) nothingHere() error {
	base := x.s.opt.BaseURL
	if x.shape == store.ShapeOpenAI {
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
		if !strings.HasPrefix(known, "/v1/") || strings.HasPrefix(known, "/v1/v1/") {
			continue
		}
		if d := store.EditDistance(path, known); d < far || d == far && known < best {
			best, said, far = known, e.method+" "+known, d
		}
	}
	return said
}
