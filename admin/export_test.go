package admin

import (
	"github.com/gorilla/mux"
)

// Router gives tests the routes under /api.
func Router(o Options) *mux.Router { return newServer(o).apiRouter() }
