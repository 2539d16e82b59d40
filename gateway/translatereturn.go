package gateway

import (
	"errors"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// returns reports whether the body holds what Relay has written into earlier answers
// that were translated for the caller, of which a host of the caller's own shape would
// refuse the request, and go on to refuse it, since it stays in the conversation. Such
// a body is translated also into that shape. In proxy mode bodies are left alone.
func (x *exchange) returns() bool {
	if x.returned == hub.Unset {
		x.returned = hub.No
		if x.call.hub != nil && !x.proxied && x.call.hub.Returns(x.body) {
			x.returned = hub.Yes
		}
	}
	return x.returned == hub.Yes
}

// askedIn returns the request as it goes to hosts of a shape.
func (x *exchange) askedIn(to hub.Upstream) *hub.Request {
	t := x.translation
	if to.Shape() != string(x.call.shape) {
		return &t.asked
	}
	return t.asked.Own(x.body, to.Shape(), to.Fates())
}

// foreign reports whether the present attempt speaks another shape than the caller.
// One that is translated may speak the same.
func (x *exchange) foreign() bool { return x.spoken.shape != x.call.shape }

// returnRefused is the refusal of a request that can be translated into no shape,
// although a host takes the caller's own: it tells why the request is translated.
func returnRefused(err error) error {
	var refused *wire.Error
	if !errors.As(err, &refused) || refused.Code != wire.CodeUnsupportedParam {
		return err
	}
	told := *refused
	told.Message = "The conversation holds thoughts of another host, so that Relay writes it anew, which cannot be done with " + refused.Param + ". Leave it out, or begin a new conversation."
	return &told
}
