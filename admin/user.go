package admin

import (
	"context"
	"encoding/json"

	"relay/store"
)

// hashed hashes the password that a body holds, before the write: it takes long.
// It is zero when there is none, or one that will be refused.
func (r *resource[S]) hashed(ctx context.Context, body json.RawMessage) (store.PasswordHash, error) {
	if r.kind != store.KindUser {
		return store.PasswordHash{}, nil
	}
	var sent struct {
		Metadata struct{ Name string }
		Spec     struct{ Password store.Secret }
	}
	if decodeJSON(body, &sent) != nil || store.CheckPassword(sent.Metadata.Name, sent.Spec.Password) != "" {
		return store.PasswordHash{}, nil
	}
	return r.Passwords.Hash(ctx, sent.Spec.Password)
}

// settleUser takes the password out of the record, whose hash is kept elsewhere.
func settleUser(rec *store.User) error {
	password := rec.Spec.Password
	rec.Spec.Password = store.Secret{}
	if password.IsZero() {
		return nil
	}
	if fault := store.CheckPassword(rec.Metadata.Name, password); fault != "" {
		return invalid(store.Problem{Field: "spec.password", Message: fault})
	}
	return nil
}
