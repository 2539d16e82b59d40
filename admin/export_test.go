package admin

import (
	"maps"
	"slices"

	"github.com/gorilla/mux"

	"relay/store"
	"relay/store/token"
)

// Router gives tests the routes under /api.
func Router(o Options) *mux.Router { return newServer(o).apiRouter() }

// Needs gives tests the operations in the table of needs.
func Needs() []string { return slices.Sorted(maps.Keys(needs())) }

// TokenKeys gives tests what verifies the tokens of keys.
func TokenKeys(keys []store.TokenKey) []token.Key { return token.Keys(keys) }

// Cascade deletes a record with what is part of it, as a DELETE does.
func Cascade(e *store.Edit, rec store.AnyRecord) error { return remove(e, rec, true) }
