package wire

import (
	"fmt"
	"time"
)

// Error is a refusal or failure as the caller sees it, before a codec gives it
// the caller's shape. Make it with NewError, so that status and type are those
// of the code. It is not changed once it has been returned.
type Error struct {
	Status  int    // HTTP status
	Type    string // one of the Type constants, or an upstream's
	Code    string // one of the Code constants, or an upstream's; may be empty
	Param   string // the member that is at fault; empty is null
	Message string // for people: what is wrong and what to do next; never a secret

	RetryAfter time.Duration // exact wait before another try; 0 when no wait helps or none is known
	RateLimit  *RateLimit    // the limit that refused, on 429
	RefusedBy  string        // limit, budget, policy, key, relay or upstream:HOST
	RequestID  string        // for shapes that tell it in the body; empty is null
}

// RateLimit tells a refused caller which limit it met.
type RateLimit struct {
	Name       string
	Meter      string
	Window     int64 // seconds; 0 for meters without a window, which is null
	Amount     int64 // what the limit allows, in units of the meter
	Used       int64 // what is used or in flight, in units of the meter
	Scope      string
	SharedBy   int           // keys that draw on the limit; 0 when not known, which is null
	RetryAfter time.Duration // 0 is null, else shown as whole seconds, rounded up
}

// NewError returns an error of one of the codes.
func NewError(code, message string) *Error {
	status := statusOf(code)
	return &Error{Status: status, Type: typeOf(status), Code: code, Message: message}
}

// Errorf is NewError with a formatted message.
func Errorf(code, format string, args ...any) *Error {
	return NewError(code, fmt.Sprintf(format, args...))
}

func (e *Error) Error() string { return e.Message }

// RetrySeconds returns a wait as Retry-After tells it: whole seconds, rounded
// up, at least 1; 0 for no wait.
func RetrySeconds(wait time.Duration) int64 {
	if wait <= 0 {
		return 0
	}
	return int64((wait-1)/time.Second) + 1
}
