package store

import (
	"errors"
	"strings"
)

// Code classes an error. Each has one HTTP status and one exit code.
type Code string

// The codes.
const (
	CodeInvalid       Code = "invalid"               // one record alone is wrong: 400
	CodeUnprocessable Code = "unprocessable"         // the catalog as a whole would be wrong: 422
	CodeForbidden     Code = "forbidden"             // 403
	CodeNotFound      Code = "not_found"             // 404
	CodeConflict      Code = "conflict"              // 409
	CodeStale         Code = "stale"                 // 412
	CodeSharedState   Code = "shared_state_required" // a limit that only one process would count: 422
	CodeUnavailable   Code = "storage_unavailable"   // 503
	CodeBusy          Code = "busy"                  // another process holds the file: exit 75
	CodeDamaged       Code = "damaged"               // exit 65
	CodeWrongKey      Code = "wrong_master_key"      // exit 78
)

// Problem is one fault of one record.
type Problem struct {
	Kind    Kind   `json:"kind,omitempty"`
	Name    string `json:"name,omitempty"`  // of the record
	Field   string `json:"field,omitempty"` // JSON path within the record: spec.rules[0].window
	Message string `json:"message"`         // what is wrong and what to write instead; never a submitted secret
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(string(p.Kind) + " " + p.Name))
	if p.Field != "" {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Field)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Error is what the store refuses with: a message for people, the problems it
// is made of, and a private cause.
type Error struct {
	Code     Code
	Message  string
	Problems []Problem
	Err      error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of a store error, or "" for any other.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// ProblemsError makes an error of the code from problems; nil when there are
// none. Its message names them all.
func ProblemsError(code Code, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.String()
	}
	return &Error{Code: code, Message: strings.Join(texts, "; "), Problems: problems}
}
