package strict

import (
	"encoding/json"
	"net/http"
)

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
