package gateway

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"relay/gateway/wire"
)

// refusalTimeout is how long an upstream may take to say why it refuses. What
// has come by then must do.
const refusalTimeout = 10 * time.Second

// standing says how much an outcome has to say once no key has answered:
// answers before silence, and silence before what never arrived. A refused
// provider key is the gateway's own affair, so it gives way to any other answer.
func (o *outcome) standing() int {
	if o.unfit {
		return 0
	}
	switch o.class {
	case classUnreachable:
		return 0
	case classNetwork:
		return 1
	case classAuth:
		return 2
	}
	return 3
}

// decisive is the one place that says which of a request's failed attempts
// decides what its caller sees: the last of those with the highest standing. So
// a 429 is forwarded whatever came after it, and upstream_auth is told only
// where every answer was about a key.
func decisive(before, now *outcome) *outcome {
	if before != nil && before.standing() > now.standing() {
		return before
	}
	return now
}

// exhausted ends a request that no key answered. A stream that has begun ends
// with an error event.
func (x *exchange) exhausted(last *outcome) error {
	err := x.verdict(last)
	if e, told := err.(*wire.Error); told && x.began { //nolint:errorlint // errors are not wrapped on the way here
		x.tellWithin(e)
		return nil
	}
	return err
}

// verdict is what the caller sees, or nil where it has seen it.
func (x *exchange) verdict(last *outcome) error {
	x.key, x.answer = nil, nil
	switch {
	case x.r.Context().Err() != nil:
		return x.abandoned()
	case last == nil:
		return x.untriedError()
	case last.class == classNone:
		return last.err // Relay's own doing
	case x.proxied && last.status >= 400 && last.err == nil && !x.began:
		x.forwardRefusal(last) // what it says of its key is the caller's affair
		return nil
	case last.class == classAuth:
		return wire.NewError(wire.CodeUpstreamAuth, "Host "+last.host+" does not accept the provider key of this gateway. Ask your gateway administrator: relay connect "+last.host+" puts another in.")
	case last.err != nil:
		last.err.RefusedBy = "upstream:" + last.host
		if last.failure != (wire.Failure{}) {
			x.errorKind = "upstream_error" // the code is the upstream's own word
		}
		return last.err
	case last.class != classRequest && last.class != classRateLimit && last.class != classQuota:
		return x.unavailable(last)
	case x.began, last.foreign:
		return x.refusalTold(last)
	}
	x.forwardRefusal(last)
	return nil
}

// refusalTold is an upstream's refusal in the caller's shape.
func (x *exchange) refusalTold(o *outcome) error {
	x.errorKind = "upstream_error"
	f := o.failure
	if o.foreign {
		f.Type = "" // it is a word of the other shape
	}
	e := f.AsError()
	e.RefusedBy = "upstream:" + o.host
	return e
}

// unavailable tells of an upstream that failed, with the beginning of what it
// said.
func (x *exchange) unavailable(o *outcome) error {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "Host "+o.host+" answered with status "+strconv.Itoa(o.status)+": "+o.failure.Message)
	e.RefusedBy = "upstream:" + o.host
	e.RetryAfter = o.failure.RetryAfter
	return e
}

// forwardRefusal passes an upstream's own refusal on as it is: agents match on
// its wording.
func (x *exchange) forwardRefusal(o *outcome) {
	x.errorKind = "upstream_error"
	x.status = o.status
	x.settle()
	_ = x.durable() // an error it is already
	h := x.w.Header()
	copyDown(h, o.header)
	setRefusalHeaders(h, o)
	h.Set("Content-Length", strconv.Itoa(len(o.body)))
	x.began = true
	x.w.WriteHeader(o.status)
	_, _ = io.WriteString(x.w, o.body)
}

func setRefusalHeaders(h http.Header, o *outcome) {
	dropEchoes(h, o.key)
	h.Set("X-Relay-Refused-By", "upstream:"+o.host)
	h.Set("X-Relay-Host", o.host)
	if told := toldRetryAfter(o.header.Get("Retry-After"), o.failure.RetryAfter); told != "" {
		h.Set("Retry-After", told)
	}
	if o.failure.RetryAfter > longWait {
		h.Set("X-Should-Retry", "false")
	}
}

// abandoned ends a request whose caller has left or that the stop of Relay
// cuts.
func (x *exchange) abandoned() error {
	if x.stopping() {
		return errStopping()
	}
	x.recordGone()
	x.settle()
	return nil
}

func errStopping() *wire.Error {
	return wire.NewError(wire.CodeStarting, "Relay is stopping. Send the request again.")
}

// reason says for administrators why a key was benched.
func (o *outcome) reason() string {
	if o.err != nil {
		return o.err.Message
	}
	return strconv.Itoa(o.status) + " " + o.failure.Message
}
