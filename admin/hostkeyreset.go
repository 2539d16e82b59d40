package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

// KeyHealth is what the running server knows of a host key and its host.
// Without one Live is false and the rest absent; Key is absent, too, for a key
// that is switched off.
type KeyHealth struct {
	Live bool            `json:"live"`
	Key  *plan.KeyState  `json:"key,omitempty" doc:"What its breaker says."`
	Host *plan.HostState `json:"host,omitempty" doc:"Whether its host answers."`
}

type keyHealthOutput struct {
	Body KeyHealth
}

func (k hostKeys) healthRoute() {
	op := k.operation(http.MethodGet, "/by-id/{id}/health", "health-of", "What the running server knows of the key")
	huma.Register(k.api, op, func(_ context.Context, in *idInput) (*keyHealthOutput, error) {
		key, err := current[store.HostKeySpec](k.DB.Catalog(), store.KindHostKey, in.ID, "")
		if err != nil {
			return nil, k.refusal(err)
		}
		return &keyHealthOutput{Body: k.health(key)}, nil
	})
}

func (k hostKeys) health(key *store.HostKey) KeyHealth {
	if k.Live == nil {
		return KeyHealth{}
	}
	health := KeyHealth{Live: true}
	if state, used := k.Live.KeyStates()[key.Metadata.ID]; used {
		health.Key = &state
	}
	if state, used := k.Live.HostStates()[key.Spec.HostID]; used {
		health.Host = &state
	}
	return health
}

func (k hostKeys) resetRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/reset", "reset", "Close the breaker of the key, so that it is tried again")
	huma.Register(k.api, op, func(_ context.Context, in *bareInput) (*keyHealthOutput, error) {
		key, err := current[store.HostKeySpec](k.DB.Catalog(), store.KindHostKey, in.ID, "")
		if err != nil {
			return nil, k.refusal(err)
		}
		if k.Live == nil {
			return nil, needsServer()
		}
		if !k.Live.ResetKey(key.Metadata.ID) {
			return nil, k.refusal(&store.Error{Code: store.CodeConflict, Message: "host key " + key.Metadata.Name + " is not in use: it or its host is switched off, or its value cannot be read"})
		}
		return &keyHealthOutput{Body: k.health(key)}, nil
	})
}

// ResetHostKey closes the breaker of the host key with the id.
func (c *Client) ResetHostKey(ctx context.Context, id string) (*KeyHealth, error) {
	return call[KeyHealth](ctx, c, request{method: http.MethodPost, path: byID(store.KindHostKey, id) + "/reset"})
}

// HostKeyHealth returns what the running server knows of the host key with the
// id.
func (c *Client) HostKeyHealth(ctx context.Context, id string) (*KeyHealth, error) {
	return get[KeyHealth](ctx, c, byID(store.KindHostKey, id)+"/health", nil)
}
