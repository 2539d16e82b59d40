// Package reply is how the scripted upstreams answer over HTTP.
package reply

import (
	"encoding/json"
	"net/http"
	"strings"
)

// JSON answers with a document.
func JSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(Encoded(body)) // a gateway that has gone is no error here
}

// Encoded returns a value as JSON.
func Encoded(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // of maps and texts there is always JSON
	}
	return text
}

// Stream writes an answer piece by piece.
type Stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// NewStream begins one with status 200.
func NewStream(w http.ResponseWriter, contentType string) *Stream {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	return &Stream{w, http.NewResponseController(w)}
}

// Text sends text as it is.
func (s *Stream) Text(text string) {
	_, _ = s.w.Write([]byte(text))
	_ = s.rc.Flush()
}

// Data sends an event without a name, Event one with, Line a line of NDJSON.
func (s *Stream) Data(body any) { s.Text("data: " + string(Encoded(body)) + "\n\n") }

func (s *Stream) Event(name string, body any) {
	s.Text("event: " + name + "\ndata: " + string(Encoded(body)) + "\n\n")
}

func (s *Stream) Line(body any) { s.Text(string(Encoded(body)) + "\n") }

// Foreign names a header that a gateway must keep to itself; empty: there is none.
func Foreign(h http.Header) string {
	for name := range h {
		if strings.HasPrefix(name, "X-Relay-") || name == "Cookie" || name == "Origin" || name == "X-Forwarded-For" {
			return name
		}
	}
	keys := 0
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		keys += len(h.Values(name))
	}
	if keys > 1 {
		return "of a second credential"
	}
	return ""
}
