package admin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"relay/store"
)

// NewSocketClient reaches a server through its Unix socket.
func NewSocketClient(path string) *Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &Client{
		base: "http://localhost",
		transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}},
	}
}

// NewRemoteClient reaches a server at a URL with the admin token. The path of
// the URL, if any, is put before every path.
func NewRemoteClient(server string, token store.Secret) (*Client, error) {
	base, err := url.Parse(server)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil {
		return nil, fmt.Errorf("the server must be given as http://HOST:PORT or https://HOST")
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	return &Client{
		base:      strings.TrimRight(base.Scheme+"://"+base.Host+base.EscapedPath(), "/"),
		transport: signing{token, transport},
	}, nil
}

// NewLocalClient reaches a handler in this process, which trusts it.
func NewLocalClient(handler http.Handler) *Client {
	return &Client{base: "http://localhost", transport: inProcess{Trusted(handler)}}
}

// Close lets go of idle connections.
func (c *Client) Close() {
	if idle, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// signing adds the token to every request.
type signing struct {
	token store.Secret
	inner *http.Transport
}

func (s signing) RoundTrip(r *http.Request) (*http.Response, error) {
	signed := r.Clone(r.Context())
	if !s.token.IsZero() {
		signed.Header.Set("Authorization", "Bearer "+s.token.Reveal())
	}
	return s.inner.RoundTrip(signed)
}

func (s signing) CloseIdleConnections() { s.inner.CloseIdleConnections() }

// inProcessAddr stands for the address of a caller that has none.
const inProcessAddr = "in process"

// inProcess calls a handler without a connection.
type inProcess struct{ handler http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	served.Host, served.RemoteAddr, served.RequestURI = r.URL.Host, inProcessAddr, r.URL.RequestURI()
	if served.Body == nil {
		served.Body = http.NoBody
	}
	answer := &recorded{header: http.Header{}, status: http.StatusOK}
	p.handler.ServeHTTP(answer, served)
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", answer.status, http.StatusText(answer.status)),
		StatusCode:    answer.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        answer.header,
		Body:          io.NopCloser(&answer.body),
		ContentLength: int64(answer.body.Len()),
		Request:       r,
	}, nil
}

// recorded is a response writer that keeps the answer.
type recorded struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

func (a *recorded) Header() http.Header { return a.header }

func (a *recorded) WriteHeader(status int) {
	if !a.written {
		a.status, a.written = status, true
	}
}

func (a *recorded) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
