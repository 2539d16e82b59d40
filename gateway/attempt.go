package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// attempt is one try on one key: prepared, sent, and read until it is known
// whether its answer goes to the caller.
type attempt struct {
	x        *exchange
	c        candidate
	up       *upstream
	start    time.Time
	answered time.Time       // when the answer's head was there
	ctx      context.Context // with which the attempt ends: the caller's, unless it is drained
	call     http1.Call
	resp     *http.Response
	drain    *drain // nil: the attempt ends with its caller
}

// outcome is how an attempt ended that gave the caller nothing.
type outcome struct {
	class   class
	notSent bool   // nothing of the request can have arrived
	final   bool   // no other key would help
	unfit   bool   // the host's shapes cannot express the request
	foreign bool   // the answer is in another shape than the caller's
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
	a.ctx = a.life()
	if wait := headerTimeout(a.up.spec); wait > 0 {
		timer := time.AfterFunc(wait, func() { a.cancel(errHeaderTimeout) })
		defer timer.Stop()
	}
	to, fields := a.target(), a.appendFields(a.x.fields[:0])
	resp, err := a.up.sender.send(a.ctx, &a.call, upRequest{
		method: http.MethodPost, at: to.at, start: to.start, hosts: to.fields,
		fields: fields, body: a.x.outgoing,
	})
	clear(fields) // the key is among them
	a.x.fields = fields
	a.answered = time.Now()
	a.x.waited += a.answered.Sub(a.start)
	if err != nil {
		return a.broken(err)
	}
	a.x.arrived = true
	a.resp = resp
	a.up.reached(a.answered)
	return a.decode()
}

// cancel ends the attempt; what waits for the upstream fails.
func (a *attempt) cancel(cause error) { a.call.Cancel(cause) }

// cause is why the attempt was cancelled, by Relay or with its caller; nil: it
// was not.
func (a *attempt) cause() error { return cmp.Or(a.call.Cause(), context.Cause(a.ctx)) }

func headerTimeout(spec store.HostSpec) time.Duration {
	if t := spec.Timeouts; t != nil && t.Header != nil {
		return time.Duration(*t.Header)
	}
	return 0
}

// broken classes an attempt that got no answer.
func (a *attempt) broken(err error) *outcome {
	sent := !http1.Unsent(err)
	a.x.arrived = a.x.arrived || sent
	var unfit *http1.FieldError
	switch {
	case errors.Is(a.cause(), errHeaderTimeout):
		return &outcome{class: classNetwork, notSent: !sent, err: wire.NewError(wire.CodeUpstreamTimeout, "Host "+a.host()+" sent no answer in time (timeouts.header).")}
	case a.x.r.Context().Err() != nil:
		return &outcome{class: classNone, notSent: !sent, err: errCallerGone}
	case sent:
		return &outcome{class: classNetwork, err: wire.NewError(wire.CodeUpstreamUnavailable, "Host "+a.host()+" closed the connection before it answered.")}
	case errors.As(err, &unfit) && unfit.Name == a.up.keyHeader:
		return &outcome{class: classAuth, notSent: true, err: wire.NewError(wire.CodeUpstreamAuth, "The key "+a.c.Key.Name+" of host "+a.host()+" holds a character that no header can carry. Store it again.")}
	}
	reason := dialReason(err)
	a.up.missed(time.Now(), reason)
	return &outcome{class: classUnreachable, notSent: true, err: wire.NewError(wire.CodeUpstreamUnreachable, "Host "+a.host()+" at "+dialAddress(a.up.base)+" cannot be reached: "+reason+".")}
}

// errCallerGone ends an exchange whose caller has left. Nobody reads it.
var errCallerGone = &wire.Error{Status: 499, Type: wire.TypeServer, Code: "client_closed", Message: "The caller has gone."}

func (a *attempt) host() string { return a.c.Key.Host.Name() }

// decode unpacks an answer that is compressed although identity was asked for.
func (a *attempt) decode() *outcome {
	switch strings.ToLower(a.resp.Header.Get("Content-Encoding")) {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		if body, err := gunzip(a.resp.Body); err == nil {
			a.resp.Body, a.resp.ContentLength = body, -1
			return nil
		}
	}
	return &outcome{class: classServerError, err: wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" answered in an encoding that cannot be read.")}
}

// close gives the attempt's connection back, or ends it where the answer has not
// come to its end.
func (a *attempt) close() {
	a.drain.end()
	if a.resp != nil {
		_ = a.resp.Body.Close()
	}
	a.cancel(nil)
}

// refused reads an answer with an error status. Nothing of it has reached the
// caller yet.
func (a *attempt) refused() *outcome {
	status := a.resp.StatusCode
	if status >= 300 && status < 400 {
		return &outcome{class: classServerError, status: status, err: wire.NewError(wire.CodeUpstreamRedirect, "Host "+a.host()+" answered with a redirect, which Relay never follows. Correct its base URL.")}
	}
	timer := time.AfterFunc(a.x.s.refusalTimeout, func() { a.cancel(nil) }) // the status has said what matters
	defer timer.Stop()
	said, _ := io.ReadAll(io.LimitReader(a.resp.Body, maxErrorBody))
	body := redacted(string(said), a.c.Key)
	o := &outcome{status: status, header: a.resp.Header, body: body, foreign: a.x.foreign(), failure: a.heard(wire.AnswerFailure(status, []byte(body)))}
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
