package gateway

import (
	"net/http"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

// ask answers a call that costs nothing: tokens counted, a model described. It is
// forwarded to an upstream that speaks the caller's shape. Where there is none, or
// it does not know the call, Relay answers by itself; so it does where a conversation
// to be counted holds seals, which the upstream would refuse, see returns.
func (x *exchange) ask() error {
	if err := x.accept(); err != nil {
		return err
	}
	name, err := x.call.naming.read(x)
	if err != nil {
		return err
	}
	if err := x.route(name); err != nil {
		if x.servedOtherwise() {
			return x.call.instead(x)
		}
		return err
	}
	if !x.proxied && hub.HoldsSeal(x.body) {
		return x.call.instead(x)
	}
	return x.forward()
}

// servedOtherwise reports whether the caller may use the model by another shape.
func (x *exchange) servedOtherwise() bool {
	atPin := func(c plan.Candidate) bool { return x.pin == nil || c.Key.Host == x.pin }
	return x.model != nil && x.way != nil && x.caller.RefuseRoute(x.model, x.way, x.pin, atPin) == nil
}

// knowsNot reports whether the upstream's answer says that it has no such call at
// all, rather than that it has no such model, which it says in JSON.
func (o *outcome) knowsNot() bool {
	switch o.status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		return !strings.HasPrefix(strings.TrimSpace(o.body), "{")
	}
	return false
}

// estimate answers Anthropic's count_tokens without an upstream.
func (x *exchange) estimate() error {
	x.sendJSON(append(wire.AppendNumber(nil, `{"input_tokens":`, wire.EstimateTokens(x.body)), '}'))
	return nil
}

// estimateGemini answers Gemini's countTokens without an upstream.
func (x *exchange) estimateGemini() error {
	x.sendJSON(append(wire.AppendNumber(nil, `{"totalTokens":`, wire.EstimateTokens(x.body)), '}'))
	return nil
}

// describe answers Ollama's show for a model that runs elsewhere.
func (x *exchange) describe() error {
	x.sendJSON(ollama.AppendShow(nil, wireModel(x.model)))
	return nil
}
