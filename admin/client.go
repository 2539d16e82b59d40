package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// ErrUnreachable is wrapped by errors that mean that nobody answered.
var ErrUnreachable = errors.New("the server cannot be reached")

// Client speaks the control API. Its errors are *Problem when the server
// refused, and wrap ErrUnreachable when there was none. It is safe for
// concurrent use.
type Client struct {
	base      string // scheme and host
	transport http.RoundTripper
}

// Answer is what a call brought back, undecoded.
type Answer struct {
	Body        []byte
	ContentType string
	ETag        string // of a single record
	Generation  uint64 // of the catalog; 0 when the answer does not tell
}

// Do makes a call. Path is under the server, such as /api/hosts, and already
// escaped; body is encoded as JSON unless it is nil or json.RawMessage.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body any) (*Answer, error) {
	return c.send(ctx, request{method: method, path: path, query: query, body: body})
}

// request is one call in the making.
type request struct {
	method, path string
	query        url.Values
	body         any
	mediaType    string
	ifMatch      string
}

func (c *Client) send(ctx context.Context, in request) (*Answer, error) {
	answer, err := c.open(ctx, in)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer of the server: %w", err)
	}
	if answer.StatusCode >= 300 {
		return nil, asProblem(answer, text)
	}
	return newAnswer(answer, text), nil
}

// open makes the call and leaves the answer to be read.
func (c *Client) open(ctx context.Context, in request) (*http.Response, error) {
	out, err := c.prepare(ctx, in)
	if err != nil {
		return nil, err
	}
	answer, err := c.transport.RoundTrip(out)
	if err == nil {
		return answer, nil
	}
	if cause := ctx.Err(); cause != nil {
		return nil, cause
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
}

func (c *Client) prepare(ctx context.Context, in request) (*http.Request, error) {
	text, err := json.Marshal(in.body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	if in.body == nil {
		text = nil
	}
	target := c.base + in.path
	if len(in.query) > 0 {
		target += "?" + in.query.Encode()
	}
	out, err := http.NewRequestWithContext(ctx, in.method, target, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if in.method != http.MethodGet && in.method != http.MethodDelete {
		out.Header.Set("Content-Type", or(in.mediaType, "application/json"))
	}
	if in.ifMatch != "" {
		out.Header.Set("If-Match", in.ifMatch)
	}
	return out, nil
}

func newAnswer(answer *http.Response, text []byte) *Answer {
	generation, _ := strconv.ParseUint(answer.Header.Get("X-Relay-Generation"), 10, 64) // 0 without one
	return &Answer{
		Body:        text,
		ContentType: answer.Header.Get("Content-Type"),
		ETag:        answer.Header.Get("ETag"),
		Generation:  generation,
	}
}

// asProblem reads a refusal. What does not come from a relay, such as a proxy's
// page, is told by its status.
func asProblem(answer *http.Response, text []byte) error {
	p := &Problem{}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if strings.HasSuffix(kind, "json") && json.Unmarshal(text, p) == nil && p.Detail != "" {
		p.Status = answer.StatusCode
		return p
	}
	return problem(answer.StatusCode, "the server answered %s and not as a relay does; check the address", answer.Status)
}

// get decodes the answer of a GET into a new T.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	return call[T](ctx, c, request{method: http.MethodGet, path: path, query: query})
}

func call[T any](ctx context.Context, c *Client, in request) (*T, error) {
	answer, err := c.send(ctx, in)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return nil, fmt.Errorf("read the answer of the server: %w", err)
	}
	return out, nil
}
