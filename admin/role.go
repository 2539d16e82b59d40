package admin

import (
	"fmt"
	"slices"

	"relay/store"
)

// EnsureRoles makes the built-in roles as this version ships them, in one write.
func EnsureRoles(db *store.DB) error {
	_, err := db.Write(func(e *store.Edit) error {
		for _, shipped := range store.BuiltinRoles() {
			present := e.Catalog().Roles.ByName(shipped.Metadata.Name)
			if present != nil && isShipped(present, shipped) {
				continue
			}
			if present != nil {
				shipped.Metadata.ID = present.Metadata.ID
			}
			if err := e.Put(shipped); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("make the built-in roles: %w", err)
	}
	return nil
}

func isShipped(present, shipped *store.Role) bool {
	same := func(a, b store.RoleRule) bool {
		return slices.Equal(a.Kinds, b.Kinds) && slices.Equal(a.Verbs, b.Verbs)
	}
	return slices.EqualFunc(present.Spec.Rules, shipped.Spec.Rules, same) && present.Metadata.OfSystem()
}

// keepBuiltinRole refuses to change a built-in role, and to give another role
// the name of one.
func keepBuiltinRole(rec, former *store.Role) error {
	if store.IsBuiltinRole(former.Metadata.Name) || former.Metadata.ID != "" && store.IsBuiltinRole(rec.Metadata.Name) {
		return builtinStays()
	}
	return nil
}

func builtinStays() error {
	return &store.Error{Code: store.CodeConflict, Message: "a built-in role stays as it is; make another role and bind that"}
}
