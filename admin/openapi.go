package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"

	"relay/store"
	"relay/store/manifest"
)

const mergePatch = "application/merge-patch+json"

// configureHuma sets what huma keeps in package variables. It is the only user
// of huma in the program and always sets them alike.
var configureHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = newProblem
})

func newAPI(router *mux.Router, version string) huma.API {
	configureHuma()
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[store.Duration](), reflect.TypeFor[durationText]())
	registry.RegisterTypeAlias(reflect.TypeFor[store.Secret](), reflect.TypeFor[string]())
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decodeJSON}
	named := humamux.WithRouteCustomizer(func(op *huma.Operation, route *mux.Route) { route.Name(op.OperationID) })
	return humamux.New(router, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI:    "3.1.0",
			Info:       &huma.Info{Title: "Relay control API", Version: or(version, "unknown")},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: securitySchemes()},
			Security:   []map[string][]string{{"adminToken": {}}, {"session": {}}},
		},
		Formats:                      map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}, named)
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		"adminToken": {Type: "http", Scheme: "bearer", Description: "An admin token, or the text in admin.token in the data directory."},
		"session":    {Type: "apiKey", In: "cookie", Name: "relay_session_INSTALLATION", Description: "What signing in sets; over TLS with __Host- before it."},
	}
}

// schemaName calls Record[HostSpec] Host, tells apart types of one name in
// different packages, and leaves others their names.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	switch {
	case t == reflect.TypeFor[store.Problem]():
		return "Fault"
	case t.PkgPath() == reflect.TypeFor[manifest.Document]().PkgPath():
		return "Manifest" + name
	}
	if kind, ok := strings.CutPrefix(name, "Record"); ok {
		return strings.TrimSuffix(kind, "Spec")
	}
	return name
}

// durationText is how store.Duration is written.
type durationText string

// Schema describes the text.
func (durationText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:               huma.TypeString,
		Pattern:            `^(0|-?([0-9]+(\.[0-9]*)?(d|h|m|s|ms|us|µs|ns))+)$`,
		PatternDescription: `a number with a unit, such as "30s", "1m", "24h" or "7d"`,
		Examples:           []any{"30s"},
	}
}

// operation describes a route. Bodies are bounded and read before huma sees
// them, so its own bounds are off.
func operation(method, path, id, summary string) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary, Tags: []string{tagOf(path)},
		MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
}

func tagOf(path string) string {
	tag, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	return tag
}

func withBody(op huma.Operation, schema *huma.Schema) huma.Operation {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	return op
}

// answering documents what the operation answers, for bodies that are rendered
// by hand.
func answering(op huma.Operation, status int, schema *huma.Schema) huma.Operation {
	op.DefaultStatus = status
	op.Responses = map[string]*huma.Response{statusText(status): {
		Description: http.StatusText(status),
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
	return op
}

const openAPIType = "application/openapi+json"

type openAPIOutput struct {
	ContentType string `header:"Content-Type"`
	Body        json.RawMessage
}

func openAPIRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/openapi.json", "openapi", "This document (OpenAPI 3.1)")
	op.Responses = map[string]*huma.Response{statusText(http.StatusOK): {
		Description: http.StatusText(http.StatusOK),
		Content:     map[string]*huma.MediaType{openAPIType: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}},
	}}
	text := sync.OnceValues(func() (json.RawMessage, error) { return json.Marshal(api.OpenAPI()) })
	huma.Register(api, op, func(context.Context, *struct{}) (*openAPIOutput, error) {
		document, err := text()
		return &openAPIOutput{ContentType: openAPIType, Body: document}, err
	})
}
