// Package echo is a small upstream that answers each request with the last
// words of its user. It speaks OpenAI chat completions and embeddings and
// Anthropic messages. It is what relay demo runs behind Relay, and the
// well-behaved upstream of tests.
//
// Its usage is honest and can be counted by eye: a token is a word. It keeps no
// state but a count of its answers.
package echo

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Options of a Handler. The zero Options is ready to use.
type Options struct {
	Key    string           // that requests must carry as bearer token or in x-api-key; empty asks for none
	Models []string         // what it serves; empty is echo-mini and echo-large
	Pause  time.Duration    // before each event of a stream
	Now    func() time.Time // for the members created; nil is time.Now
}

type handler struct {
	options Options
	answers atomic.Int64
}

// Handler serves POST /v1/chat/completions, POST /v1/messages, POST
// /v1/embeddings, GET /v1/models and GET /v1/models/{id}. It is safe for
// concurrent use.
func Handler(o Options) http.Handler {
	if len(o.Models) == 0 {
		o.Models = []string{"echo-mini", "echo-large"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &handler{options: o}
	mux := http.NewServeMux()
	for path, serve := range map[string]http.HandlerFunc{
		chatPath: h.complete, messagesPath: h.createMessage, embeddingsPath: h.embed,
	} {
		mux.HandleFunc("POST "+path, serve)
		mux.HandleFunc(path, onlyBy("POST"))
	}
	mux.HandleFunc("GET /v1/models", h.listModels)
	mux.HandleFunc("GET /v1/models/{id...}", h.showModel)
	mux.HandleFunc("/v1/models", onlyBy("GET"))
	mux.HandleFunc("/v1/models/", onlyBy("GET"))
	mux.HandleFunc("/", unknownPath)
	return h.authorized(mux)
}

const (
	chatPath       = "/v1/chat/completions"
	messagesPath   = "/v1/messages"
	embeddingsPath = "/v1/embeddings"
)

// authorized asks for the key, if there is one to ask for.
func (h *handler) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.options.Key != "" && keyOf(r) != h.options.Key {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, r, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided; send it as Authorization: Bearer KEY or x-api-key: KEY.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// keyOf returns the key that a request carries: its bearer token, else what is
// in x-api-key.
func keyOf(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return key
	}
	return r.Header.Get("X-Api-Key")
}

func onlyBy(method string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", method)
		refuse(w, r, http.StatusMethodNotAllowed, "method_not_allowed", r.URL.Path+" is served by "+method+" only.")
	}
}

func unknownPath(w http.ResponseWriter, r *http.Request) {
	refuse(w, r, http.StatusNotFound, "not_found", "Unknown path "+r.URL.Path+"; echo serves "+chatPath+", "+messagesPath+", "+embeddingsPath+" and /v1/models.")
}
