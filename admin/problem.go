package admin

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// Problem is a refusal as problem details (RFC 9457): what the server answers
// and what the client returns as an error. Errors lists what is wrong, all at
// once; no text in it holds a submitted value.
type Problem struct {
	Title  string          `json:"title" doc:"The status in words."`
	Status int             `json:"status" doc:"The HTTP status."`
	Code   store.Code      `json:"code,omitempty" doc:"The class of the refusal, for programs."`
	Detail string          `json:"detail" doc:"What is wrong and what to do next."`
	Errors []store.Problem `json:"errors,omitempty" doc:"Every fault, with the member it is in."`
}

// Error returns the detail followed by the faults that it does not name.
func (p *Problem) Error() string {
	parts := []string{p.Detail}
	for _, fault := range p.Errors {
		if text := fault.String(); !strings.Contains(p.Detail, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType names the media type of problem details.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func problem(status int, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// statusOf is the one table from the store's codes to HTTP.
func statusOf(code store.Code) int {
	switch code {
	case store.CodeInvalid:
		return http.StatusBadRequest
	case store.CodeUnprocessable, store.CodeSharedState:
		return http.StatusUnprocessableEntity
	case store.CodeForbidden:
		return http.StatusForbidden
	case store.CodeNotFound:
		return http.StatusNotFound
	case store.CodeConflict:
		return http.StatusConflict
	case store.CodeStale:
		return http.StatusPreconditionFailed
	case store.CodeUnavailable, store.CodeBusy:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// refusal makes a problem from any error. What is not meant for callers is
// kept from them: the log has it under the id that the problem names. The name
// of a record that does not exist is what was sent, and is left out.
func (s *server) refusal(err error) error {
	var fault *store.Error
	if errors.As(err, &fault) && len(fault.Problems) > 0 {
		err = s.withoutSentNames(fault)
	}
	return s.located(err)
}

// withoutSentNames returns the error with the names only of records that are
// there, in its text as well when that is made of its problems.
func (s *server) withoutSentNames(fault *store.Error) error {
	c, shown := s.DB.Catalog(), *fault
	shown.Problems = slices.Clone(fault.Problems)
	for i, p := range shown.Problems {
		if table := c.Of(p.Kind); table == nil || table.FindByName(p.Name) == nil {
			shown.Problems[i].Name = ""
		}
	}
	if fault.Message == summary(fault.Problems) {
		shown.Message = summary(shown.Problems)
	}
	return &shown
}

// located is refusal for documents, which are told apart by the names that were
// sent.
func (s *server) located(err error) error {
	var headed huma.HeadersError
	var known *Problem
	switch {
	case errors.As(err, &headed):
		return err
	case errors.As(err, &known):
		return known
	}
	var fault *store.Error
	if errors.As(err, &fault) {
		if status := statusOf(fault.Code); status != http.StatusInternalServerError {
			s.logCause(fault)
			return fromStore(status, fault)
		}
	}
	return s.internal(err)
}

func fromStore(status int, fault *store.Error) *Problem {
	p := problem(status, "%s", fault.Message)
	p.Code, p.Errors = fault.Code, fault.Problems
	return p
}

func (s *server) logCause(fault *store.Error) {
	if fault.Err != nil {
		s.Log.Warn().Err(fault.Err).Str("code", string(fault.Code)).Msg("control request refused")
	}
}

func (s *server) internal(err error) *Problem {
	id := newIncident()
	s.Log.Error().Err(err).Str("incident", id).Msg("control request failed")
	return problem(http.StatusInternalServerError, "internal error; the log tells more under incident %s", id)
}

// newProblem is huma's error constructor. What huma calls unprocessable is
// what one request alone tells: 400.
func newProblem(status int, detail string, errs ...error) huma.StatusError {
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	p := problem(status, "%s", detail)
	if status == http.StatusBadRequest {
		p.Code = store.CodeInvalid
	}
	for _, err := range errs {
		p.Errors = append(p.Errors, faultOf(err))
	}
	if len(p.Errors) > 0 && status == http.StatusBadRequest {
		p.Detail = summary(p.Errors)
	}
	return p
}

func summary(faults []store.Problem) string {
	texts := make([]string, len(faults))
	for i, fault := range faults {
		texts[i] = fault.String()
	}
	return strings.Join(texts, "; ")
}

var (
	missingMember = regexp.MustCompile(`^expected required property (.+) to be present$`)
	quotedChoices = regexp.MustCompile(`^expected value to be one of "(.*)"$`)
)

// faultOf takes the place and the reason from huma's detail and leaves out the
// value that it carries.
func faultOf(err error) store.Problem {
	detail, ok := err.(huma.ErrorDetailer)
	if !ok {
		return store.Problem{Message: "is not valid"}
	}
	place := detail.ErrorDetail()
	fault := store.Problem{Field: memberPath(place.Location), Message: place.Message}
	if missing := missingMember.FindStringSubmatch(place.Message); missing != nil {
		fault.Field = strings.TrimPrefix(fault.Field+"."+missing[1], ".")
		fault.Message = "is required"
	}
	if choices := quotedChoices.FindStringSubmatch(place.Message); choices != nil {
		fault.Message = "must be one of " + choices[1]
	}
	if place.Message == "unexpected property" {
		fault.Message = "there is no such member"
	}
	return fault
}

// memberPath leaves out where a member was found when it was in the body:
// "body.spec.rules[0]" is "spec.rules[0]".
func memberPath(location string) string {
	if location == "body" {
		return ""
	}
	return strings.TrimPrefix(location, "body.")
}
