// Package echo is a small upstream that speaks OpenAI chat completions and
// answers each request with the last words of its user. It is what relay demo
// runs behind Relay, and the well-behaved upstream of tests.
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
	Key    string           // the bearer key that requests must carry; empty asks for none
	Models []string         // what it serves; empty is echo-mini and echo-large
	Pause  time.Duration    // before each chunk of a stream
	Now    func() time.Time // for the members created; nil is time.Now
}

type handler struct {
	options Options
	answers atomic.Int64
}

// Handler serves POST /v1/chat/completions, GET /v1/models and GET
// /v1/models/{id}. It is safe for concurrent use.
func Handler(o Options) http.Handler {
	if len(o.Models) == 0 {
		o.Models = []string{"echo-mini", "echo-large"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &handler{options: o}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", h.complete)
	mux.HandleFunc("/v1/chat/completions", onlyBy("POST"))
	mux.HandleFunc("GET /v1/models", h.listModels)
	mux.HandleFunc("GET /v1/models/{id...}", h.showModel)
	mux.HandleFunc("/v1/models", onlyBy("GET"))
	mux.HandleFunc("/v1/models/", onlyBy("GET"))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", "Unknown path "+r.URL.Path+"; echo serves /v1/chat/completions and /v1/models.")
	})
	return h.authorized(mux)
}

// authorized asks for the key, if there is one to ask for.
func (h *handler) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if h.options.Key != "" && (!strings.EqualFold(scheme, "Bearer") || key != h.options.Key) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided; send it as Authorization: Bearer KEY.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func onlyBy(method string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", method)
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", r.URL.Path+" is served by "+method+" only.")
	}
}
