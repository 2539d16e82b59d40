package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

type rotateKeyInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    *rotateKeyRequest
}

type rotateKeyRequest struct {
	GraceSeconds int `json:"graceSeconds,omitempty" minimum:"0" maximum:"86400" doc:"How long the former plaintext works on."`
}

func (in *rotateKeyInput) grace() time.Duration {
	if in.Body == nil {
		return 0
	}
	return time.Duration(in.Body.GraceSeconds) * time.Second
}

func (k relayKeys) rotateRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/rotate", "rotate", "Replace the plaintext, and show the new one once")
	huma.Register(k.api, answering(op, http.StatusOK, k.shownSchema()), func(ctx context.Context, in *rotateKeyInput) (*shownKeyOutput, error) {
		plaintext := newPlaintext()
		c, err := k.alter(ctx, store.VerbRotate, in.ID, in.IfMatch, func(rec *store.RelayKey) error {
			if rec.Spec.RevokedAt != nil {
				return &store.Error{Code: store.CodeConflict, Message: "the key is revoked; make another"}
			}
			k.retire(rec, in.grace())
			holdPlaintext(rec, plaintext)
			return nil
		})
		if err != nil {
			return nil, k.refusal(err)
		}
		return k.shown(c, in.ID, plaintext)
	})
}

// retire lets the present plaintext work on for a while after its successor.
func (k relayKeys) retire(rec *store.RelayKey, grace time.Duration) {
	rec.Spec.PreviousHash, rec.Spec.PreviousUntil = "", nil
	if grace > 0 {
		until := k.Now().Add(grace).UTC()
		rec.Spec.PreviousHash, rec.Spec.PreviousUntil = rec.Spec.KeyHash, &until
	}
}

// noMembers is a body that may be absent or empty.
type noMembers struct{}

type revokeInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    *noMembers
}

func (k relayKeys) revokeRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/revoke", "revoke", "Make the key invalid for good")
	huma.Register(k.api, answering(op, http.StatusOK, k.schema), func(ctx context.Context, in *revokeInput) (*rowOutput, error) {
		c, err := k.alter(ctx, store.VerbRevoke, in.ID, in.IfMatch, func(rec *store.RelayKey) error {
			if rec.Spec.RevokedAt == nil {
				now := k.Now().UTC()
				rec.Spec.RevokedAt = &now
			}
			rec.Spec.PreviousHash, rec.Spec.PreviousUntil = "", nil
			return nil
		})
		if err != nil {
			return nil, k.refusal(err)
		}
		return k.row(c, c.RelayKeys.Get(in.ID))
	})
}
