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

// detach takes a user out of the groups and role bindings that name others as
// well, so that deleting it with what depends on it leaves those alone.
func detach(e *store.Edit, rec store.AnyRecord) error {
	for _, other := range store.References(e.Catalog(), rec.Kind(), rec.Meta().ID) {
		var err error
		switch other := other.(type) {
		case *store.Group:
			err = leaveGroup(e, other, rec.Meta().ID)
		case *store.RoleBinding:
			err = leaveBinding(e, other, store.Ref{Kind: rec.Kind(), ID: rec.Meta().ID})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func leaveGroup(e *store.Edit, group *store.Group, user string) error {
	left, err := copyOf(group)
	if err != nil {
		return err
	}
	left.Spec.Members = without(left.Spec.Members, user)
	return e.Put(left)
}

// leaveBinding leaves a binding of nobody else alone: it goes as well.
func leaveBinding(e *store.Edit, binding *store.RoleBinding, subject store.Ref) error {
	left, err := copyOf(binding)
	if err != nil {
		return err
	}
	left.Spec.Subjects = without(left.Spec.Subjects, subject)
	if len(left.Spec.Subjects) == 0 || len(left.Spec.Subjects) == len(binding.Spec.Subjects) {
		return nil
	}
	return e.Put(left)
}

func without[T comparable](list []T, gone T) []T {
	kept := make([]T, 0, len(list))
	for _, one := range list {
		if one != gone {
			kept = append(kept, one)
		}
	}
	return kept
}
