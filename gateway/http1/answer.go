package http1

import (
	"errors"
	"net/http"
)

// maxInterim is how many answers with a status of 1xx may come before the final
// one.
const maxInterim = 32

// errStale says that the connection had been closed before anything was written
// to it.
var errStale = errors.New("closed while idle")

// roundTrip sends the message and reads the head of the answer. On failure the
// connection is gone.
func (c *conn) roundTrip(call *Call, m *message) (*http.Response, error) {
	toHead := m.toHead
	c.send(call, m)
	if c.written == nil && c.failed != nil {
		if c.left == 0 && c.reused {
			_ = c.letGo(call, false)
			return nil, errStale
		}
		c.hurry(call)
	}
	if c.written == nil {
		c.client.forget(m)
	}
	resp, err := c.answer(call, toHead)
	if err == nil {
		return resp, nil
	}
	return nil, c.failure(call, err)
}

// failure gives the connection up and says what became of the message.
func (c *conn) failure(call *Call, err error) error {
	cause := c.letGo(call, false)
	switch {
	case cause != nil:
		err = cause
	case c.failed != nil && c.left == 0 && c.reused:
		return errStale
	case c.failed != nil && !errors.Is(err, ErrMalformed):
		err = c.failed
	}
	if c.failed != nil && c.left == 0 {
		return AsUnsent(err)
	}
	return err
}

// answer reads heads up to that of the final answer.
func (c *conn) answer(call *Call, toHead bool) (*http.Response, error) {
	c.in.buf = c.client.borrow()
	for range maxInterim + 1 {
		block, err := c.in.head()
		if err != nil {
			return nil, err
		}
		h, err := parseHead(block)
		switch {
		case err != nil:
			return nil, err
		case h.status == http.StatusSwitchingProtocols:
			return nil, malformed("an upgrade that nobody asked for")
		case h.status >= 200:
			return c.final(call, &h, toHead)
		}
	}
	return nil, malformed("too many interim answers")
}

// response is an answer with its body.
type response struct {
	http.Response
	body body
}

// final makes the final answer. One without a body gives the connection back at
// once.
func (c *conn) final(call *Call, h *head, toHead bool) (*http.Response, error) {
	f, err := h.framing(toHead)
	if err != nil {
		return nil, err
	}
	c.keepFor = f.idle
	r := &response{Response: http.Response{
		Status: h.text, StatusCode: h.status, Proto: protocols[h.minor], ProtoMajor: 1, ProtoMinor: h.minor,
		Header: h.fields, ContentLength: f.length, Close: !f.keep,
	}}
	switch f.kind {
	case bodyNone:
		r.Body = http.NoBody
		_ = c.finish(call, f.keep)
		return &r.Response, nil
	case bodyChunked:
		r.TransferEncoding = chunked
	}
	r.body = body{conn: c, call: call, kind: f.kind, left: f.length, keep: f.keep}
	r.Body = &r.body
	return &r.Response, nil
}

var (
	protocols = [...]string{"HTTP/1.0", "HTTP/1.1"}
	chunked   = []string{"chunked"}
)

// Delimited reports whether the answer tells by itself where its body ends. One
// that does not ends with its connection, whoever cut that.
func Delimited(r *http.Response) bool {
	return r.ContentLength >= 0 || len(r.TransferEncoding) > 0
}
