package gateway

import (
	"relay/gateway/wire"
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

// refuseManaging refuses what would change the models that a host holds.
func (x *exchange) refuseManaging() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	e := wire.NewError(wire.CodeEndpointNotAllowed, "Models are not created, pulled or deleted through Relay. Do that at the host itself, then: relay host discover HOST --bind.")
	e.RefusedBy = "relay"
	return e
}
