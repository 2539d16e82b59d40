package gateway

import (
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
		return x.keysFull(&x.picker)
	case last == nil:
		return wire.NewError(wire.CodeNoKeys, "No provider key can take model "+quoted(x.model.Name)+" now: each is switched off by its breaker or resting as its provider asked. Try again shortly; relay status shows until when.")
	case last.class == classAuth:
		return wire.NewError(wire.CodeUpstreamAuth, "Host "+last.host+" does not accept the provider key of this gateway. Ask your gateway administrator: relay connect "+last.host+" puts another in.")
	case last.err != nil:
		last.err.RefusedBy = "upstream:" + last.host
		return last.err
	case last.class == classRequest, last.class == classRateLimit, last.class == classQuota:
		return x.forwardRefusal(last)
	}
	return x.unavailable(last)
}

// unavailable tells of an upstream that failed, with the beginning of what it
// said.
func (x *exchange) unavailable(o *outcome) error {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "Host "+o.host+" answered with status "+strconv.Itoa(o.status)+": "+redacted(o.failure.Message, o.key))
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
	h := x.w.Header()
	copyDown(h, o.header)
	setRefusalHeaders(h, o, time.Now())
	body := redacted(string(o.body), o.key)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.began = true
	x.w.WriteHeader(o.status)
	_, _ = x.w.Write([]byte(body))
	return nil
}

func setRefusalHeaders(h http.Header, o *outcome, now time.Time) {
	h.Set("X-Relay-Refused-By", "upstream:"+o.host)
	h.Set("X-Relay-Host", o.host)
	if wait := retryAfter(o.header, now); wait > 0 {
		h.Set("Retry-After", strconv.FormatInt(wire.RetrySeconds(wait), 10))
		if wait > longWait {
			h.Set("X-Should-Retry", "false")
		}
	}
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
func (o *outcome) reason(k *plan.HostKey) string {
	if o.err != nil {
		return o.err.Message
	}
	return redacted(strconv.Itoa(o.status)+" "+o.failure.Message, k)
}
