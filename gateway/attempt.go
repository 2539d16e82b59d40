package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// attempt is one try on one key: prepared, sent, and read until it is known
// whether its answer goes to the caller.
type attempt struct {
	x         *exchange
	c         candidate
	up        *upstream
	start     time.Time
	ctx       context.Context
	cancel    context.CancelCauseFunc
	connected atomic.Bool // a connection was there: the request may have arrived
	resp      *http.Response

	idle    *time.Timer // cancels when the upstream has been silent too long
	idleFor time.Duration
}

// outcome is how an attempt ended that gave the caller nothing.
type outcome struct {
	class   class
	notSent bool   // nothing of the request can have arrived
	final   bool   // no other key would help
	host    string // that was tried
	key     *plan.HostKey
	status  int          // of the upstream's answer; 0: none
	header  http.Header  // of a refused answer
	body    string       // of a refused answer, without the key
	failure wire.Failure // what the answer said, without the key
	err     *wire.Error  // what to tell the caller when nothing else answers
}

// Causes of a cancelled attempt.
var (
	errHeaderTimeout = errors.New("no headers in time")
	errIdle          = errors.New("upstream silent for too long")

	// ErrStopping is the cause with which the base context of HTTPServer is
	// cancelled to cut what still runs at the end of a graceful stop.
	ErrStopping = errors.New("relay is stopping")
)

// send makes the attempt's request and waits for the answer's headers.
func (a *attempt) send() *outcome {
	a.ctx, a.cancel = context.WithCancelCause(a.x.r.Context())
	if wait := headerTimeout(a.up.spec); wait > 0 {
		timer := time.AfterFunc(wait, func() { a.cancel(errHeaderTimeout) })
		defer timer.Stop()
	}
	trace := httptrace.WithClientTrace(a.ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) }})
	body, _ := a.body()
	req := (&http.Request{
		Method: http.MethodPost, URL: a.up.urls[a.x.path], Header: a.header(), Body: body, GetBody: a.body,
		ContentLength: int64(len(a.x.outgoing)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(trace)
	resp, err := a.up.transport.RoundTrip(req)
	a.x.arrived = a.x.arrived || a.connected.Load()
	a.x.waited += time.Since(a.start)
	if err != nil {
		return a.broken(err, context.Cause(a.ctx))
	}
	a.resp = resp
	a.up.reached(time.Now())
	return a.decode()
}

func headerTimeout(spec store.HostSpec) time.Duration {
	if t := spec.Timeouts; t != nil && t.Header != nil {
		return time.Duration(*t.Header)
	}
	return 0
}

// broken classes an attempt that got no answer.
func (a *attempt) broken(err, cause error) *outcome {
	sent := a.connected.Load()
	switch {
	case errors.Is(cause, errHeaderTimeout):
		return &outcome{class: classNetwork, err: wire.NewError(wire.CodeUpstreamTimeout, "Host "+a.host()+" sent no answer in time (timeouts.header).")}
	case a.x.r.Context().Err() != nil:
		return &outcome{class: classNone, notSent: !sent, err: errCallerGone}
	case sent:
		return &outcome{class: classNetwork, err: wire.NewError(wire.CodeUpstreamUnavailable, "Host "+a.host()+" closed the connection before it answered.")}
	}
	reason := dialReason(err)
	a.up.missed(time.Now(), reason)
	return &outcome{class: classUnreachable, notSent: true, err: wire.NewError(wire.CodeUpstreamUnreachable, "Host "+a.host()+" cannot be reached: "+reason+".")}
}

// errCallerGone ends an exchange whose caller has left. Nobody reads it.
var errCallerGone = &wire.Error{Status: 499, Type: wire.TypeServer, Code: "client_closed", Message: "The caller has gone."}

func (a *attempt) host() string { return a.c.Key.Host.Name() }

// dialReason says why a host was not reached, without its URL.
func dialReason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, errAddressRefused):
		return "its address is not allowed"
	case errors.As(err, &dns):
		return "its name does not resolve"
	case errors.As(err, &op) && op.Op == "dial" && op.Timeout():
		return "the connection timed out"
	case errors.As(err, &op) && op.Op == "dial":
		return "the connection was refused or reset"
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return "its TLS certificate or handshake is not accepted"
	}
	return "the connection failed"
}

// decode unpacks an answer that is compressed although identity was asked for.
func (a *attempt) decode() *outcome {
	switch a.resp.Header.Get("Content-Encoding") {
	case "", "identity":
		return nil
	case "gzip":
		zr, err := gzip.NewReader(a.resp.Body)
		if err == nil {
			a.resp.Body = &gunzipped{io.LimitReader(zr, maxAnswer+1), a.resp.Body}
			a.resp.ContentLength = -1
			return nil
		}
	}
	return &outcome{class: classServerError, err: wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" answered in an encoding that cannot be read.")}
}

type gunzipped struct {
	io.Reader
	io.Closer
}

// close ends the attempt's connection or gives it back.
func (a *attempt) close() {
	if a.idle != nil {
		a.idle.Stop()
	}
	a.cancel(nil)
	if a.resp != nil {
		_ = a.resp.Body.Close()
	}
}

// refused reads an answer with an error status. Nothing of it has reached the
// caller yet.
func (a *attempt) refused() *outcome {
	status := a.resp.StatusCode
	if status >= 300 && status < 400 {
		return &outcome{class: classServerError, status: status, err: wire.NewError(wire.CodeUpstreamRedirect, "Host "+a.host()+" answered with a redirect, which Relay never follows. Correct its base URL.")}
	}
	said, _ := io.ReadAll(io.LimitReader(a.resp.Body, maxErrorBody))
	body := redacted(string(said), a.c.Key)
	o := &outcome{status: status, header: a.resp.Header, body: body, failure: wire.AnswerFailure(status, []byte(body))}
	redactFailure(&o.failure, a.c.Key)
	o.failure.RetryAfter = retryAfter(a.resp.Header, time.Now())
	o.class = classOf(&o.failure)
	return o
}

const (
	maxErrorBody = 1 << 20
	maxAnswer    = 64 << 20
)

func classOf(f *wire.Failure) class {
	switch f.Class() {
	case wire.ClassAuth:
		return classAuth
	case wire.ClassQuota:
		return classQuota
	case wire.ClassRateLimit:
		return classRateLimit
	case wire.ClassOverloaded:
		return classOverloaded
	case wire.ClassServer:
		return classServerError
	}
	return classRequest
}

// header makes the request headers from the allow-list, the host's static ones
// and the key in the host's own style.
func (a *attempt) header() http.Header {
	in := a.x.r.Header
	h := make(http.Header, 12)
	for name, values := range in {
		if goesUp(name) && !namedIn(in["Connection"], name) {
			h[name] = values
		}
	}
	h["Content-Type"] = jsonType
	if a.x.shape == store.ShapeAnthropic && len(h["Anthropic-Version"]) == 0 {
		h["Anthropic-Version"] = anthropicVersion
	}
	h["Accept-Encoding"] = identity
	h["User-Agent"] = []string{userAgent(in.Get("User-Agent"), a.x.s.opt.Version)}
	h["Relay-Hops"] = []string{hopText(hops(in) + 1)}
	for name, value := range a.up.spec.Headers {
		h.Set(name, value)
	}
	delete(h, "Idempotency-Key")
	delete(h, "X-Idempotency-Key")
	setKey(h, a.up.spec.Auth, a.c.Key)
	return h
}

var (
	jsonType = []string{wire.ContentTypeJSON}
	identity = []string{"identity"}

	// anthropicVersion is sent for callers that name none: later versions
	// refuse sampling parameters.
	anthropicVersion = []string{"2023-06-01"}
)

func setKey(h http.Header, auth string, k *plan.HostKey) {
	if k.Anonymous {
		return
	}
	switch auth {
	case "x-api-key", "x-goog-api-key":
		h.Set(auth, k.Value.Reveal())
	case "bearer":
		h.Set("Authorization", "Bearer "+k.Value.Reveal())
	default:
		if name, ok := strings.CutPrefix(auth, "header:"); ok {
			h.Set(name, k.Value.Reveal())
		}
	}
}

// body reads the outgoing request. The transport knows the type to be in memory
// and so writes it together with the headers. As http.Request.GetBody it is
// asked only after a kept connection turned out closed before anything was
// written to it: a POST without an Idempotency-Key, which is never passed on, is
// not sent twice.
func (a *attempt) body() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(a.x.outgoing)), nil
}
