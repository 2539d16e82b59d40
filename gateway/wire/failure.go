package wire

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Failure is an upstream's error, whichever shape told it. The zero Failure is
// none.
type Failure struct {
	Status     int // of the answer, or read from the error: 400 to 599
	Code, Type string
	Param      string
	Message    string        // at most maxMessage bytes
	RetryAfter time.Duration // from the answer's headers; 0 when absent
}

const maxMessage = 512

// AnswerFailure reads the failure that an answer with an error status tells.
// A body without an error object gives the beginning of its text as the
// message.
func AnswerFailure(status int, body []byte) Failure {
	f, ok := Failure{}, false
	if gjson.ValidBytes(body) {
		f, ok = FailureIn(View(body))
	}
	if !ok {
		f.Message = cut(string(bytes.TrimSpace(body[:min(len(body), maxMessage)])))
	}
	f.Status = status
	return f
}

// EventFailure reads the failure of an event that is one by its type, whatever
// its data says.
func EventFailure(data []byte) Failure {
	if f, ok := FailureIn(View(data)); ok {
		return f
	}
	return AnswerFailure(500, data)
}

// FailureIn looks for an error object in a JSON document: the member error, as
// an object or text, in an object or in the first element of an array; or an
// object that calls itself an error in its member object or type. Its status
// is what the error says itself, by number, code or type, and 500 without that.
func FailureIn(document gjson.Result) (Failure, bool) {
	if document.IsArray() {
		document = document.Get("0")
	}
	if !document.IsObject() {
		return Failure{}, false
	}
	inner := document.Get("error")
	if !inner.Exists() && (document.Get("object").Str == "error" || document.Get("type").Str == "error") {
		inner = document
	}
	switch {
	case inner.IsObject() && inner.Raw != "{}":
		return failureOf(inner), true
	case inner.Type == gjson.String && inner.Str != "":
		return Failure{Status: 500, Message: cut(inner.Str)}, true
	}
	return Failure{}, false
}

func failureOf(object gjson.Result) Failure {
	f := Failure{
		Code:    cut(object.Get("code").String()),
		Type:    cut(object.Get("type").String()),
		Param:   cut(object.Get("param").String()),
		Message: cut(object.Get("message").String()),
	}
	f.Status = statusIn(object.Get("status"), object.Get("status_code"), object.Get("code"), object.Get("type"))
	if _, err := strconv.Atoi(f.Code); err == nil {
		f.Code = "" // a status, told in Status
	}
	if f.Type == "error" {
		f.Type = ""
	}
	if word := object.Get("status"); f.Code == "" && word.Type == gjson.String {
		f.Code = cut(word.Str)
	}
	return f
}

// statusIn returns the first status that one of an error's members tells.
func statusIn(members ...gjson.Result) int {
	for _, m := range members {
		if n := m.Int(); n >= 400 && n <= 599 {
			return int(n)
		}
	}
	for _, m := range members {
		if n := statusOfWord(m.String()); n != 0 {
			return n
		}
	}
	return 500
}

// statusOfWord knows the codes, types and status names that providers use.
func statusOfWord(word string) int {
	switch strings.ToLower(word) {
	case "invalid_request_error", "invalid_argument", "failed_precondition", "context_length_exceeded",
		"bad_request_error", "badrequesterror", "invalid_prompt":
		return 400
	case "authentication_error", "invalid_api_key", "unauthenticated", "invalid_authentication":
		return 401
	case "billing_error", "payment_required", "insufficient_balance":
		return 402
	case "permission_error", "permission_denied", "account_deactivated":
		return 403
	case "not_found_error", "model_not_found", "not_found", "notfounderror":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "resource_exhausted", "too_many_requests",
		"tokens", "requests", "billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error":
		return 429
	case "unavailable", "service_unavailable", "engine_overloaded":
		return 503
	case "timeout_error", "deadline_exceeded", "timeout":
		return 504
	case "overloaded_error", "overloaded":
		return 529
	}
	return 0
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
func cut(text string) string {
	return strings.Clone(strings.ToValidUTF8(text[:min(len(text), maxMessage)], ""))
}
