package messages

import (
	"net/http"

	"relay/gateway/wire"
)

// statusOverloaded is the shape's own status for a server with too much to do.
const statusOverloaded = 529

// Status returns the error's own status, and 529 where Relay itself is
// overloaded.
func (Codec) Status(e *wire.Error) int {
	if e.Code == wire.CodeOverloaded {
		return statusOverloaded
	}
	return e.Status
}

// AppendErrorEvent writes {"type":"error",…} as an event.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = append(dst, "event: error\ndata: "...)
	dst = c.AppendError(dst, e)
	return append(dst, "\n\n"...)
}

// AppendError writes {"type":"error","error":{"type","message"},"request_id"}.
func (c Codec) AppendError(dst []byte, e *wire.Error) []byte {
	dst = wire.AppendText(dst, `{"type":"error","error":{"type":`, c.errorType(e))
	dst = wire.AppendText(dst, `,"message":`, e.Message)
	dst = wire.AppendTextOrNull(dst, `},"request_id":`, e.RequestID)
	return append(dst, '}')
}

// errorType returns the type that goes with the status, save where an upstream
// has said more than its status does.
func (c Codec) errorType(e *wire.Error) string {
	switch e.Type {
	case "billing_error", "conflict_error", "timeout_error":
		return e.Type
	}
	return typeOf(c.Status(e))
}

// typeOf is the table of https://docs.claude.com/en/api/errors, with Relay's
// other statuses beside those that stand there.
func typeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable, statusOverloaded:
		return "overloaded_error"
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}
