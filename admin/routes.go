package admin

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gorilla/mux"

	"relay/store"
)

// front is everything that the listener answers.
func (s *server) front() http.Handler {
	router := newRouter()
	router.HandleFunc("/livez", s.livez).Methods(http.MethodGet, http.MethodHead)
	router.HandleFunc("/readyz", s.readyz).Methods(http.MethodGet, http.MethodHead)
	if s.Metrics != nil {
		router.Handle("/metrics", s.watchers(s.Metrics)).Methods(http.MethodGet)
	}
	api := s.guardAPI(s.apiRouter())
	router.Path("/api").Handler(api)
	router.PathPrefix("/api/").Handler(api)
	router.PathPrefix("/admin/").Handler(api)
	if s.UI != nil {
		router.PathPrefix("/").Handler(s.UI).Methods(http.MethodGet, http.MethodHead)
	}
	return router
}

func (s *server) apiRouter() *mux.Router {
	router := newRouter()
	router.Use(s.authorized)
	s.routes(newAPI(router, s.Version))
	return router
}

// routes are all operations under /api. Each line of the first block makes
//
//	GET    /api/{plural}                         list
//	GET    /api/{plural}/{ref}                   by name or id
//	POST   /api/{plural}                         create
//	PUT    /api/{plural}/by-id/{id}              replace
//	PATCH  /api/{plural}/by-id/{id}              change (RFC 7396)
//	DELETE /api/{plural}/by-id/{id}              delete, ?cascade=true with its parts
//	GET    /api/{plural}/by-id/{id}/references   who refers to it
func (s *server) routes(api huma.API) {
	records[store.ProviderSpec](s, api)
	records[store.HostSpec](s, api)
	records[store.ModelSpec](s, api)
	records[store.HostBindingSpec](s, api)
	records[store.PricingSpec](s, api)
	records[store.HostAccountSpec](s, api)
	records[store.HostKeySpec](s, api)
	records[store.RateLimitSpec](s, api)
	records[store.PolicySpec](s, api)
	records[store.PolicyBindingSpec](s, api)
	records[store.OrganizationSpec](s, api)
	records[store.TeamSpec](s, api)
	records[store.ProjectSpec](s, api)
	records[store.ServiceAccountSpec](s, api)
	records[store.RelayKeySpec](s, api) // all but create
	records[store.UserSpec](s, api)
	records[store.GroupSpec](s, api)
	records[store.RoleSpec](s, api)
	records[store.RoleBindingSpec](s, api)
	records[store.AdminTokenSpec](s, api) // all but create
	records[store.SettingSpec](s, api)

	s.relayKeyRoutes(api)   // POST /api/relay-keys, …/by-id/{id}/rotate, …/revoke, …/topup
	s.adminTokenRoutes(api) // POST /api/admin-tokens, …/by-id/{id}/rotate, …/revoke
	s.hostKeyRoutes(api)    // POST /api/host-keys/by-id/{id}/rotate, …/test, …/reset, GET …/health
	s.discoverRoute(api)    // POST /api/hosts/by-id/{id}/discover
	s.connectRoute(api)     // POST /api/connect
	s.manifestRoutes(api)   // POST /api/apply, GET /api/export
	s.backupRoute(api)      // GET /api/backup
	s.usageRoutes(api)      // GET /api/usage/events, /api/usage/summary
	s.repriceRoute(api)     // POST /api/usage/reprice
	s.catalogueRoutes(api)  // GET /api/catalog, /api/catalog/diff, POST /api/catalog/update, …/rollback
	s.liveRoute(api)        // GET /api/live
	s.explainRoutes(api)    // POST /api/explain, GET /api/accounts/{ref}/effective, /api/policies/{ref}/rate-limits
	s.resetRoutes(api)      // POST /api/rate-limits/by-id/{id}/reset, /api/policies|relay-keys/by-id/{id}/reset-budget
	s.statusRoutes(api)     // GET /api/status, /api/version
	s.auditRoute(api)       // GET /api/audit
	s.tokenRoutes(api)      // POST /api/auth/token, /api/auth/token/revoke, /api/auth/token-key/rotate
	s.masterKeyRoutes(api)  // GET /api/master-key, POST /api/master-key/rotate
	s.ceilingRoutes(api)    // GET, PUT /admin/organizations/{org_id}/limits
	s.sessionRoutes(api)    // GET, POST, DELETE /api/session, POST /api/session/password
	s.oidcRoutes(api)       // GET /api/auth/oidc/login, /api/auth/oidc/callback
	s.setupRoutes(api)      // POST /api/setup-link, /api/setup
	openAPIRoute(api)       // GET /api/openapi.json
}
