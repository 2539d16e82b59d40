package strict

import (
	"fmt"
	"net/http"
)

// Seen is a request to generate.
type Seen struct {
	Shape, Cell, Model, Path string
	Header                   http.Header
	Raw                      []byte
	Body                     map[string]any // nil: the JSON is refused
	Fault                    string         // what the provider did not like
	Issued                   []string       // the opaque parts in it that this provider has made
	Made                     []string       // those that it had made for the cell before, in order
}

// Seen returns the requests of a cell, in order.
func (s *Server) Seen(cell string) []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Seen
	for _, seen := range s.seen {
		if seen.Cell == cell {
			found = append(found, seen)
		}
	}
	return found
}

// Faults lists what the providers have refused, with the bodies.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, seen := range s.seen {
		if seen.Fault != "" {
			all = append(all, fmt.Sprintf("%s, in %s: %s in %s", seen.Shape, seen.Cell, seen.Fault, seen.Raw))
		}
	}
	return all
}

// Answered is how many answers have been given to the end by a model.
func (s *Server) Answered(model string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given[model]
}

// Issued returns all opaque parts that a shape has made.
func (s *Server) Issued(shape string) []string { return s.shapes[shape].issued().all() }

func (s *Server) note(sh shape, name string, r *request, f *fault) {
	seen := Seen{Shape: name, Cell: r.says("cell"), Model: r.model, Path: r.path, Header: r.Header.Clone(), Raw: r.raw, Body: r.body}
	if f != nil {
		seen.Fault = fmt.Sprintf("%v: %s", f.path, f.said)
	}
	seen.Issued, seen.Made = sh.issued().among(r.body, nil), sh.issued().of(seen.Cell)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, seen)
}
