package wire

import (
	"bytes"
	"strings"
	"time"
)

// Failure is an upstream's error, whichever shape told it. The zero Failure is
// none.
type Failure struct {
	Status     int // of the answer, or read from the error: 400 to 599
	Code, Type string
	Param      string
	Message    string        // at most maxMessage bytes
	RetryAfter time.Duration // from the answer's headers, or the error's details; 0 when absent

	cause string // the reason of a google.rpc.ErrorInfo
}

const maxMessage = 512

// AnswerFailure reads the failure that an answer with an error status tells.
// A body without an error object gives the beginning of its text as the
// message.
func AnswerFailure(status int, body []byte) Failure {
	f, ok := FailureIn(body)
	if !ok {
		f.Message = cut(bytes.TrimSpace(body[:min(len(body), maxMessage)]))
	}
	f.Status = status
	return f
}

// EventFailure reads the failure of an event that is one by its type, whatever
// its data says.
func EventFailure(data []byte) Failure {
	if f, ok := FailureIn(data); ok {
		return f
	}
	return AnswerFailure(500, data)
}

// FailureIn looks for an error object in a JSON document: the member error, as
// an object or text, in an object or in the first element of an array; or an
// object that calls itself an error in its member object or type. Its status
// is what the error says itself, by number, code or type, and 500 without that.
func FailureIn(document []byte) (Failure, bool) {
	w := Walk(document)
	var r root
	if w.First() != '[' {
		r.read(&w)
	}
	for more := w.Array(); more; more = w.Element() {
		if !r.Present() {
			r.read(&w)
		}
	}
	if !w.End() {
		return Failure{}, false
	}
	return r.failure(document)
}

// root is what the outermost object of a document says of an error.
type root struct {
	Range
	err    Range // its member error
	itself bool  // it calls itself an error
}

func (r *root) read(w *Walker) {
	r.Start = w.at
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "error":
			r.err = w.Value()
		case "object", "type":
			r.itself = w.Is("error") || r.itself
		}
	}
	r.End = w.at
}

func (r *root) failure(document []byte) (Failure, bool) {
	switch err := r.err.Of(document); {
	case tells(err) && err[0] == '{':
		return failureOf(err), true
	case tells(err):
		f := failureOf(r.Of(document))
		f.Message = cut(scalar(document, r.err))
		return f, true
	case r.itself:
		return failureOf(r.Of(document)), true
	}
	return Failure{}, false
}

// AsError returns the failure as one that a codec can write.
func (f *Failure) AsError() *Error {
	e := &Error{Status: f.Status, Type: f.Type, Code: f.Code, Param: f.Param, Message: f.Message, RetryAfter: f.RetryAfter}
	if e.Type == "" {
		e.Type = typeOf(f.Status)
	}
	if e.Message == "" {
		e.Message = "The upstream answered with an error and said no more."
	}
	return e
}

// cut copies at most maxMessage bytes of text, whole runes only.
func cut(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), maxMessage)]), "")
}
