package gateway

import (
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

// listRunning answers GET /api/ps. What is loaded at a host is its own affair:
// callers are told of nothing.
func (x *exchange) listRunning() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	x.sendJSON(ollama.AppendRunning(nil, nil))
	return nil
}

// tellVersion answers GET /api/version with the version of Ollama whose API is
// spoken here: clients ask for it before they use what is new.
func (x *exchange) tellVersion() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	x.sendJSON(append(wire.AppendText(nil, `{"version":`, ollama.Version), '}'))
	return nil
}

// loads answers a call that only has a model loaded, or unloaded, where no host of
// the model is an Ollama: elsewhere it costs nothing, and there is nothing to do.
func (x *exchange) loads() bool {
	loader, ok := x.call.hub.(ollama.Loader)
	if !ok {
		return false
	}
	reason := loader.Loads(x.body)
	if reason == "" || x.way.Any(func(c plan.Candidate) bool { return c.Binding.Speaks(x.call.shape) }) {
		return false
	}
	x.sendJSON(loader.AppendLoaded(nil, &hub.Reply{Model: x.requested, Created: x.start.Unix()}, reason))
	return true
}

// refuseManaging refuses what would change the models that a host holds.
func (x *exchange) refuseManaging() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	e := wire.NewError(wire.CodeEndpointNotAllowed, "Models are not created, pulled or deleted through Relay. Do that at the host itself, then: relay host discover HOST --bind.")
	e.RefusedBy = "relay"
	return e
}
