package gemini

import (
	"net/http"

	"relay/gateway/wire"
)

// statusOverloaded is Anthropic's status for a server with too much to do.
const statusOverloaded = 529

// statusName returns the name of the google.rpc.Code that goes with an error: an
// upstream's own, else that of the HTTP status
// (https://cloud.google.com/apis/design/errors#handling_errors), with Relay's
// other statuses beside those that stand there.
func statusName(e *wire.Error) string {
	if isRPCStatus(e.Code) {
		return e.Code
	}
	switch e.Status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusPaymentRequired, http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	case http.StatusConflict:
		return "ABORTED"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusNotImplemented:
		return "UNIMPLEMENTED"
	case http.StatusBadGateway, http.StatusServiceUnavailable, statusOverloaded:
		return "UNAVAILABLE"
	}
	if e.Status >= http.StatusInternalServerError {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

// isRPCStatus reports whether a code is the name of a google.rpc.Code.
func isRPCStatus(code string) bool {
	switch code {
	case "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
		"PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
		"OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS":
		return true
	}
	return false
}
