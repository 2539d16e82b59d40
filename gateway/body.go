package gateway

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"relay/gateway/wire"
)

// readBody reads the request's body whole into the exchange's buffer and undoes
// its packing: retries need it, and nothing else is held while a slow caller
// sends. Its bytes are counted against max_buffered_bytes before they are
// allocated.
func (x *exchange) readBody() error {
	packing, err := codingOf(x.r.Header)
	if err != nil {
		x.w.Header()["Accept-Encoding"] = acceptedCodings
		return err
	}
	limit := x.bodyLimit()
	if x.r.ContentLength > limit {
		return x.tooLarge()
	}
	if err := x.firstRoom(); err != nil {
		return err
	}
	if err := x.receive(limit); err != nil || packing == "" {
		return err
	}
	return x.unpack(packing)
}

// acceptedCodings goes with a 415 (RFC 9110, section 15.5.16).
var acceptedCodings = []string{"gzip, zstd"}

// bodyLimit is the size of the largest body that is read, in bytes. One that is
// larger than all bodies together may be would never be.
func (x *exchange) bodyLimit() int64 {
	if all := x.s.opt.MaxBufferedBytes; all > 0 {
		return min(x.s.opt.MaxRequestBytes, all-1)
	}
	return x.s.opt.MaxRequestBytes
}

// firstRoom makes the buffer as large as the body is said to be.
func (x *exchange) firstRoom() error {
	length := x.r.ContentLength
	if length < 0 {
		x.body = x.body[:0]
		return x.claim(int64(cap(x.body)))
	}
	if err := x.claim(length); err != nil {
		return err
	}
	x.body = grow(x.body[:0], int(length)+1)
	return nil
}

// makeRoom lets a full buffer grow, up to one byte over the limit.
func (x *exchange) makeRoom(limit int64) error {
	size := int64(cap(x.body))
	if int64(len(x.body)) < size {
		return nil
	}
	larger := min(max(4096, 2*size), limit+1)
	if err := x.claim(larger - size); err != nil {
		return err
	}
	body := make([]byte, size, larger)
	copy(body, x.body)
	x.body = body
	return nil
}

// receive reads the body off the connection. Each read may take the idle
// timeout, and all of them together the body timeout.
func (x *exchange) receive(limit int64) error {
	deadline := x.start.Add(x.s.opt.BodyTimeout)
	x.bodyRead = bodyBegun
	for {
		if err := x.makeRoom(limit); err != nil {
			return err
		}
		_ = x.rc.SetReadDeadline(earlier(deadline, time.Now().Add(x.s.opt.BodyIdleTimeout)))
		n, err := x.r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		switch {
		case int64(len(x.body)) > limit:
			return x.tooLarge()
		case errors.Is(err, io.EOF):
			x.bodyRead = bodyWhole
			_ = x.rc.SetReadDeadline(time.Time{})
			return nil
		case err != nil:
			return bodyError(err)
		}
	}
}

// bodyError says why a body is not whole. Callers that have gone are told, too:
// only half of their connection may be closed.
func bodyError(err error) error {
	var network *net.OpError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wire.NewError(wire.CodeRequestTimeout, "The request's body came too slowly (inference.body_idle_timeout, inference.body_timeout). Send it again.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wire.NewError(wire.CodeParseError, "The request's body ended before its declared length.")
	case errors.As(err, &network):
		return errCallerGone
	}
	return wire.NewError(wire.CodeParseError, "The chunks of the request's body are not well formed.")
}

func (x *exchange) tooLarge() error {
	size, setting := x.s.opt.MaxRequestBytes, "max_request_bytes"
	if all := x.s.opt.MaxBufferedBytes; all > 0 && all <= size {
		size, setting = all, "max_buffered_bytes"
	}
	return wire.NewError(wire.CodeRequestTooLarge, "The request's body is over "+formatSize(size)+", the limit "+setting+" of this gateway.")
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
