package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"relay/gateway/http1"
	"relay/store"
)

// sender makes the requests to one host and keeps its connections.
type sender interface {
	// send returns the answer once its head is there. The context and the call
	// end it at any time; the call must be cancelled in the end, and the answer's
	// body closed. Of an error http1.Unsent tells whether the host can have seen
	// the request.
	send(ctx context.Context, call *http1.Call, r upRequest) (*http.Response, error)
	// forgets reports whether a request's body is read no more once the answer's
	// body has ended or been closed, or send has failed.
	forgets() bool
	// close gives up idle connections, and those in use after their answer.
	close()
}

// upRequest is a request to a host.
type upRequest struct {
	method string
	at     *url.URL
	start  []byte        // of its head, with the host's fields
	hosts  []http1.Field // the host's fields
	fields []http1.Field // those of this request
	body   []byte        // nil: none
}

const idlePatience = 60 * time.Second

// newSender makes a host's sender. A certificate file that cannot be read leaves
// one that trusts nothing: calls fail as unreachable, and say so. Hosts behind a
// proxy, and names that have to be encoded for DNS, are left to net/http.
func newSender(spec store.HostSpec, base *url.URL, rules dialRules, idle int) sender {
	connect := 10 * time.Second
	if t := spec.Timeouts; t != nil && t.Connect != nil {
		connect = time.Duration(*t.Connect)
	}
	rules.allowPrivate = spec.AllowPrivate
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second, ControlContext: rules.control, Resolver: rules.resolver}
	if spec.ProxyURL != "" || !isASCII(base.Host) {
		return newProxied(spec, dialer, idle)
	}
	opt := http1.Options{
		Dial: dialer.DialContext, Addr: dialAddress(base), HandshakeTimeout: connect,
		MaxIdle: idle, IdleTimeout: idlePatience,
	}
	if base.Scheme == "https" {
		opt.TLS = tlsConfig(spec.TLS)
	}
	return direct{http1.New(opt)}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '~' }) < 0
}

func tlsConfig(spec *store.HostTLS) *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if spec == nil {
		return cfg
	}
	cfg.InsecureSkipVerify = spec.InsecureSkipVerify // the administrator asks for it on this host
	if spec.CAFile != "" {
		cfg.RootCAs = x509.NewCertPool()
		if pem, err := os.ReadFile(spec.CAFile); err == nil {
			cfg.RootCAs.AppendCertsFromPEM(pem)
		}
	}
	return cfg
}

// direct sends by the client made for it.
type direct struct{ client *http1.Client }

func (d direct) send(ctx context.Context, call *http1.Call, r upRequest) (*http.Response, error) {
	return d.client.Do(ctx, call, &http1.Request{Start: r.start, Fields: r.fields, Body: r.body})
}

func (direct) forgets() bool { return true }

func (d direct) close() { d.client.Close() }

// proxied sends by net/http, which knows proxies.
type proxied struct{ transport *http.Transport }

func newProxied(spec store.HostSpec, dialer *net.Dialer, idle int) proxied {
	tr := &http.Transport{
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: dialer.Timeout,
		TLSClientConfig:     tlsConfig(spec.TLS),
		DisableCompression:  true,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     idlePatience,
		ForceAttemptHTTP2:   strings.HasPrefix(spec.BaseURL, "https:"),
		ReadBufferSize:      8 << 10,
		WriteBufferSize:     8 << 10,

		MaxResponseHeaderBytes: 256 << 10,
	}
	if proxy, err := url.Parse(spec.ProxyURL); err == nil && spec.ProxyURL != "" {
		tr.Proxy = http.ProxyURL(proxy)
	}
	return proxied{tr}
}

func (proxied) forgets() bool { return false }

func (p proxied) close() { p.transport.CloseIdleConnections() }

func (p proxied) send(ctx context.Context, call *http1.Call, r upRequest) (*http.Response, error) {
	var connected atomic.Bool // a connection was there: the request may have arrived
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err := p.transport.RoundTrip(r.forTransport(httptrace.WithClientTrace(call.Context(ctx), trace)))
	if err != nil && !connected.Load() {
		return nil, http1.AsUnsent(err)
	}
	return resp, err
}

// forTransport makes the request of net/http. GetBody is asked for a body again
// only after a kept connection turned out closed before anything was written to
// it: a POST without an Idempotency-Key, which is never passed on, is not sent
// twice.
func (r *upRequest) forTransport(ctx context.Context) *http.Request {
	req := &http.Request{
		Method: r.method, URL: r.at, Header: make(http.Header, len(r.hosts)+len(r.fields)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	for _, fields := range [...][]http1.Field{r.hosts, r.fields} {
		for _, f := range fields {
			req.Header[f.Name] = append(req.Header[f.Name], f.Value)
		}
	}
	if r.body != nil {
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
		req.Body, _ = req.GetBody()
		req.ContentLength = int64(len(r.body))
	}
	return req.WithContext(ctx)
}
