package gateway

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// exhausted ends a request that no key answered. The last refusal decides what
// the caller sees.
func (x *exchange) exhausted(last *outcome) error {
	x.key, x.answer = nil, nil
	switch {
	case x.r.Context().Err() != nil:
		return x.abandoned()
	case last == nil && x.picker.full > 0:
		return keysFull(x.model, x.way, &x.picker)
	case last == nil:
		return refusedByPlan(plan.RefuseBenched(x.model))
	case last.class == classAuth:
		return wire.NewError(wire.CodeUpstreamAuth, "Host "+last.host+" does not accept the provider key of this gateway. Ask your gateway administrator: relay connect "+last.host+" puts another in.")
	case last.err != nil:
		last.err.RefusedBy = "upstream:" + last.host
		if last.failure != (wire.Failure{}) {
			x.errorKind = "upstream_error" // the code is the upstream's own word
		}
		return last.err
	case last.class == classRequest, last.class == classRateLimit, last.class == classQuota:
		return x.forwardRefusal(last)
	}
	return x.unavailable(last)
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
func (x *exchange) forwardRefusal(o *outcome) error {
	x.errorKind = "upstream_error"
	x.status = o.status
	x.settle()
	_ = x.durable() // an error it is already
	h := x.w.Header()
	copyDown(h, o.header)
	setRefusalHeaders(h, o, time.Now())
	h.Set("Content-Length", strconv.Itoa(len(o.body)))
	x.began = true
	x.w.WriteHeader(o.status)
	_, _ = io.WriteString(x.w, o.body)
	return nil
}

func setRefusalHeaders(h http.Header, o *outcome, now time.Time) {
	h.Set("X-Relay-Refused-By", "upstream:"+o.host)
	h.Set("X-Relay-Host", o.host)
	wait := retryAfter(o.header, now)
	if asked := o.header.Get("Retry-After"); isRetryAfter(asked) {
		h.Set("Retry-After", asked) // in full, also where a key rests for less
	} else if wait > 0 {
		h.Set("Retry-After", strconv.FormatInt(wire.RetrySeconds(wait), 10))
	}
	if wait > longWait {
		h.Set("X-Should-Retry", "false")
	}
}

// isRetryAfter reports whether the text is one that every client reads (RFC
// 9110, section 10.2.3): whole seconds or a date.
func isRetryAfter(text string) bool {
	_, notSeconds := strconv.ParseUint(text, 10, 63)
	_, notDate := http.ParseTime(text)
	return notSeconds == nil || notDate == nil
}

// abandoned ends a request whose caller has left or that the stop of Relay
// cuts.
func (x *exchange) abandoned() error {
	if x.stopping() {
		return errStopping()
	}
	x.errorKind = errCallerGone.Code
	if !x.began {
		x.status = errCallerGone.Status
	}
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
