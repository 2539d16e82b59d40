package http1

import (
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by errors about an answer that breaks the rules of
// RFC 9112.
var ErrMalformed = errors.New("malformed answer")

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

// unsentError wraps errors before which nothing of the request can have reached
// the server.
type unsentError struct{ err error }

func (e *unsentError) Error() string { return e.err.Error() }
func (e *unsentError) Unwrap() error { return e.err }

// AsUnsent marks an error as one of a request of which nothing can have reached
// the server.
func AsUnsent(err error) error { return &unsentError{err} }

// Unsent reports whether the error is of a request of which nothing can have
// reached the server, so that it may be sent again.
func Unsent(err error) bool {
	var unsent *unsentError
	return errors.As(err, &unsent)
}

// HandshakeError is a TLS handshake that failed.
type HandshakeError struct{ Err error }

func (e *HandshakeError) Error() string { return "tls handshake: " + e.Err.Error() }

// Unwrap returns why it failed.
func (e *HandshakeError) Unwrap() error { return e.Err }

// FieldError is a header field that a request cannot carry. It names the field
// and not its value, which may be secret.
type FieldError struct{ Name string }

func (e *FieldError) Error() string {
	return fmt.Sprintf("header field %q cannot be sent: its name or value holds what no field may", e.Name)
}
