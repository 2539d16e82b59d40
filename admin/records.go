package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// resource is one kind of record under /api.
type resource[S any] struct {
	*server
	kind   store.Kind
	path   string // /api/rate-limits
	schema *huma.Schema
	api    huma.API
}

// records registers the operations that every kind has.
func records[S any](s *server, api huma.API) {
	r := newResource[S](s, api)
	r.listRoute()
	r.getRoute()
	if r.kind != store.KindRelayKey && r.kind != store.KindAdminToken { // making one shows its plaintext
		r.createRoute()
	}
	r.replaceRoute()
	r.changeRoute()
	r.deleteRoute()
	r.referencesRoute()
}

func newResource[S any](s *server, api huma.API) *resource[S] {
	kind := (&store.Record[S]{}).Kind()
	return &resource[S]{
		server: s, api: api, kind: kind, path: "/api/" + kind.Plural(),
		schema: recordSchema(api, reflect.TypeFor[store.Record[S]]()),
	}
}

func (r *resource[S]) operation(method, path, verb, summary string) huma.Operation {
	return operation(method, r.path+path, verb+"-"+string(r.kind), summary)
}

// rowOutput is one record. Its ETag is the generation of its last change.
type rowOutput struct {
	ETag       string `header:"ETag"`
	Generation uint64 `header:"X-Relay-Generation"`
	Body       json.RawMessage
}

type createdOutput struct {
	Location   string `header:"Location"`
	ETag       string `header:"ETag"`
	Generation uint64 `header:"X-Relay-Generation"`
	Body       json.RawMessage
}

type noOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
}

type refInput struct {
	Ref string `path:"ref" doc:"The name or the id."`
}

type idInput struct {
	ID string `path:"id"`
}

func (r *resource[S]) getRoute() {
	op := answering(r.operation(http.MethodGet, "/{ref}", "get", "Get by name or id"), http.StatusOK, r.schema)
	huma.Register(r.api, op, func(_ context.Context, in *refInput) (*rowOutput, error) {
		c := r.DB.Catalog()
		rec, err := find(c, r.kind, unescaped(in.Ref))
		if err != nil {
			return nil, r.refusal(err)
		}
		return r.row(c, rec)
	})
}

func (r *resource[S]) row(c *store.Catalog, rec store.AnyRecord) (*rowOutput, error) {
	body, err := r.view(c).render(rec)
	if err != nil {
		return nil, r.refusal(err)
	}
	return &rowOutput{ETag: etag(rec), Generation: c.Generation, Body: body}, nil
}

func (r *resource[S]) created(c *store.Catalog, id string) (*createdOutput, error) {
	row, err := r.row(c, c.Of(r.kind).Find(id))
	if err != nil {
		return nil, err
	}
	return &createdOutput{Location: r.path + "/by-id/" + id, ETag: row.ETag, Generation: row.Generation, Body: row.Body}, nil
}
