package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"relay/store"
)

// ShownKey is a relay key and its plaintext, which no other answer holds.
type ShownKey struct {
	Key       *store.RelayKey `json:"key"`
	Plaintext string          `json:"plaintext"` // "" when the caller brought keyHash
}

// CreateKey makes a relay key. Without a principal it gets a service account of
// its name, in the project of spec.projectId or else in project default.
func (c *Client) CreateKey(ctx context.Context, rec *store.RelayKey) (*ShownKey, error) {
	row, err := members(rec)
	if err != nil {
		return nil, err
	}
	if rec.Spec.Principal == (store.Ref{}) {
		delete(row["spec"].(map[string]any), "principal")
	}
	return call[ShownKey](ctx, c, request{method: http.MethodPost, path: plural(store.KindRelayKey), body: row})
}

// RotateKey gives the relay key another plaintext. The former one works on for
// so many seconds, 86400 at most.
func (c *Client) RotateKey(ctx context.Context, id string, graceSeconds int) (*ShownKey, error) {
	body := map[string]int{"graceSeconds": graceSeconds}
	return call[ShownKey](ctx, c, request{method: http.MethodPost, path: byID(store.KindRelayKey, id) + "/rotate", body: body})
}

// RevokeKey makes the relay key invalid for good.
func (c *Client) RevokeKey(ctx context.Context, id string) (*store.RelayKey, error) {
	return call[store.RelayKey](ctx, c, request{method: http.MethodPost, path: byID(store.KindRelayKey, id) + "/revoke"})
}

// RotateHostKey replaces the stored value of a host key.
func (c *Client) RotateHostKey(ctx context.Context, id string, value store.Secret) (*store.HostKey, error) {
	body := map[string]string{"value": value.Reveal()}
	return call[store.HostKey](ctx, c, request{method: http.MethodPost, path: byID(store.KindHostKey, id) + "/rotate", body: body})
}

// Discover lists the models of the host with the id, and with bind makes what
// is missing of models and bindings.
func (c *Client) Discover(ctx context.Context, id string, bind bool) (*Discovery, error) {
	body := map[string]bool{"bind": bind}
	return call[Discovery](ctx, c, request{method: http.MethodPost, path: byID(store.KindHost, id) + "/discover", body: body})
}

// Connect tests the key of a provider, keeps it and binds the host's models.
func (c *Client) Connect(ctx context.Context, in ConnectRequest) (*Connected, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	row := map[string]any{}
	if err := json.Unmarshal(text, &row); err != nil {
		return nil, err
	}
	if !in.Value.IsZero() {
		row["value"] = in.Value.Reveal()
	}
	return call[Connected](ctx, c, request{method: http.MethodPost, path: "/api/connect", body: row})
}

// Status returns the state of the process.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	return get[Status](ctx, c, "/api/status", nil)
}

// Version returns which program answers.
func (c *Client) Version(ctx context.Context) (*Version, error) {
	return get[Version](ctx, c, "/api/version", nil)
}
