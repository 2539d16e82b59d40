// Package upstream is a provider that speaks five shapes, each below a path of
// its own: OpenAI's chat completions and responses, Anthropic's messages, Gemini
// and Ollama. It is strict about what a gateway must send, says the same to
// everybody, and remembers what it was asked:
//
//   - a request with a tool named add is answered with a call of it, one that
//     brings the tool's result with Sum, others with Text;
//   - the numbers of tokens are those of Spent for every generated answer;
//   - a request whose text holds [client:NAME] is booked under NAME;
//   - one whose text holds [hold] waits until its client is released.
package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"relay/testdata/e2e/reply"
)

// Key is what every shape but Ollama's wants to see, in its own header.
const Key = "provider-key-of-the-tests"

// What is answered.
const (
	Text = "Hello, 雨🙂 and you."
	Sum  = "The sum is 42."
)

// Spent is what each generated answer reports: 30 tokens in, ten of them from a
// cache, and 7 out, three of them reasoning. Ollama reports neither cached nor
// reasoning tokens, Anthropic no reasoning. Embeddings cost 5.
type Spent struct {
	Calls                               int
	Input, CacheRead, Output, Reasoning int64
}

// Add sums up.
func (s *Spent) Add(o Spent) {
	s.Calls += o.Calls
	s.Input += o.Input
	s.CacheRead += o.CacheRead
	s.Output += o.Output
	s.Reasoning += o.Reasoning
}

// Server is the provider. It is safe for concurrent use.
type Server struct {
	shapes map[string]shape // by the first segment of the path

	mu     sync.Mutex
	spent  map[string]Spent // by client
	faults []string
	held   map[string]*held // by client
}

// held are the requests of a client that wait.
type held struct {
	waiting  int
	released chan struct{} // closed: they need not
}

// shape is one way to speak. Its paths are those behind the segment of the
// shape.
type shape interface {
	// authorized reports whether the request carries the key as the shape does.
	authorized(h http.Header) bool
	models() any
	// check says what is wrong with a request to generate; empty: nothing.
	check(r *request) string
	answer(w http.ResponseWriter, r *request)
	refuse(status int, message string) any
	// cost is what an answer to the request reports.
	cost(r *request) Spent
}

// New returns a provider that nobody has asked anything yet.
func New() *Server {
	return &Server{
		shapes: map[string]shape{"chat": chat{}, "responses": responses{}, "messages": messages{}, "gemini": gemini{}, "ollama": ollama{}},
		spent:  map[string]Spent{},
		held:   map[string]*held{},
	}
}

// Spent returns what was answered to a client.
func (s *Server) Spent(client string) Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent[client]
}

// Faults lists the requests that were not as they should be.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Release lets a client's requests go on that wait, and those that come later.
func (s *Server) Release(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.of(client)
	select {
	case <-h.released:
	default:
		close(h.released)
	}
}

// Waiting says how many of a client's requests have had to wait.
func (s *Server) Waiting(client string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(client).waiting
}

// of is for holders of the mutex.
func (s *Server) of(client string) *held {
	if s.held[client] == nil {
		s.held[client] = &held{released: make(chan struct{})}
	}
	return s.held[client]
}

// wait holds a request and returns what it waits for.
func (s *Server) wait(client string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.of(client)
	h.waiting++
	return h.released
}

// control lets tests in other processes ask for Waiting and call Release.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	client := r.URL.Query().Get("client")
	if r.Method == http.MethodPost {
		s.Release(client)
	}
	reply.JSON(w, http.StatusOK, object{"waiting": s.Waiting(client)})
}

// request is a request to generate or to embed.
type request struct {
	*http.Request
	path   string // behind the shape's segment
	raw    []byte
	body   map[string]any
	client string
}

var clientTag = regexp.MustCompile(`\[client:([\w.-]+)\]`)

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if name == "held" {
		s.control(w, r)
		return
	}
	sh, known := s.shapes[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the gateway is gone
	}
	q := &request{Request: r, path: "/" + path, raw: raw, client: "unnamed"}
	if found := clientTag.FindSubmatch(raw); found != nil {
		q.client = string(found[1])
	}
	switch {
	case !sh.authorized(r.Header):
		s.refuse(w, sh, q, http.StatusUnauthorized, "no key, or not the right one")
	case reply.Foreign(r.Header) != "":
		s.refuse(w, sh, q, http.StatusBadRequest, "header "+reply.Foreign(r.Header)+" is not for providers")
	case r.Method == http.MethodGet:
		reply.JSON(w, http.StatusOK, sh.models())
	default:
		s.generate(w, sh, q)
	}
}

func (s *Server) generate(w http.ResponseWriter, sh shape, r *request) {
	decoder := json.NewDecoder(bytes.NewReader(r.raw))
	if err := decoder.Decode(&r.body); err != nil {
		s.refuse(w, sh, r, http.StatusBadRequest, "body: "+err.Error())
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		s.refuse(w, sh, r, http.StatusUnsupportedMediaType, "Content-Type is "+r.Header.Get("Content-Type"))
		return
	}
	if fault := sh.check(r); fault != "" {
		s.refuse(w, sh, r, http.StatusBadRequest, fault)
		return
	}
	if r.says("[hold]") {
		select {
		case <-s.wait(r.client):
		case <-r.Context().Done():
			return
		}
	}
	s.mu.Lock()
	spent := s.spent[r.client]
	spent.Add(sh.cost(r))
	s.spent[r.client] = spent
	s.mu.Unlock()
	sh.answer(w, r)
}

func (s *Server) refuse(w http.ResponseWriter, sh shape, r *request, status int, message string) {
	s.mu.Lock()
	s.faults = append(s.faults, fmt.Sprintf("%s %s of %s: %s", r.Method, r.URL, r.client, message))
	s.mu.Unlock()
	reply.JSON(w, status, sh.refuse(status, message))
}

func (r *request) says(text string) bool { return bytes.Contains(r.raw, []byte(text)) }

// wantsCall reports whether the tool add is on offer and has not been called.
func (r *request) wantsCall(results ...string) bool {
	return r.says(`"name":"add"`) && !r.hasResult(results...)
}

// hasResult reports whether the body holds one of the texts by which a shape
// brings the result of a tool.
func (r *request) hasResult(results ...string) bool {
	return slices.ContainsFunc(results, r.says)
}

func (r *request) model() string { name, _ := r.body["model"].(string); return name }

func (r *request) flag(name string) bool { is, _ := r.body[name].(bool); return is }

func (r *request) list(name string) []any { all, _ := r.body[name].([]any); return all }
