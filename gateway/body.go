package gateway

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"relay/gateway/wire"
)

// readBody reads the request's body whole into the exchange's buffer: retries
// need it, and nothing is held while a slow caller sends.
func (x *exchange) readBody() error {
	if enc := x.r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return wire.NewError(wire.CodeUnsupportedEncoding, "Content-Encoding "+quoted(enc)+" is not read here. Send the body uncompressed.")
	}
	limit := x.s.opt.MaxRequestBytes
	if x.r.ContentLength > limit {
		return tooLarge(limit)
	}
	x.body = grow(x.body[:0], int(max(x.r.ContentLength, 0))+1)
	deadline := x.start.Add(x.s.opt.BodyTimeout)
	for {
		_ = x.rc.SetReadDeadline(earlier(deadline, time.Now().Add(x.s.opt.BodyIdleTimeout)))
		n, err := x.r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		switch {
		case int64(len(x.body)) > limit:
			return tooLarge(limit)
		case errors.Is(err, io.EOF):
			_ = x.rc.SetReadDeadline(time.Time{})
			return nil
		case err != nil:
			return bodyError(err)
		}
		if len(x.body) == cap(x.body) {
			x.body = grow(x.body, len(x.body))
		}
	}
}

func bodyError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return wire.NewError(wire.CodeRequestTimeout, "The request's body came too slowly.")
	}
	var tooBig *http.MaxBytesError
	if errors.As(err, &tooBig) {
		return tooLarge(tooBig.Limit)
	}
	return wire.NewError(wire.CodeParseError, "The request's body ended before its declared length.")
}

func tooLarge(limit int64) error {
	return wire.NewError(wire.CodeRequestTooLarge, "The request's body is over "+formatSize(limit)+", the limit max_request_bytes of this gateway.")
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// grow returns b with room for n more bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	bigger := make([]byte, len(b), max(4096, 2*cap(b), len(b)+n))
	copy(bigger, b)
	return bigger
}
