package strict

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"relay/testdata/e2e/reply"
)

// Server is the providers. It is safe for concurrent use.
type Server struct {
	shapes map[string]shape
	models []string

	mu     sync.Mutex
	seen   []Seen
	closed map[string]chan struct{} // of cells that play PlayEndless
	free   map[string]chan struct{} // of cells that play PlayDie: closed once they may
	given  map[string]int64         // complete answers, by model
}

// shape is one provider. Its paths are those behind the segment of the shape.
type shape interface {
	authorized(h http.Header) bool
	list(models []string) any
	// check returns the first thing that the provider refuses.
	check(r *request) *fault
	// read says what the request asks for. It has passed check.
	read(r *request) asked
	// answer writes the answer, in pieces where the request asks for a stream.
	answer(w http.ResponseWriter, r *request, t turn)
	// begin writes the first piece of a streamed answer. It returns what writes
	// another, and what tells within the stream that the provider is overloaded.
	begin(s *reply.Stream, r *request) (more, die func())
	contentType() string
	// refuse returns status and body of a refusal.
	refuse(status int, f *fault) (int, any)
	issued() *issuer
}

// New returns providers, each of which serves models of these names behind the
// name of its shape: chat-NAME, gemini-NAME.
func New(models ...string) *Server {
	return &Server{
		shapes: map[string]shape{
			Chat: chat{newIssuer()}, Responses: responses{newIssuer()}, Messages: messages{newIssuer()}, Gemini: gemini{newIssuer()}, Ollama: ollama{newIssuer()},
		},
		models: models,
		closed: map[string]chan struct{}{},
		free:   map[string]chan struct{}{},
		given:  map[string]int64{},
	}
}

// request is a request to generate.
type request struct {
	*http.Request
	path string // behind the shape's segment
	raw  []byte
	body object
	asked
}

// says reports what a tag of the prompt says.
func (r *request) says(tag string) string {
	found := regexp.MustCompile(`\[` + tag + `:([\w./-]+)\]`).FindSubmatch(r.raw)
	if found == nil {
		return ""
	}
	return string(found[1])
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	sh, known := s.shapes[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	if !sh.authorized(r.Header) {
		refuse(w, sh, http.StatusUnauthorized, &fault{said: "no key, or not the right one"})
		return
	}
	if r.Method == http.MethodGet {
		reply.JSON(w, http.StatusOK, sh.list(s.modelsOf(name)))
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the gateway is gone
	}
	s.generate(w, sh, name, &request{Request: r, path: "/" + path, raw: raw})
}

func (s *Server) modelsOf(shape string) []string {
	names := make([]string, len(s.models))
	for i, name := range s.models {
		names[i] = shape + "-" + name
	}
	return names
}

func (s *Server) generate(w http.ResponseWriter, sh shape, name string, r *request) {
	fault := s.judge(sh, r)
	var t turn
	if fault == nil {
		r.asked = sh.read(r)
		r.shape, r.script, r.cell = name, r.says("script"), r.says("cell")
		var wrong string
		if t, wrong = r.play(); wrong != "" {
			fault = invalidAt(wrong)
		}
	}
	s.note(sh, name, r, fault)
	if fault != nil {
		refuse(w, sh, http.StatusBadRequest, fault)
		return
	}
	s.run(w, sh, r, t)
}

// judge says what the provider refuses.
func (s *Server) judge(sh shape, r *request) *fault {
	v, err := decode(r.raw)
	if err != nil {
		return invalidAt(err.Error())
	}
	body, is := v.(object)
	if !is {
		return invalidAt("the body is no object")
	}
	r.body = body
	if f := foreign(r.Header); f != "" {
		return invalidAt("header " + f + " is not for providers")
	}
	return sh.check(r)
}

func invalidAt(said string, path ...any) *fault { return &fault{path: path, said: said} }

// foreign names a header that a gateway must keep to itself, or set otherwise.
func foreign(h http.Header) string {
	if kind := h.Get("Content-Type"); kind != "application/json" {
		return "Content-Type with " + kind
	}
	return reply.Foreign(h)
}
