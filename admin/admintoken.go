package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

const adminTokenBytes = 32

func (s *server) adminTokenRoutes(api huma.API) {
	tokens := adminTokens{newResource[store.AdminTokenSpec](s, api)}
	tokens.createRoute()
	tokens.rotateRoute()
	tokens.revokeRoute()
}

type adminTokens struct {
	*resource[store.AdminTokenSpec]
}

// shownToken is an admin token and, once, its plaintext.
type shownToken struct {
	Token     json.RawMessage `json:"token"`
	Plaintext string          `json:"plaintext,omitempty"`
}

type shownTokenOutput struct {
	Location   string `header:"Location"`
	ETag       string `header:"ETag"`
	Generation uint64 `header:"X-Relay-Generation"`
	Body       shownToken
}

func (t adminTokens) shownSchema() *huma.Schema {
	return &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"token"},
		Properties: map[string]*huma.Schema{
			"token":     t.schema,
			"plaintext": {Type: huma.TypeString, Description: "The token itself. It is in no other answer; absent when the caller brought tokenHash."},
		},
	}
}

func (t adminTokens) createRoute() {
	op := withBody(t.operation(http.MethodPost, "", "create", "Create, and show the plaintext once"), t.schema)
	huma.Register(t.api, answering(op, http.StatusCreated, t.shownSchema()), func(ctx context.Context, in *createInput) (*shownTokenOutput, error) {
		rec, err := t.decode(in.Body)
		if err != nil {
			return nil, t.refusal(err)
		}
		plaintext := ""
		if rec.Spec.TokenHash == "" {
			plaintext = newAdminToken()
		}
		c, err := t.write(ctx, func(e *store.Edit) error { return t.putNew(e, rec, plaintext, in.Body) })
		if err != nil {
			return nil, t.refusal(err)
		}
		out, err := t.shown(c, rec.Metadata.ID, plaintext)
		if err != nil {
			return nil, err
		}
		out.Location = t.path + "/by-id/" + rec.Metadata.ID
		return out, nil
	})
}

func newAdminToken() string { return store.AdminTokenPrefix + randomText(adminTokenBytes) }

// putNew writes a token whose read-only members are set once those that the
// caller sent have been refused.
func (t adminTokens) putNew(e *store.Edit, rec *store.AdminToken, plaintext string, body json.RawMessage) error {
	empty := new(store.AdminToken)
	if err := keepReadOnly(rec, empty); err != nil {
		return err
	}
	if plaintext != "" {
		rec.Spec.TokenHash, rec.Spec.Prefix = hashText(plaintext), plaintext[:displayPrefix]
	}
	return t.place(e, rec, empty, body)
}

func (t adminTokens) shown(c *store.Catalog, id, plaintext string) (*shownTokenOutput, error) {
	row, err := t.row(c, c.AdminTokens.Get(id))
	if err != nil {
		return nil, err
	}
	return &shownTokenOutput{ETag: row.ETag, Generation: row.Generation, Body: shownToken{row.Body, plaintext}}, nil
}

// settleAdminToken keeps the hash when none is sent. Another hash is another
// token, of which nothing is known that could be shown.
func settleAdminToken(rec, former *store.AdminToken) {
	if rec.Spec.TokenHash == "" {
		rec.Spec.TokenHash = former.Spec.TokenHash
	}
	if rec.Spec.TokenHash != former.Spec.TokenHash {
		rec.Spec.Prefix = ""
	}
}

type tokenCallInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    *noMembers
}

func (t adminTokens) rotateRoute() {
	op := t.operation(http.MethodPost, "/by-id/{id}/rotate", "rotate", "Replace the plaintext, and show the new one once")
	huma.Register(t.api, answering(op, http.StatusOK, t.shownSchema()), func(ctx context.Context, in *tokenCallInput) (*shownTokenOutput, error) {
		plaintext := newAdminToken()
		c, err := t.alter(ctx, store.VerbRotate, in.ID, in.IfMatch, func(rec *store.AdminToken) error {
			if rec.Spec.RevokedAt != nil {
				return &store.Error{Code: store.CodeConflict, Message: "the token is revoked; make another"}
			}
			rec.Spec.TokenHash, rec.Spec.Prefix = hashText(plaintext), plaintext[:displayPrefix]
			return nil
		})
		if err != nil {
			return nil, t.refusal(err)
		}
		return t.shown(c, in.ID, plaintext)
	})
}

func (t adminTokens) revokeRoute() {
	op := t.operation(http.MethodPost, "/by-id/{id}/revoke", "revoke", "Make the token invalid for good")
	huma.Register(t.api, answering(op, http.StatusOK, t.schema), func(ctx context.Context, in *tokenCallInput) (*rowOutput, error) {
		c, err := t.alter(ctx, store.VerbRevoke, in.ID, in.IfMatch, func(rec *store.AdminToken) error {
			if rec.Spec.RevokedAt == nil {
				now := t.Now().UTC()
				rec.Spec.RevokedAt = &now
			}
			return nil
		})
		if err != nil {
			return nil, t.refusal(err)
		}
		return t.row(c, c.AdminTokens.Get(in.ID))
	})
}

// ShownToken is an admin token and its plaintext, which no other answer holds.
type ShownToken struct {
	Token     *store.AdminToken `json:"token"`
	Plaintext string            `json:"plaintext"` // "" when the caller brought tokenHash
}

// CreateAdminToken makes an admin token.
func (c *Client) CreateAdminToken(ctx context.Context, rec *store.AdminToken) (*ShownToken, error) {
	return call[ShownToken](ctx, c, request{method: http.MethodPost, path: plural(store.KindAdminToken), body: rec})
}

// RotateAdminToken gives the admin token another plaintext.
func (c *Client) RotateAdminToken(ctx context.Context, id string) (*ShownToken, error) {
	return call[ShownToken](ctx, c, request{method: http.MethodPost, path: byID(store.KindAdminToken, id) + "/rotate"})
}

// RevokeAdminToken makes the admin token invalid for good.
func (c *Client) RevokeAdminToken(ctx context.Context, id string) (*store.AdminToken, error) {
	return call[store.AdminToken](ctx, c, request{method: http.MethodPost, path: byID(store.KindAdminToken, id) + "/revoke"})
}
