package upstream

import (
	"encoding/json"
	"net/http"
	"strings"
)

// object is a JSON object.
type object = map[string]any

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encoded(body)) // a gateway that has gone is no error here
}

func encoded(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // of maps and texts there is always JSON
	}
	return text
}

// stream writes an answer piece by piece.
type stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func newStream(w http.ResponseWriter, contentType string) *stream {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	return &stream{w, http.NewResponseController(w)}
}

func (s *stream) write(text string) {
	_, _ = s.w.Write([]byte(text))
	_ = s.rc.Flush()
}

func (s *stream) data(body any) { s.write("data: " + string(encoded(body)) + "\n\n") }

func (s *stream) event(name string, body any) {
	s.write("event: " + name + "\ndata: " + string(encoded(body)) + "\n\n")
}

func (s *stream) line(body any) { s.write(string(encoded(body)) + "\n") }

// pieces cuts a text as a provider streams it: word by word.
func pieces(text string) []string { return strings.SplitAfter(text, " ") }

// arguments are those of the call of add, in the pieces in which they stream.
func arguments() []string { return []string{`{"a":`, `17,"b"`, `:25}`} }

func wholeArguments() string { return strings.Join(arguments(), "") }

// sum are the arguments as an object.
func sum() object { return object{"a": 17, "b": 25} }

// said is the text of an answer that calls no tool.
func said(hasResult bool) string {
	if hasResult {
		return Sum
	}
	return Text
}
